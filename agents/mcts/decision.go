package mcts

import (
	"gyges/agents"
	"gyges/rules"
)

// decision returns the decision by the tree after so many iterations.
func (s *search) decision(iterations int64) agents.Decision {
	root := &s.tree.nodes[s.tree.root]
	best := s.tree.best(root)
	return agents.Decision{
		Move:   best.move,
		Scored: true,
		Score:  s.nodeScore(root, best),
		Depth:  s.deepest,
		Nodes:  iterations,
		PV:     s.pv(),
	}
}

// nodeScore returns the score of a node for the side to move there, by its best child.
func (p *params) nodeScore(n, best *node) agents.Score {
	switch {
	case n.proof.won():
		return agents.WinIn(n.proof.plies())
	case n.proof.lost():
		return -agents.WinIn(n.proof.plies())
	default:
		return p.toScore(float64(best.value))
	}
}

// best returns the child to play: the quickest proven win; else the one visited
// most that is not proven lost; else the one that loses last. Among equals the
// higher value counts, then the higher evaluation.
func (t *tree) best(n *node) *node {
	children := t.children(n)
	best := &children[0]
	for k := 1; k < len(children); k++ {
		if children[k].betterThan(best) {
			best = &children[k]
		}
	}
	return best
}

func (n *node) betterThan(other *node) bool {
	a, b := n.class(), other.class()
	switch {
	case a != b:
		return a > b
	case a > 0:
		return n.proof.plies() < other.proof.plies()
	case a < 0:
		return n.proof.plies() > other.proof.plies()
	case n.visits != other.visits:
		return n.visits > other.visits
	default:
		return n.value > other.value
	}
}

// class is 1 for a move that wins, -1 for one that loses, 0 for others. The
// proof is the opponent's.
func (n *node) class() int {
	switch {
	case n.proof.lost():
		return 1
	case n.proof.won():
		return -1
	default:
		return 0
	}
}

// pv returns the expected line as far as it has been visited.
func (s *search) pv() []rules.Move {
	var line []rules.Move
	for n := &s.tree.nodes[s.tree.root]; n.size() > 0; {
		n = s.tree.best(n)
		line = append(line, n.move)
		if n.visits == 0 {
			break
		}
	}
	return line
}
