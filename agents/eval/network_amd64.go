package eval

import (
	"golang.org/x/sys/cpu"

	"gyges/agents/eval/inputs"
)

// The code for vectors is for this number of units.
const _ = uint(HiddenUnits-256) + uint(256-HiddenUnits)

// vectors reports whether the processor has the instructions of valueAVX2.
var vectors = cpu.X86.HasAVX2

// valueVectors is value by vectors of 16 lanes.
func (w *packed) valueVectors(in *inputs.List) int32 {
	on := in.Active()
	return valueAVX2(&w.rows, &w.bias, &w.out, &on[0], len(on))
}

// valueAVX2 returns the value of a packed network for the first n inputs of the list.
//
//go:noescape
func valueAVX2(
	rows *[inputs.Num][2][words]uint64, bias *[words]uint64, out *[HiddenUnits]int16, list *uint16, n int,
) int32
