package mcts

// The nodes of the tree, and where they lie in memory.

import (
	"math"

	"gyges/agents"
	"gyges/rules"
)

// node is a position in the tree, by the move that led to it. Values are for the side that made the
// move: 1 is won.
type node struct {
	move   rules.Move // undefined at the root
	first  uint32     // index of the first child
	visits uint32
	value  float32 // minimax value of the tree below; at a leaf the evaluation
	static float32 // value by the evaluation
	prior  float32 // of PUCT, from the static value
	// proof is a proven result for the side to move, counted from the position, or one of the
	// constants below.
	proof    agents.Score
	count    uint16 // children, in descending order of static
	complete bool   // only moves that let the opponent win at once are not among the children
}

const nodeSize = 32 // bytes

// Proofs that are no win or loss.
const (
	unproven agents.Score = 0
	drawn    agents.Score = 1 // the game ends here without a winner
)

// result returns the node's proof as the score of a win or a loss, else 0.
func (n *node) result() agents.Score {
	if n.proof == drawn {
		return 0
	}
	return n.proof
}

// betterThan reports whether a move is better than another, by the nodes they lead to: proven wins
// first, the quickest first, proven losses last, the quickest last; of others that with more
// visits, else with the higher value.
func (n *node) betterThan(other *node) bool {
	a, b := n.result(), other.result() // for the opponent
	switch {
	case a != b || a != 0:
		return a < b
	case n.visits != other.visits:
		return n.visits > other.visits
	default:
		return n.value > other.value
	}
}

// tree is a search tree in one slice. A node's children lie together; when it gets more they all
// move to the end, and their old places are lost until the tree is copied to the spare slice.
type tree struct {
	nodes []node
	spare []node
	root  uint32
	limit int // of nodes in either slice
}

// minFree is the number of free nodes needed to expand a node: no position has more moves.
const minFree = 4096

// limitFor returns the limit of a tree that takes megabytes MB with its spare slice.
func limitFor(megabytes int) int { return megabytes << 20 / (2 * nodeSize) }

func (t *tree) reset(value float32) {
	if cap(t.nodes) < t.limit {
		t.nodes = make([]node, 0, t.limit)
	}
	t.nodes = append(t.nodes[:0], node{value: value, static: value})
	t.root = 0
}

func (t *tree) free() int { return t.limit - len(t.nodes) }

func (t *tree) full() bool { return t.free() < 2*minFree }

func (t *tree) children(n *node) []node { return t.nodes[n.first : n.first+uint32(n.count)] }

// setChildren makes list, copied to the end, the children of node i.
func (t *tree) setChildren(i uint32, list []node, complete bool) {
	n := &t.nodes[i]
	n.first = uint32(len(t.nodes))
	n.count = uint16(len(list))
	n.complete = complete
	t.nodes = append(t.nodes, list...)
}

// prune removes what isn't below the root, and the children of all other nodes with fewer visits
// than least; those nodes keep their values. It reports false, and changes nothing, if more than
// half of the tree would remain or if stop, called every 1024 nodes, returns true.
func (t *tree) prune(least uint32, stop func() bool) bool {
	if cap(t.spare) < t.limit {
		t.spare = make([]node, 0, t.limit)
	}
	to := append(t.spare[:0], t.nodes[t.root])
	for i := 0; i < len(to); i++ {
		n := &to[i]
		if i != 0 && n.visits < least {
			n.count = 0
			n.complete = false
		}
		list := t.children(n)
		if len(to)+len(list) > t.limit/2 {
			return false
		}
		if i%1024 == 0 && stop() {
			return false
		}
		n.first = uint32(len(to))
		to = append(to, list...)
	}
	t.nodes, t.spare = to, t.nodes
	t.root = 0
	return true
}

func (t *tree) child(i uint32, m rules.Move) (child uint32, ok bool) {
	n := &t.nodes[i]
	for k, c := range t.children(n) {
		if c.move == m {
			return n.first + uint32(k), true
		}
	}
	return 0, false
}

// selectPUCT returns the child with the highest PUCT score of those not won for the opponent, if
// there is one.
func (t *tree) selectPUCT(n *node, cpuct float64) (i uint32, ok bool) {
	bestScore := math.Inf(-1)
	explore := cpuct * math.Sqrt(float64(n.visits))
	list := t.children(n)
	for k := range list {
		child := &list[k]
		if child.proof >= agents.WinScore {
			continue
		}
		bonus := float64(explore*float64(child.prior)) / float64(1+child.visits)
		if score := float64(child.value) + bonus; score > bestScore {
			i, ok = n.first+uint32(k), true
			bestScore = score
		}
	}
	return i, ok
}

// best returns the child to play; among equals the one with the highest evaluation.
func (t *tree) best(n *node) *node {
	children := t.children(n)
	best := &children[0]
	for k := range children {
		if children[k].betterThan(best) {
			best = &children[k]
		}
	}
	return best
}

// update sets the value and proof of node i from its children (backup).
func (t *tree) update(i uint32) {
	n := &t.nodes[i]
	highest, lowest := float32(-1), agents.WinTop
	list := t.children(n)
	for k := range list {
		highest = max(highest, list[k].value)
		lowest = min(lowest, list[k].proof)
	}
	switch {
	case lowest <= -agents.WinScore: // the opponent's quickest loss, a ply later
		n.proof = max(-lowest-1, agents.WinScore)
		n.value = -1
	case lowest >= agents.WinScore && n.complete: // the opponent's slowest win
		slowest := min(lowest-1, agents.WinIn(2))
		n.proof = -max(slowest, agents.WinScore)
		n.value = 1
	default:
		n.value = -highest
	}
}
