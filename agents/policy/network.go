package policy

// The network of the policy.

import (
	"math"

	"gyges/agents/eval/inputs"
	"gyges/agents/internal/vector"
	"gyges/rules"
)

// Units is the number of hidden units of the network.
const Units = 32

// The weights of the network come after the weights of the features, in rows with a number for each
// hidden unit. There are rows for the inputs of the position, for what is moved where, and for the
// units themselves. All rows but the last are added up.
const (
	startRows = inputs.Num                    // height of the piece moved, start
	endRows   = startRows + 3*places          // kind, end
	dropRows  = endRows + kinds*places        // height of the piece displaced, drop
	BiasRow   = dropRows + 3*rules.NumSquares // before all
	OutRow    = BiasRow + 1                   // weights of the units' activations
	numRows   = OutRow + 1
)

// Row returns the index of the first weight of a row.
func Row(row int) int { return NumFeatures + row*Units }

// Rows are the rows that a move adds to the rows of the position. A move that starts on the right
// half of the board is seen in the mirror, where the inputs of the position are mirrored too; of a
// move from the hand the end counts.
type Rows struct {
	Image      int // 0: the position, 1: its mirror image
	Start, End int
	Drop       int // -1: nothing is displaced
}

// Rows returns the rows of a move, which is not the pass.
func (v *View) Rows(m rules.Move) Rows { return v.turned(m).rows() }

func (a turnedMove) rows() Rows {
	pivot := a.start
	if pivot == hand {
		pivot = a.end
	}
	image := 0
	if _, mirror := mirrored(pivot); mirror {
		image = 1
		a.start = opposite(a.start)
		a.end = opposite(a.end)
		a.drop = opposite(a.drop)
	}
	r := Rows{
		Image: image,
		Start: startRows + (a.height-1)*places + a.start,
		End:   endRows + a.kind()*places + a.end,
		Drop:  -1,
	}
	if a.displaced > 0 {
		r.Drop = a.firstDropRow() + a.drop
	}
	return r
}

// firstDropRow returns the first of the rows for the drops of the piece displaced.
func (a turnedMove) firstDropRow() int { return dropRows + (a.displaced-1)*rules.NumSquares }

// units has a number for each unit, in units of 1/[NetworkUnit].
type units = [Units]int16

// Quantisation and bounds of the network's weights: sums of rows stay within 16 bits, outputs
// within 32.
const (
	NetworkUnit = 64   // a weight of the network of 1
	MaxRow      = 500  // bound of the size of a weight that is added up
	MaxOut      = 2000 // bound of the size of a weight of an activation

	_ = uint(1<<15 - 1 - MaxRow*(inputs.MaxActive+4))
	_ = uint(1<<31 - 1 - Units*MaxOut*MaxRow*(inputs.MaxActive+4))
)

func (w *Weights) units(row int) *units { return (*units)(w[Row(row):]) }

// HasNetwork reports whether the policy has a network.
func (w *Weights) HasNetwork() bool { return *w.units(OutRow) != (units{}) }

// Policy has the weights in the layout that scores are computed with.
type Policy struct {
	weights *Weights
	inputs  *vector.Rows // of the network; nil: there is none
}

// Pack returns weights, which must not change any more, as a policy.
func (w *Weights) Pack() *Policy {
	p := &Policy{weights: w}
	if w.HasNetwork() {
		p.inputs = vector.NewRows(w[NumFeatures:Row(inputs.Num)], Units)
	}
	return p
}

// network computes the outputs of a policy's network for the moves of a position.
type network struct {
	policy *Policy
	sums   [2]units                // of the position and of its mirror image
	inputs inputs.List             // of the position
	drops  [rules.NumSquares]int32 // outputs by drop, of the last start and end
	image  int                     // of the drops: 1: they are mirrored
}

// begin computes the sums of a position, of which the opponent controls opp.
func (n *network) begin(policy *Policy, r *rules.Rules, p rules.Position, opp *rules.Control) {
	n.policy = policy
	if policy.inputs == nil {
		return
	}
	own := r.Control(p, p.Side())
	n.inputs.Extract(p, &own, opp)
	for image := range n.sums {
		if image == 1 {
			n.inputs.Mirror()
		}
		n.sums[image] = *policy.weights.units(BiasRow)
		policy.inputs.Add(n.sums[image][:], n.inputs.Active())
	}
}

// startEnd computes the outputs for the moves with a start and an end by their drops. It returns
// the score of the only move if nothing is displaced, else 0.
func (n *network) startEnd(a turnedMove) int32 {
	if n.policy.inputs == nil {
		return 0
	}
	r := a.rows()
	n.image = r.Image
	position := &n.sums[r.Image]
	w := n.policy.weights
	start, end, out := w.units(r.Start), w.units(r.End), w.units(OutRow)
	var sum units
	for k := range sum {
		sum[k] = position[k] + start[k] + end[k]
	}
	if a.displaced > 0 {
		drops := w[Row(a.firstDropRow()):]
		vector.Outputs(n.drops[:], sum[:], drops, out[:], math.MaxInt16)
		return 0
	}
	var none units
	vector.Outputs(n.drops[:1], sum[:], none[:], out[:], math.MaxInt16)
	return score(n.drops[0])
}

// drop returns what the drop adds to the score of a move with the last start and end.
func (n *network) drop(place int) int32 {
	switch {
	case n.policy.inputs == nil:
		return 0
	case n.image == 1:
		place = opposite(place)
	}
	return score(n.drops[place])
}

// score returns an output of the network in units of 1/[Unit].
func score(output int32) int32 { return output / (NetworkUnit * NetworkUnit / Unit) }
