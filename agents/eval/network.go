package eval

// The network of the evaluation.

import (
	"errors"
	"math"
	"slices"

	"gyges/agents/eval/inputs"
	"gyges/agents/internal/vector"
	"gyges/agents/policy"
)

// HiddenUnits is the number of hidden units. Each is computed twice: for the position
// and for its mirror image, so that the network is symmetric.
const HiddenUnits = 256

// Network is a network with one hidden layer of clipped ReLUs, quantised to whole
// numbers, so that its output is the same on every machine. A unit's activation is
//
//	min(max(B1 + Σ W1 of the inputs that are on, 0), QA)
//
// and the output, in hundredths of a point for the side to move, is the sum of W2 ×
// activation over the units and their mirror images, divided by QA × QB.
type Network struct {
	B1 [HiddenUnits]int16
	W1 [inputs.Num][HiddenUnits]int16
	W2 [HiddenUnits]int16
}

// Live marks the units with weights of an input and of the output: the others add the same to each
// evaluation.
func (n *Network) Live() (live [HiddenUnits]bool) {
	for i := range n.W1 {
		for k, w := range n.W1[i] {
			if w != 0 && n.W2[k] != 0 {
				live[k] = true
			}
		}
	}
	return live
}

// LiveUnits returns how many units are live.
func (n *Network) LiveUnits() (count int) {
	for _, live := range n.Live() {
		if live {
			count++
		}
	}
	return count
}

// folded returns the units that add something to some evaluation, at least one.
func (n *Network) folded() (list []int) {
	for k, live := range n.Live() {
		constant := n.B1[k] > 0 && n.W2[k] != 0
		if live || constant {
			list = append(list, k)
		}
	}
	if list == nil {
		return []int{0}
	}
	return list
}

// Quantisation and bounds of the weights.
const (
	QA    = 256  // scale of activations: the highest one
	QB    = 16   // scale of W2: its size for a hundredth of a point
	MaxW1 = 600  // bound of the size of W1
	MaxB1 = 1500 // bound of the size of B1
)

// packed is a network in the layout that is computed with: rows for the units and then for their
// mirror images, without the last units if those add nothing.
type packed struct {
	rows      *vector.Rows
	bias, out []int16
}

const (
	imageUnits = 2 * HiddenUnits
	unitBlock  = 16 // the units of an image in a row are a multiple of it

	// Sums stay within 16 bits.
	_ = uint(math.MaxInt16 - MaxB1 - inputs.MaxActive*MaxW1)
)

func (n *Network) pack() *packed {
	used := n.folded()
	last := used[len(used)-1]
	units := (last/unitBlock + 1) * unitBlock
	var rows []int16
	for i := range n.W1 {
		rows = append(rows, n.W1[i][:units]...)
		rows = append(rows, n.W1[inputs.Mirrored[i]][:units]...)
	}
	return &packed{
		rows: vector.NewRows(rows, 2*units),
		bias: slices.Repeat(n.B1[:units], 2),
		out:  slices.Repeat(n.W2[:units], 2),
	}
}

// value returns the network's output times QA × QB.
func (w *packed) value(in *inputs.List) int32 {
	var (
		all    [imageUnits]int16
		output [1]int32
	)
	sums := all[:len(w.bias)]
	w.rows.Add(sums, in.Active())
	vector.Outputs(output[:], sums, w.bias, w.out, QA)
	return output[0]
}

func (n *Network) check() error {
	var errs []error
	for i, name := range inputs.Names {
		errs = append(errs, policy.CheckBounds("network: input "+name, n.W1[i][:], MaxW1))
	}
	errs = append(errs, policy.CheckBounds("network: bias", n.B1[:], MaxB1))
	return errors.Join(errs...)
}
