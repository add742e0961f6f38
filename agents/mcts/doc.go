// Package mcts is an agent by Monte-Carlo tree search. Selection is by PUCT (C. D.
// Rosin, "Multi-armed bandits with episode context", 2011) with priors from the
// static evaluation. Leaves are expanded, and the children's static evaluations are
// backed up by minimax and not as means (M. Lanctot et al., "Monte Carlo tree search
// with heuristic evaluations using implicit minimax backups", 2014, with all the
// weight on the minimax part): one reply decides most positions.
//
// A position has hundreds of moves, so nodes are widened progressively, in the order
// of a move prior that is learned online. Moves that let the opponent win at once
// are excluded.
//
// Wins and losses are proven on the way (M. Winands, Y. Björnsson, J.-T. Saito,
// "Monte-Carlo tree search solver", 2008): a position that can reach the goal
// is won, one whose every move loses is lost, and the search ends when the root
// is proven. The length of a proven win is that of the first one found; there may
// be a quicker one. The tree is no graph: a position reached on two paths is two
// nodes, so the repetition rule is followed exactly.
//
// The tree is reused from move to move of a game. When it is full, the subtrees with
// the fewest visits are pruned until half of it is free; their roots keep their
// values.
package mcts
