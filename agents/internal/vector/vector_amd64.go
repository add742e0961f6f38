package vector

import "golang.org/x/sys/cpu"

// AVX2 reports whether the processor has the instructions of the assembly.
var AVX2 = cpu.X86.HasAVX2

//go:noescape
func addRowsAVX2(x, table *int16, list *uint16, length, n int)

//go:noescape
func outputsAVX2(outputs *int32, x, rows, weights *int16, length, n int, ceiling int16)

//go:noescape
func addFloatRowsAVX2(x, table *float32, list *uint16, length, n int)

//go:noescape
func addToRowsAVX2(x, table *float32, list *uint16, length, n int)

//go:noescape
func outputAVX2(s0, s1, weights *float32, n int, sums *[partialSums]float32)

//go:noescape
func outputGradientAVX2(s0, s1, weights, gradBias, gradWeights *float32, n int, residual float32)

//go:noescape
func adamAVX2(a *Adam, first, n int)
