package policy

import (
	"gyges/agents/eval/inputs"
	"gyges/rules"
)

// Units is the number of hidden units of the network.
const Units = 32

// The network's weights follow those of the features, in rows with a number for each unit: for the inputs of the
// position, for what is moved where, and for the units themselves. All but the last are added up.
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

// Rows are the rows that are added to those of the position for a move. A move that starts on the right half of the
// board is seen in the mirror, where the inputs of the position are mirrored too; of one from the hand the end counts.
type Rows struct {
	Image      int // 0: the position, 1: its mirror image
	Start, End int
	Drop       int // -1: nothing is displaced
}

// Rows returns the rows of a move, which is not the pass.
func (v *View) Rows(m rules.Move) Rows {
	a := v.turned(m)
	r := a.rows()
	if a.displaced > 0 {
		r.Drop = dropRows + (a.displaced-1)*rules.NumSquares + a.drop
		if r.Image == 1 {
			r.Drop += opposite(a.drop) - a.drop
		}
	}
	return r
}

// rows returns the rows of a move without that of the drop.
func (a turnedMove) rows() Rows {
	pivot := a.start
	if pivot == hand {
		pivot = a.end
	}
	image, start, end := 0, a.start, a.end
	if _, mirror := mirrored(pivot); mirror {
		image, start, end = 1, opposite(start), opposite(end)
	}
	kind := (a.height-1)*4 + a.displaced
	return Rows{image, startRows + (a.height-1)*places + start, endRows + kind*places + end, -1}
}

// units has a number for each unit, in units of 1/[NetworkUnit].
type units = [Units]int16

// Quantisation and bounds of the network's weights: sums of rows stay within 16 bits, outputs within 32.
const (
	NetworkUnit = 64   // a weight of the network of 1
	MaxRow      = 500  // bound of the size of a weight that is added up
	MaxOut      = 2000 // bound of the size of a weight of an activation

	_ = uint(1<<15 - 1 - MaxRow*(inputs.MaxActive+4))
	_ = uint(1<<31 - 1 - Units*MaxOut*MaxRow*(inputs.MaxActive+4))
)

// units returns a row of the network.
func (w *Weights) units(row int) *units { return (*units)(w[Row(row):]) }

// HasNetwork reports whether the policy has a network.
func (w *Weights) HasNetwork() bool { return *w.units(OutRow) != (units{}) }

// network scores moves by the network of a policy.
type network struct {
	on     bool                    // the weights have a network
	sums   [2]units                // of the position and of its mirror image
	inputs inputs.List             // of the position
	drops  [rules.NumSquares]int32 // outputs by drop, of the last start and end
	image  int                     // of the drops: 1: they are mirrored
}

// begin computes the sums of a position, of which the opponent controls opp.
func (n *network) begin(w *Weights, r *rules.Rules, p rules.Position, opp *rules.Control) {
	if n.on = w.HasNetwork(); !n.on {
		return
	}
	own := r.Control(p, p.Side())
	n.inputs.Extract(p, &own, opp)
	n.sums = [2]units{*w.units(BiasRow), *w.units(BiasRow)}
	addRows(&n.sums[0], w[Row(0):], n.inputs.Active())
	n.inputs.Mirror()
	addRows(&n.sums[1], w[Row(0):], n.inputs.Active())
}

// startEnd computes the outputs for the moves with a start and an end by their drops. It returns the score of the only
// move if nothing is displaced, else 0.
func (n *network) startEnd(w *Weights, a turnedMove) int32 {
	if !n.on {
		return 0
	}
	r := a.rows()
	n.image = r.Image
	x := &n.sums[r.Image]
	var sum units
	start, end := w.units(r.Start), w.units(r.End)
	for k := range sum {
		sum[k] = x[k] + start[k] + end[k]
	}
	if a.displaced > 0 {
		scoreRows(&sum, w[Row(dropRows+(a.displaced-1)*rules.NumSquares):], w.units(OutRow), n.drops[:])
		return 0
	}
	var none units
	scoreRows(&sum, none[:], w.units(OutRow), n.drops[:1])
	return score(n.drops[0])
}

// drop returns what the drop adds to the score of a move with the last start and end.
func (n *network) drop(place int) int32 {
	switch {
	case !n.on:
		return 0
	case n.image == 1:
		place = opposite(place)
	}
	return score(n.drops[place])
}

// score returns an output of the network in units of 1/[Unit].
func score(output int32) int32 { return output / (NetworkUnit * NetworkUnit / Unit) }

// addRows adds the listed rows to x.
func addRows(x *units, rows []int16, list []uint16) {
	if vectors && len(list) > 0 {
		addRowsAVX2(x, &rows[0], &list[0], len(list))
		return
	}
	addRowsPlain(x, rows, list)
}

func addRowsPlain(x *units, rows []int16, list []uint16) {
	for _, i := range list {
		for k, w := range rows[int(i)*Units:][:Units] {
			x[k] += w
		}
	}
}

// scoreRows sets each output to that for x with one of the rows.
func scoreRows(x *units, rows []int16, out *units, outputs []int32) {
	if vectors {
		scoreRowsAVX2(x, &rows[0], out, &outputs[0], len(outputs))
		return
	}
	scoreRowsPlain(x, rows, out, outputs)
}

func scoreRowsPlain(x *units, rows []int16, out *units, outputs []int32) {
	for i := range outputs {
		row, sum := rows[i*Units:][:Units], int32(0)
		for k, w := range out {
			sum += int32(w) * int32(max(x[k]+row[k], 0))
		}
		outputs[i] = sum
	}
}
