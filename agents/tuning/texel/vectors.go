package texel

import "gyges/agents/eval/inputs"

// The functions of this file take most of the time of a fit. Each is here for every machine and in assembly for
// vectors, with the same result but for how a compiler may round.

// mirrors is a buffer for the inputs of the mirror image of a position.
type mirrors [inputs.Num]uint16

// of returns the inputs of the mirror image of a position with the inputs on.
func (m *mirrors) of(on []uint16) []uint16 {
	list := m[:len(on)]
	for i, input := range on {
		list[i] = inputs.Mirrored[input]
	}
	return list
}

// sumRows adds the rows of inputs, in their order, to x.
func (m *model) sumRows(x *units, on []uint16) {
	if vectors && len(on) > 0 {
		sumRowsAVX2(&x[0], &m.x[m.features], &on[0], len(on), hidden)
		return
	}
	for _, input := range on {
		for k, w1 := range m.row(int(input)) {
			x[k] += w1
		}
	}
}

// addToRows adds x to the rows of inputs.
func (m *model) addToRows(x *units, on []uint16) {
	if vectors && len(on) > 0 {
		addToRowsAVX2(&x[0], &m.x[m.features], &on[0], len(on), hidden)
		return
	}
	for _, input := range on {
		row := m.row(int(input))
		for k := range x {
			row[k] += x[k]
		}
	}
}

// outputSums is the number of partial sums of an output: as many as a vector has.
const outputSums = 8

// output returns the output of a network with the pre-activations s.
func output(s *sums, w2 *units) float32 {
	var p [outputSums]float32
	if vectors {
		outputAVX2(&s[0][0], &s[1][0], &w2[0], hidden, &p)
	} else {
		for k, w := range w2 {
			p[k%outputSums] += w * (clippedReLU(s[0][k]) + clippedReLU(s[1][k]))
		}
	}
	return (p[0] + p[1]) + (p[2] + p[3]) + ((p[4] + p[5]) + (p[6] + p[7]))
}

func clippedReLU(x float32) float32 { return min(max(x, 0), 1) }

// outputGradient adds residual times the gradient of the output by the biases and the weights of the output to theirs,
// and replaces the pre-activations by the gradient with respect to them.
func outputGradient(s *sums, w2, gradBias, gradOut *units, residual float32) {
	if vectors {
		outputGradientAVX2(&s[0][0], &s[1][0], &w2[0], &gradBias[0], &gradOut[0], hidden, residual)
		return
	}
	for k, w := range w2 {
		gradOut[k] += residual * (clippedReLU(s[0][k]) + clippedReLU(s[1][k]))
		s[0][k], s[1][k] = residual*w*clippedReLUSlope(s[0][k]), residual*w*clippedReLUSlope(s[1][k])
		gradBias[k] += s[0][k] + s[1][k]
	}
}

// clippedReLUSlope returns the derivative of clippedReLU.
func clippedReLUSlope(x float32) float32 {
	if 0 < x && x < 1 {
		return 1
	}
	return 0
}

// updateNetwork updates the network's weights from first to last-1, and clears their gradients.
func (a *adam) updateNetwork(first, last int, beta1, beta2, rate, correction float32) {
	if !vectors {
		for j := first; j < last; j++ {
			a.updateWeight(j, beta1, beta2, rate, correction)
		}
		return
	}
	var gradients [batchParts]*float32
	for k := range gradients {
		gradients[k] = &a.parts[k].gradient.x[first]
	}
	adamAVX2(&a.x[first], &a.mean[first], &a.square[first], &a.bound[first], &gradients, last-first,
		a.shrink, 1-beta1, 1-beta2, rate, correction, epsilon)
}
