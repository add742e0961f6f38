//go:build !amd64

package eval

// vectors reports whether there is code for the processor's vector instructions.
const vectors = false

func (w *packed) valueVectors(in *Inputs) int32 { return w.valueWords(in) }
