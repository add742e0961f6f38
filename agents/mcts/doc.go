// Package mcts is the agent that grows a tree of the lines that look best:
// Monte-Carlo tree search. It goes down the tree by PUCT (C. D. Rosin,
// "Multi-armed bandits with episode context", 2011), values a new leaf by the
// evaluation, or by a short random playout and the evaluation after it, and
// carries the value back to the root.
//
// A turn has hundreds of moves, so a node's moves are all evaluated when it is
// visited for the second time: moves that hand over a win are dropped, and the
// others get priors from their evaluations, so that visits go to few of them.
//
// Wins and losses are proven on the way (M. Winands, Y. Björnsson, J.-T. Saito,
// "Monte-Carlo tree search solver", 2008): a position that can reach the goal
// is won, one whose every move loses is lost, and the search ends when the root
// is proven. The length of a proven win is that of the first one found; there may
// be a quicker one. The tree is no graph: a position reached on two paths is two
// nodes, so the repetition rule is followed exactly.
package mcts
