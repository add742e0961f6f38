//go:build !amd64

package eval

import "gyges/agents/eval/inputs"

// vectors reports whether there is code for the processor's vector instructions.
const vectors = false

func (w *packed) valueVectors(in *inputs.List) int32 { return w.valueWords(in) }
