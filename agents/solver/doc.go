// Package solver proves wins and losses of Gygès. It knows no evaluation: it
// asks of a position whether the side to move can force the goal within so many
// plies, or can't keep the opponent from it, and finds the exact answer.
//
// It is a depth-first search of the AND/OR tree, deepened ply by ply, so that the
// first proof is the shortest. What makes it quick is the goal itself: an
// attacker needs moves that are evasions of the opponent's own threat, and at the
// last plies no move is looked at one by one. A winning move need not threaten
// anything: positions are common in which every move of the loser hands
// over the win. So no move is left out; threats only come first.
//
// Under superko a result may rest on the way to a position. There the table
// gives moves to try first and settles nothing (D. Breuker, "Memory versus
// search in games", 1998, on the graph-history interaction). Under other rules,
// where it settles results, a proof is searched a second time without.
package solver
