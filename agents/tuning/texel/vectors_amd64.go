package texel

import "golang.org/x/sys/cpu"

// vectors reports whether the processor has the instructions of the code for vectors.
var vectors = cpu.X86.HasAVX2

// The code for vectors takes 64 numbers at a time.
const _ = -uint(hidden % 64)

// sumRowsAVX2 adds the rows of a table that are listed, in their order, to x. A row has n numbers.
//
//go:noescape
func sumRowsAVX2(x, table *float32, list *uint16, length, n int)

// addToRowsAVX2 adds x to the rows of a table that are listed. A row has n numbers.
//
//go:noescape
func addToRowsAVX2(x, table *float32, list *uint16, length, n int)

// outputAVX2 is [output] for n units: the sum of every eighth one.
//
//go:noescape
func outputAVX2(s0, s1, w2 *float32, n int, sums *[outputSums]float32)

// outputGradientAVX2 is [outputGradient] for n units.
//
//go:noescape
func outputGradientAVX2(s0, s1, w2, gradBias, gradOut *float32, n int, residual float32)

// adamAVX2 is [adam.updateWeight] for n weights of the network, where beta1 and beta2 are the differences to 1.
//
//go:noescape
func adamAVX2(
	x, mean, square, bound *float32, gradients *[batchParts]*float32, n int,
	shrink, beta1, beta2, rate, correction, epsilon float32,
)
