package eval

import "golang.org/x/sys/cpu"

// The code for vectors is for this number of units.
const _ = uint(HiddenUnits-256) + uint(256-HiddenUnits)

// vectors reports whether the processor has the instructions of valueAVX2.
var vectors = cpu.X86.HasAVX2

// valueVectors is value by vectors of 16 lanes.
func (w *packed) valueVectors(in *Inputs) int32 {
	return valueAVX2(&w.rows, &w.bias, &w.out, &in.list, in.n)
}

// valueAVX2 returns the value of a packed network for the first n inputs of the list.
//
//go:noescape
func valueAVX2(
	rows *[NumInputs][2][words]uint64, bias *[words]uint64, out *[HiddenUnits]int16, list *[maxActive]uint16, n int,
) int32
