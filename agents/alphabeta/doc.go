// Package alphabeta is the agent that searches to a fixed depth, or as deep as
// nodes and time allow: principal variation search under iterative deepening,
// with a transposition table and move ordering. (T. A. Marsland, "A review of
// game-tree pruning", ICCA Journal 9(1), 1986, describes the methods.)
//
// A node first tests whether the side to move can reach the goal, so wins with
// the ply after the last are found too. Moves that allow the opponent to win at
// once are removed together ([rules.Rules.QuickEvasions]). At a leaf where the opponent
// threatens to win, the position is lost if there is no evasion.
//
// With late move pruning and late move reductions a depth of d means that the
// first moves in the order of search are searched d plies deep, the later ones
// less, and at depth 1 only a number of them. A proven win or loss rests on all
// moves and holds in spite of pruning. With selective=0 each line of d plies is
// searched, and the score is that of plain minimax. Two effects of the
// transposition table, which identifies positions but not the way to them, can
// change it in rare cases: a stored result may rest on a move that the repetition
// rule forbids on another path, and a win or loss found deeper elsewhere is used
// where the position occurs again.
//
// With several threads each searches by itself and shares its results through the
// tables.
package alphabeta
