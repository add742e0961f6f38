// Package mcts is the agent that grows a tree of the lines that look best:
// Monte-Carlo tree search. It goes down the tree by PUCT (C. D. Rosin,
// "Multi-armed bandits with episode context", 2011): priors come from the
// evaluation. Where the tree ends, the node gets children, and their evaluations
// go back to the root by minimax and not as means (M. Lanctot et al., "Monte Carlo
// tree search with heuristic evaluations using implicit minimax backups", 2014,
// with all the weight on the minimax part): one answer decides most positions.
//
// A turn has hundreds of moves, so a node gets few of them at first, and more the
// more it is visited. Which come first is a guess by how like moves have fared:
// what the piece does and where a displaced piece is put, each by itself. Moves
// that hand over a win are never among them.
//
// Wins and losses are proven on the way (M. Winands, Y. Björnsson, J.-T. Saito,
// "Monte-Carlo tree search solver", 2008): a position that can reach the goal
// is won, one whose every move loses is lost, and the search ends when the root
// is proven. The length of a proven win is that of the first one found; there may
// be a quicker one. The tree is no graph: a position reached on two paths is two
// nodes, so the repetition rule is followed exactly.
//
// The tree is kept from move to move of a game. When its memory is full, the
// children of the nodes visited least are dropped until half of it is free; what
// they told stays, and they grow again where they are needed.
package mcts
