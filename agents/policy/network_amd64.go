package policy

import "golang.org/x/sys/cpu"

// vectors reports whether the processor has the instructions of the code for vectors.
var vectors = cpu.X86.HasAVX2

// The code for vectors is for this number of units.
const _ = uint(Units-32) + uint(32-Units)

// addRowsAVX2 is addRows for n rows.
//
//go:noescape
func addRowsAVX2(x *units, rows *int16, list *uint16, n int)

// scoreRowsAVX2 is scoreRows for n rows.
//
//go:noescape
func scoreRowsAVX2(x *units, rows *int16, out *units, outputs *int32, n int)
