//go:build !amd64

package texel

// vectors reports whether there is code for the processor's vector instructions.
const vectors = false

func sumRowsAVX2(_, _ *float32, _ *uint16, _, _ int) {}

func addToRowsAVX2(_, _ *float32, _ *uint16, _, _ int) {}

func outputAVX2(_, _, _ *float32, _ int, _ *[outputSums]float32) {}

func outputGradientAVX2(_, _, _, _, _ *float32, _ int, _ float32) {}

func adamAVX2(_, _, _, _ *float32, _ *[batchParts]*float32, _ int, _, _, _, _, _, _ float32) {}
