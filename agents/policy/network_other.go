//go:build !amd64

package policy

// vectors reports whether there is code for the processor's vector instructions.
const vectors = false

func addRowsAVX2(x *units, rows *int16, list *uint16, n int) {}

func scoreRowsAVX2(x *units, rows *int16, out *units, outputs *int32, n int) {}
