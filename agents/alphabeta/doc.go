// Package alphabeta is the agent that searches to a fixed depth, or as deep as
// nodes and time allow: principal variation search under iterative deepening,
// with a transposition table and move ordering. (T. A. Marsland, "A review of
// game-tree pruning", ICCA Journal 9(1), 1986, has the methods.)
//
// Each position asks first whether the side to move can reach the goal, so that
// a win with the ply after the last is seen too, and of the moves those that
// hand a win to the opponent are found together ([rules.Rules.Answers]). At the
// last ply a side that is threatened with a win is asked whether it has any
// answer: if not, it has lost.
//
// A nominal depth of d means that the moves that look best, by the evaluation or
// by what refuted other positions, are searched d plies deep; the later a move
// comes the less deep it is searched, and before the last ply only so many are
// tried. What is proven, a win or a loss, rests on all moves and holds whatever
// was left out. With selective=0 every line of d plies is looked at, and the
// score is that of the plain minimax search. Two things can make it differ in
// rare positions, both by the transposition table, which knows positions and
// not how they were reached: a stored result may rest on a move that the
// repetition rule forbids on another path, and a win or loss found deeper
// elsewhere is used where it is met again.
//
// With several threads each searches by itself, and what one finds helps the
// others by the table they share.
package alphabeta
