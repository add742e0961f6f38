// Package alphabeta is the agent that searches to a fixed depth, or as deep as
// nodes and time allow: principal variation search under iterative deepening,
// with a transposition table and move ordering. (T. A. Marsland, "A review of
// game-tree pruning", ICCA Journal 9(1), 1986, has the methods.)
//
// A search of depth d looks at every line of d plies; a win with the ply after
// them is seen too, for each position asks first whether the side to move can
// reach the goal. Its score is that of the plain minimax search. Two things can
// make it differ in rare positions, both by the transposition table, which
// knows positions and not how they were reached: a stored result may rest on a
// move that the repetition rule forbids on another path, and a win or loss
// found deeper elsewhere is used where it is met again.
package alphabeta
