package mcts

import (
	"math"

	"gyges/rules"
)

// node is a position in the tree, named by the move that led to it. Values are
// seen from the side that made that move, from -1, lost, to 1, won.
type node struct {
	sum    float64    // of the values that visits brought back
	move   rules.Move // NoMove at the root
	first  uint32     // place of the first child in the tree; 0: no children yet
	visits uint32
	static float32 // value by the evaluation
	prior  float32 // share of the parent's visits that the evaluation suggests
	count  uint16  // children, best by the evaluation first
	proof  proof
}

// nodeSize is the size of a node in bytes.
const nodeSize = 32

// value returns the mean of what the visits brought back, before the first
// visit the evaluation.
func (n *node) value() float64 {
	if n.visits == 0 {
		return float64(n.static)
	}
	return n.sum / float64(n.visits)
}

// proof is a proven result of a position, for the side to move there.
type proof int16

const (
	unproven proof = 0
	drawn    proof = math.MinInt16 // the game ends here without a winner
)

// winIn is the proof of a win in so many plies, 1 or more.
func winIn(plies int) proof { return proof(min(plies, math.MaxInt16)) }

// lossIn is the proof of a loss in so many plies, 0 if the game is lost already.
func lossIn(plies int) proof { return -1 - proof(min(plies, math.MaxInt16-2)) }

func (p proof) won() bool  { return p > 0 }
func (p proof) lost() bool { return p < 0 && p != drawn }

// plies returns the length of a proven win or loss.
func (p proof) plies() int {
	if p > 0 {
		return int(p)
	}
	return -1 - int(p)
}

// tree is a search tree in one slice, the root at 0. Its room is used again from
// move to move. It holds no more nodes than its limit: when it is full, leaves
// stay leaves, and further visits bring back what is known of them.
type tree struct {
	nodes []node
	spare []node // room for the next tree
	limit int
}

// reset empties the tree but for an unvisited root.
func (t *tree) reset() { t.nodes = append(t.nodes[:0], node{}) }

// keep makes node i the root and drops all that doesn't lie below it.
func (t *tree) keep(i uint32) {
	kept := append(t.spare[:0], t.nodes[i])
	kept[0].move = rules.NoMove
	for k := 0; k < len(kept); k++ {
		if n := kept[k]; n.first != 0 {
			kept[k].first = uint32(len(kept))
			kept = append(kept, t.nodes[n.first:n.first+uint32(n.count)]...)
		}
	}
	t.nodes, t.spare = kept, t.nodes
}

// fits tells whether there is room for so many nodes more.
func (t *tree) fits(n int) bool { return len(t.nodes)+n <= t.limit }

// children returns the children of a node.
func (t *tree) children(n *node) []node { return t.nodes[n.first : n.first+uint32(n.count)] }

// adopt makes list the children of node i.
func (t *tree) adopt(i uint32, list []node) {
	t.nodes[i].first, t.nodes[i].count = uint32(len(t.nodes)), uint16(len(list))
	t.nodes = append(t.nodes, list...)
}

// pick returns the child to visit next by PUCT: the value, and the more the
// prior promises and the fewer visits there were. Children that are won for the
// opponent are left out: one at least is not, else the node would be proven.
func (t *tree) pick(n *node, c float64) uint32 {
	best, bestScore := uint32(0), math.Inf(-1)
	explore := c * math.Sqrt(float64(n.visits))
	for k, child := range t.children(n) {
		if child.proof.won() {
			continue
		}
		score := child.value() + float64(explore*float64(child.prior))/float64(1+child.visits)
		if score > bestScore {
			best, bestScore = n.first+uint32(k), score
		}
		if child.visits == 0 {
			break // the others are no better: their evaluations are lower
		}
	}
	return best
}

// prove works out what the proofs of node i's children say about it.
func (t *tree) prove(i uint32) {
	n := &t.nodes[i]
	slowest, quickest := 0, 0
	for _, child := range t.children(n) {
		switch {
		case child.proof.lost():
			if plies := child.proof.plies() + 1; quickest == 0 || plies < quickest {
				quickest = plies
			}
		case child.proof.won():
			slowest = max(slowest, child.proof.plies()+1)
		default:
			slowest = math.MaxInt
		}
	}
	switch {
	case quickest > 0:
		n.proof = winIn(quickest)
	case slowest < math.MaxInt:
		n.proof = lossIn(max(slowest, 2))
	}
}
