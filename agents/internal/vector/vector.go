// Package vector has the arithmetic of the networks of the evaluation and of the policy on rows of
// numbers: whole numbers, with which they are computed, and floating-point numbers, with which
// they are trained. Most of the time of an evaluation and of a fit passes here, so that the loops
// are written for speed. Each function is here for every machine and in assembly for AVX2, with
// the same result to the bit, but for how a compiler may round floating-point numbers. Rows are
// multiples of 32 numbers.
package vector

import "math"

// Rows is a table of rows of whole numbers that are added up.
type Rows struct {
	width   int
	numbers []int16  // for AVX2
	words   []uint64 // for other machines: four numbers each, a sum of number × 2^(16·place)
}

// NewRows returns a table of numbers, which must not change any more. Sums of rows must fit in 16
// bits.
func NewRows(numbers []int16, width int) *Rows {
	r := &Rows{width: width, numbers: numbers}
	if !AVX2 {
		r.words = make([]uint64, len(numbers)/4)
		for i, x := range numbers {
			r.words[i/4] += uint64(x) << (i % 4 * 16)
		}
	}
	return r
}

// Add adds the rows listed to x.
func (r *Rows) Add(x []int16, list []uint16) {
	if !AVX2 {
		r.addWords(x, list)
	} else if len(list) > 0 {
		addRowsAVX2(&x[0], &r.numbers[0], &list[0], len(list), r.width)
	}
}

// addWords adds up eight words at a time, as so many sums stay in registers: with an array in
// place of the variables it takes a third longer, and with single numbers three times as long.
func (r *Rows) addWords(x []int16, list []uint16) {
	words := r.width / 4
	for first := 0; first < words; first += 8 {
		var a0, a1, a2, a3, a4, a5, a6, a7 uint64
		for _, i := range list {
			row := r.words[int(i)*words+first:][:8]
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
			to := x[(first+k)*4:][:4]
			for lane := range to {
				to[lane] += int16(word)
				word = (word - uint64(int16(word))) >> 16
			}
		}
	}
}

// Outputs sets each output to the sum of weights × activations of the units. Activations are
// x plus the row of the output, from 0 to ceiling.
func Outputs(outputs []int32, x, rows, weights []int16, ceiling int16) {
	if AVX2 {
		outputsAVX2(&outputs[0], &x[0], &rows[0], &weights[0], len(outputs), len(weights), ceiling)
		return
	}
	for i := range outputs {
		row := rows[i*len(x):][:len(x)]
		sum := int32(0)
		for k, w := range weights {
			activation := min(max(x[k]+row[k], 0), ceiling)
			sum += int32(w) * int32(activation)
		}
		outputs[i] = sum
	}
}

// AddRows adds the rows of a table that are listed to x, in their order.
func AddRows(x, table []float32, list []uint16) {
	if AVX2 && len(list) > 0 {
		addFloatRowsAVX2(&x[0], &table[0], &list[0], len(list), len(x))
		return
	}
	for _, i := range list {
		for k, w := range table[int(i)*len(x):][:len(x)] {
			x[k] += w
		}
	}
}

// AddToRows adds x to the rows of a table that are listed.
func AddToRows(table, x []float32, list []uint16) {
	if AVX2 && len(list) > 0 {
		addToRowsAVX2(&x[0], &table[0], &list[0], len(list), len(x))
		return
	}
	for _, i := range list {
		row := table[int(i)*len(x):][:len(x)]
		for k := range row {
			row[k] += x[k]
		}
	}
}

// partialSums is how many numbers a vector has: as many partial sums has an output.
const partialSums = 8

// Output returns the sum of weights × activations of the units with the sums s0, and of those with
// s1. Activations are sums from 0 to 1.
func Output(s0, s1, weights []float32) float32 {
	var p [partialSums]float32
	if AVX2 {
		outputAVX2(&s0[0], &s1[0], &weights[0], len(weights), &p)
	} else {
		for k, w := range weights {
			p[k%partialSums] += w * (clipped(s0[k]) + clipped(s1[k]))
		}
	}
	// in the order in which the assembly adds them up
	low := (p[0] + p[1]) + (p[2] + p[3])
	high := (p[4] + p[5]) + (p[6] + p[7])
	return low + high
}

func clipped(x float32) float32 { return min(max(x, 0), 1) }

// OutputGradient adds residual times the gradient of the output by the biases and the weights to
// theirs, and replaces the sums by the gradient with respect to them.
func OutputGradient(s0, s1, weights, gradBias, gradWeights []float32, residual float32) {
	if AVX2 {
		outputGradientAVX2(
			&s0[0], &s1[0], &weights[0], &gradBias[0], &gradWeights[0], len(weights), residual,
		)
		return
	}
	for k, w := range weights {
		gradWeights[k] += residual * (clipped(s0[k]) + clipped(s1[k]))
		s0[k] = residual * w * slope(s0[k])
		s1[k] = residual * w * slope(s1[k])
		gradBias[k] += s0[k] + s1[k]
	}
}

// slope returns the derivative of clipped.
func slope(x float32) float32 {
	if 0 < x && x < 1 {
		return 1
	}
	return 0
}

// Parts is the number of partial sums of a gradient.
const Parts = 4

// Adam is a step of Adam for weights X: the running means of their gradients and of the squares of
// these, the bounds of their size, and the partial sums of their gradients, which are cleared.
type Adam struct {
	X, Mean, Square, Bound []float32
	Gradients              [Parts][]float32

	Shrink       float32 // share that the step takes from the weights
	Beta1, Beta2 float32 // shares of the present gradient in the running means
	Rate         float32 // what a mean is multiplied by …
	Correction   float32 // … and a square, for they begin at 0
	Epsilon      float32 // added to the root of a square, by which a step is divided
}

// Step makes the step for the weights from first to last-1.
func (a *Adam) Step(first, last int) {
	if n := (last - first) / partialSums * partialSums; AVX2 && n > 0 {
		adamAVX2(a, first, n)
		first += n
	}
	for j := first; j < last; j++ {
		a.step(j, 1)
	}
}

// StepScaled makes the step for the first weights, which are multiples of units.
func (a *Adam) StepScaled(units []float32) {
	for j, unit := range units {
		a.step(j, unit)
	}
}

func (a *Adam) step(j int, unit float32) {
	var g float32
	for _, p := range a.Gradients {
		g += p[j]
		p[j] = 0
	}
	g *= unit
	// Decay inside the gradient would move a weight without one by the full rate, as Adam divides
	// by its size: units that are idle for a while would lose all their weights. So it is apart.
	x := a.X[j] - a.Shrink*a.X[j]
	mean := a.Mean[j] + a.Beta1*(g-a.Mean[j])
	square := a.Square[j] + a.Beta2*(g*g-a.Square[j])
	a.Mean[j] = mean
	a.Square[j] = square
	root := float32(math.Sqrt(float64(square * a.Correction)))
	x -= a.Rate * unit * mean / (root + a.Epsilon)
	bound := a.Bound[j]
	a.X[j] = min(max(x, -bound), bound)
}
