package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Units is how many hidden units a network has. Each is there twice: once for
// the position, once for its mirror image, so that left and right are worth the
// same.
const Units = 32

// Network adds to the sum of weighted features what a layer of hidden units
// makes of the inputs. A unit's activation is
//
//	min(max(Bias + Σ First of the inputs that are on, 0), Full)
//
// and the network's value, in hundredths of a point for the side to move, the sum
// of Out × activation over the units and their mirror images, divided by Full ×
// OutScale. All numbers are whole, so that it is the same on every machine.
type Network struct {
	Bias  [Units]int16
	First [NumInputs][Units]int16
	Out   [Units]int16
}

// Scales and bounds of a network's numbers.
const (
	Full     = 256  // the highest activation
	OutScale = 16   // of Out in a hundredth of a point
	MaxFirst = 600  // the size of a number of First
	MaxBias  = 1500 // the size of a Bias
)

// Value returns the network's value with these inputs on, in hundredths of a
// point. Evaluators compute the same faster.
func (n *Network) Value(on []uint16) float64 {
	straight, mirrored := n.Bias, n.Bias
	for _, i := range on {
		row, other := &n.First[i], &n.First[Mirrored(int(i))]
		for k := range Units {
			straight[k] += row[k]
			mirrored[k] += other[k]
		}
	}
	sum := 0
	for k, out := range n.Out {
		sum += int(out) * int(min(max(straight[k], 0), Full)+min(max(mirrored[k], 0), Full))
	}
	return float64(sum) / (Full * OutScale)
}

// Lanes of 16 bits hold sums of numbers that are raised by MaxFirst, and a bias by
// MaxBias, so that none is below 0 and no sum reaches into the next lane.
const (
	lanes = 4             // in a word
	words = Units / lanes // of a row
	_     = uint16(2*MaxBias + mostOn*2*MaxFirst)
)

// wired is a network as it is computed: for each input rows of words with four
// lanes each, one for the units and one for their mirror images.
type wired struct {
	rows [NumInputs][2][words]uint64
	bias [2][words]uint64
	out  [Units]int32
}

// wire prepares a network.
func (n *Network) wire() *wired {
	w := &wired{}
	for k := range Units {
		for half := range 2 {
			word, shift := k/lanes, k%lanes*16
			w.bias[half][word] |= uint64(int(n.Bias[k])+MaxBias) << shift
			for i := range NumInputs {
				from := i
				if half == 1 {
					from = Mirrored(i)
				}
				w.rows[i][half][word] |= uint64(int(n.First[from][k])+MaxFirst) << shift
			}
		}
		w.out[k] = int32(n.Out[k])
	}
	return w
}

// value returns the network's value times Full × OutScale. The positions' units
// and their mirror images are summed up one after the other: eight words at a
// time stay in registers.
func (w *wired) value(in *Inputs) int32 {
	var sum int32
	raised := int32(MaxBias + in.n*MaxFirst)
	for half := range w.rows[0] {
		b := &w.bias[half]
		a0, a1, a2, a3, a4, a5, a6, a7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
		for _, i := range in.All() {
			row := &w.rows[i][half]
			a0 += row[0]
			a1 += row[1]
			a2 += row[2]
			a3 += row[3]
			a4 += row[4]
			a5 += row[5]
			a6 += row[6]
			a7 += row[7]
		}
		for k, word := range [words]uint64{a0, a1, a2, a3, a4, a5, a6, a7} {
			out := w.out[k*lanes:][:lanes]
			sum += out[0] * activation(word, raised)
			sum += out[1] * activation(word>>16, raised)
			sum += out[2] * activation(word>>32, raised)
			sum += out[3] * activation(word>>48, raised)
		}
	}
	return sum
}

// activation returns that of a unit whose sum is the lowest lane of word.
func activation(word uint64, raised int32) int32 {
	return min(max(int32(uint16(word))-raised, 0), Full)
}

// check returns an error that names what is out of bounds.
func (n *Network) check() error {
	var errs []error
	for i, row := range n.First {
		for _, x := range row {
			if x < -MaxFirst || x > MaxFirst {
				errs = append(errs, fmt.Errorf("network: input %s: expected numbers from %d to %d, found %d", inputNames[i], -MaxFirst, MaxFirst, x))
			}
		}
	}
	for _, x := range n.Bias {
		if x < -MaxBias || x > MaxBias {
			errs = append(errs, fmt.Errorf("network: bias: expected numbers from %d to %d, found %d", -MaxBias, MaxBias, x))
		}
	}
	return errors.Join(errs...)
}

// networkFile is a network in a weights file. Inputs that are left out count
// nothing.
type networkFile struct {
	Bias   units           `json:"bias"`
	Out    units           `json:"out"`
	Inputs json.RawMessage `json:"inputs"`
}

// units are a number for each unit.
type units [Units]int16

// UnmarshalJSON reads exactly as many numbers as there are units.
func (u *units) UnmarshalJSON(text []byte) error {
	var list []int16
	if err := json.Unmarshal(text, &list); err != nil || len(list) != Units {
		return fmt.Errorf("expected %d whole numbers within ±32767, found %.60s", Units, text)
	}
	*u = units(list)
	return nil
}

// readNetwork reads a network from a weights file; nil if there is none.
func readNetwork(text json.RawMessage) (*Network, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var f networkFile
	if err := decode(text, &f); err != nil {
		return nil, fmt.Errorf("network: expected bias, out and inputs: %w", err)
	}
	n := &Network{Bias: f.Bias, Out: f.Out}
	index := make(map[string]int, NumInputs)
	for i, name := range inputNames {
		index[name] = i
	}
	seen := [NumInputs]bool{}
	err := eachEntry(f.Inputs, `"inputs": {input: [number, …], …}`, func(name string, d *json.Decoder) error {
		i, ok := index[name]
		if !ok {
			return fmt.Errorf("unknown input %.40q; expected one like %.60q", name, inputNames[squareInput(1, 1)])
		}
		if seen[i] {
			return fmt.Errorf("input %.60q is given twice", name)
		}
		var u units
		if err := d.Decode(&u); err != nil {
			return fmt.Errorf("input %s: %w", name, err)
		}
		n.First[i], seen[i] = u, true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	return n, n.check()
}

// eachEntry calls read for each key of a JSON object of some form, with the
// decoder before its value. It walks the tokens, for a key given twice would go
// unnoticed in a map.
func eachEntry(object json.RawMessage, form string, read func(key string, d *json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("expected %s", form)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if err := read(key.(string), d); err != nil {
			return err
		}
	}
	return nil
}

// write writes the network as a weights file holds it.
func (n *Network) write(b *bytes.Buffer) {
	b.WriteString(",\n  \"network\": {\n    \"bias\": ")
	writeUnits(b, &n.Bias)
	b.WriteString(",\n    \"out\": ")
	writeUnits(b, &n.Out)
	b.WriteString(",\n    \"inputs\": {")
	comma := ""
	for i := range n.First {
		if n.First[i] == [Units]int16{} {
			continue
		}
		fmt.Fprintf(b, "%s\n      %q: ", comma, inputNames[i])
		writeUnits(b, &n.First[i])
		comma = ","
	}
	b.WriteString("\n    }\n  }")
}

func writeUnits(b *bytes.Buffer, u *[Units]int16) {
	for k, x := range u {
		b.WriteByte("[,"[min(k, 1)])
		b.Write(strconv.AppendInt(nil, int64(x), 10))
	}
	b.WriteByte(']')
}
