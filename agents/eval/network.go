package eval

import (
	"errors"

	"gyges/agents/eval/inputs"
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

// Live marks the units that have an input and an output that are not all zero: the others add the same to each
// evaluation.
func (n *Network) Live() (live [HiddenUnits]bool) {
	for i := range n.W1 {
		for k, w := range n.W1[i] {
			live[k] = live[k] || w != 0 && n.W2[k] != 0
		}
	}
	return live
}

// LiveUnits returns how many units are live.
func (n *Network) LiveUnits() int {
	count := 0
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
		if live || n.B1[k] > 0 && n.W2[k] != 0 {
			list = append(list, k)
		}
	}
	if list == nil {
		list = []int{0}
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

// Lanes of 16 bits hold sums of numbers offset by MaxW1, and a bias by MaxB1, so that
// none is negative and no sum overflows into the next lane.
const (
	lanes = 4                   // in a word
	words = HiddenUnits / lanes // of a row
	_     = uint16(2*MaxB1 + inputs.MaxActive*2*MaxW1)
)

// packed is a network in the layout that is computed with: for each input two rows of
// words with four lanes each, for the units and for their mirror images.
type packed struct {
	rows [inputs.Num][2][words]uint64
	bias [words]uint64
	out  [HiddenUnits]int16
}

// pack returns the network in packed form.
func (n *Network) pack() *packed {
	w := &packed{out: n.W2}
	for k := range HiddenUnits {
		word, shift := k/lanes, k%lanes*16
		w.bias[word] |= uint64(int(n.B1[k])+MaxB1) << shift
		for i := range inputs.Num {
			w.rows[i][0][word] |= uint64(int(n.W1[i][k])+MaxW1) << shift
			w.rows[i][1][word] |= uint64(int(n.W1[inputs.Mirrored[i]][k])+MaxW1) << shift
		}
	}
	return w
}

// value returns the network's output times QA × QB.
func (w *packed) value(in *inputs.List) int32 {
	if vectors {
		return w.valueVectors(in)
	}
	return w.valueWords(in)
}

// valueWords is value on every machine: a word is four lanes. Eight words of the units
// or of their mirror images are summed up at a time, as eight stay in registers.
func (w *packed) valueWords(in *inputs.List) int32 {
	var sum int32
	offset := int32(MaxB1 + len(in.Active())*MaxW1)
	for half := range w.rows[0] {
		for first := 0; first < words; first += 8 {
			b := w.bias[first:][:8]
			a0, a1, a2, a3, a4, a5, a6, a7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
			for _, i := range in.Active() {
				row := w.rows[i][half][first:][:8]
				a0 += row[0]
				a1 += row[1]
				a2 += row[2]
				a3 += row[3]
				a4 += row[4]
				a5 += row[5]
				a6 += row[6]
				a7 += row[7]
			}
			for k, word := range [8]uint64{a0, a1, a2, a3, a4, a5, a6, a7} {
				out := w.out[(first+k)*lanes:][:lanes]
				sum += int32(out[0]) * clippedReLU(word, offset)
				sum += int32(out[1]) * clippedReLU(word>>16, offset)
				sum += int32(out[2]) * clippedReLU(word>>32, offset)
				sum += int32(out[3]) * clippedReLU(word>>48, offset)
			}
		}
	}
	return sum
}

// clippedReLU returns the activation of the unit in the lowest lane of word.
func clippedReLU(word uint64, offset int32) int32 {
	return min(max(int32(uint16(word))-offset, 0), QA)
}

// check returns an error that names what has numbers out of bounds.
func (n *Network) check() error {
	var errs []error
	for i := range n.W1 {
		errs = append(errs, policy.CheckBounds("network: input "+inputs.Names[i], n.W1[i][:], MaxW1))
	}
	return errors.Join(append(errs, policy.CheckBounds("network: bias", n.B1[:], MaxB1))...)
}
