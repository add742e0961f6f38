//go:build !amd64

package vector

// AVX2 reports whether there is assembly for the processor.
const AVX2 = false

func addRowsAVX2(_, _ *int16, _ *uint16, _, _ int) {}

func outputsAVX2(_ *int32, _, _, _ *int16, _, _ int, _ int16) {}

func addFloatRowsAVX2(_, _ *float32, _ *uint16, _, _ int) {}

func addToRowsAVX2(_, _ *float32, _ *uint16, _, _ int) {}

func outputAVX2(_, _, _ *float32, _ int, _ *[partialSums]float32) {}

func outputGradientAVX2(_, _, _, _, _ *float32, _ int, _ float32) {}

func adamAVX2(*Adam, int, int) {}
