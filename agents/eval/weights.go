package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"gyges/agents/policy"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/strictjson"
	"gyges/rules/base/suggest"
)

// The families of rules: each has weights of its own.
const (
	Standard   = "standard"   // pieces are displaced
	Simplified = "simplified" // they are not
	Kang       = "kang"       // pieces enter from the hand
)

// Family returns the family that a rule set belongs to.
func Family(r *rules.Rules) string {
	switch o := r.Options(); {
	case o.Kang:
		return Kang
	case !o.Relocation:
		return Simplified
	default:
		return Standard
	}
}

// Weights are the weights of an evaluation.
type Weights struct {
	Rules      string               // the family of rules they are for
	Values     [NumFeatures]float64 // hundredths of a point per unit of the feature, within ±MaxWeight
	Network    *Network             // nil: none
	Policy     *policy.Weights      // of the order of moves; nil: none
	Provenance Provenance
	Source     string // the file they were read from, for messages; may be empty
}

// Provenance is the origin of weights.
type Provenance struct {
	Method string `json:"method"` // "hand-set", or the tuning method
	Run    string `json:"run"`    // the run that they come from; empty for none
	Parent string `json:"parent"` // the weights that tuning started from; empty for none
	Seed   uint64 `json:"seed"`   // the run's seed

	// Data describes what they were tuned on: positions or games, how many, and where from.
	Data string `json:"data,omitempty"`
	// Version is the version of the program that tuned them.
	Version string `json:"version,omitempty"`
	// Gain is the measured improvement over the parent; nil: not measured.
	Gain *Gain `json:"gain,omitempty"`
}

// Gain is a measured difference between weights and their parent.
type Gain struct {
	Measure string  `json:"measure"` // what was measured: "test loss", "Elo"
	Value   float64 `json:"value"`   // how much better; above 0 is better, for a loss too
	Margin  float64 `json:"margin"`  // half of the 95 % interval; 0 if it is not known
	Count   int64   `json:"count"`   // positions or games that it was measured on
}

// MaxWeight bounds the size of a weight.
const MaxWeight = 10000

const (
	version = 1       // of the file format
	maxFile = 1 << 19 // bytes of a weights file
)

// label names the weights in messages.
func (w *Weights) label() string { return strings.TrimSpace("weights " + w.Source) }

// labelled puts the label before each of the errors joined in err.
func (w *Weights) labelled(err error) error {
	errs := problems.Split(err)
	for i, e := range errs {
		errs[i] = fmt.Errorf("%s: %w", w.label(), e)
	}
	return errors.Join(errs...)
}

// check returns an error that names the weights that are out of bounds.
func (w *Weights) check() error {
	var errs []error
	for i, x := range w.Values {
		if !(math.Abs(x) <= MaxWeight) { // true for NaN too
			errs = append(errs, fmt.Errorf("feature %s: expected a weight from %d to %d, found %g",
				names[i], -MaxWeight, MaxWeight, x))
		}
	}
	if w.Network != nil {
		errs = append(errs, w.Network.check())
	}
	if w.Policy != nil {
		errs = append(errs, w.Policy.Check())
	}
	return errors.Join(errs...)
}

// Equal reports whether w and v have the same weights.
func (w *Weights) Equal(v *Weights) bool {
	return w.Rules == v.Rules && w.Values == v.Values && same(w.Network, v.Network) && same(w.Policy, v.Policy)
}

// same reports whether both have the same content, or are nil.
func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// weightsFile is a weights file as JSON.
type weightsFile struct {
	Version    *int            `json:"version"`
	Rules      string          `json:"rules"`
	Weights    json.RawMessage `json:"weights"` // by feature
	Network    json.RawMessage `json:"network"` // a networkFile; may be missing
	Policy     json.RawMessage `json:"policy"`  // lists of weights by table; may be missing
	Provenance *Provenance     `json:"provenance"`
}

// networkFile is a network in a weights file. The weights of inputs that are left out
// are 0.
type networkFile struct {
	B1     []int16         `json:"bias"`
	W2     []int16         `json:"out"`
	Inputs json.RawMessage `json:"inputs"` // rows of W1 by input
}

// Read reads a weights file; source names it in messages. It is read strictly:
// every feature must be there once, and nothing else. The error joins what is wrong.
func Read(in io.Reader, source string) (Weights, error) {
	w := Weights{Source: source}
	return w, w.labelled(w.read(in))
}

func (w *Weights) read(in io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("expected a file of at most %d bytes", maxFile)
	}
	var f weightsFile
	if err := strictjson.Unmarshal(data, maxFile, &f); err != nil {
		return fmt.Errorf("expected a weights file: %w", err)
	}
	switch {
	case f.Version == nil:
		return fmt.Errorf(`expected "version": %d, found none`, version)
	case *f.Version != version:
		return fmt.Errorf("expected version %d, found %d", version, *f.Version)
	case f.Rules != Standard && f.Rules != Simplified && f.Rules != Kang:
		return fmt.Errorf("expected rules %s, %s or %s, found %.60q", Standard, Simplified, Kang, f.Rules)
	case f.Provenance == nil || f.Provenance.Method == "":
		return errors.New("expected a provenance with a method, found none")
	}
	w.Rules, w.Provenance = f.Rules, *f.Provenance
	read, err := readObject(f.Weights, `"weights": {feature: weight, …}`, "feature", "a number", names[:],
		func(i int, x float64) bool { w.Values[i] = x; return true })
	if err != nil {
		return err
	}
	var errs []error
	for i, ok := range read {
		if !ok {
			errs = append(errs, fmt.Errorf("feature %.60q is missing", names[i]))
		}
	}
	if f.Network != nil {
		if w.Network, err = readNetwork(f.Network); err != nil {
			errs = append(errs, fmt.Errorf("network: %w", err))
		}
	}
	if f.Policy != nil {
		if w.Policy, err = readPolicy(f.Policy); err != nil {
			errs = append(errs, fmt.Errorf("policy: %w", err))
		}
	}
	return errors.Join(append(errs, w.check())...)
}

// readPolicy reads a policy from a weights file.
func readPolicy(text json.RawMessage) (*policy.Weights, error) {
	w, names := new(policy.Weights), policy.Tables()
	const form = "as many whole numbers within ±32767 as the table has"
	given, err := readObject(text, `"policy": {table: [number, …], …}`, "table", form, names,
		func(i int, list []int16) bool {
			return copy(w.Table(i), list) == len(list) && len(list) == len(w.Table(i))
		})
	if i := slices.Index(given, false); err == nil && i >= 0 {
		err = fmt.Errorf("table %s is missing", names[i])
	}
	return w, err
}

// readNetwork reads a network from a weights file.
func readNetwork(text json.RawMessage) (*Network, error) {
	var f networkFile
	if err := strictjson.Unmarshal(text, maxFile, &f); err != nil {
		return nil, fmt.Errorf("expected bias, out and inputs: %w", err)
	}
	units := len(f.B1)
	if units < 1 || units > HiddenUnits || len(f.W2) != units {
		return nil, fmt.Errorf("expected as many numbers of bias as of out, 1 to %d, found %d and %d",
			HiddenUnits, units, len(f.W2))
	}
	n := &Network{}
	copy(n.B1[:], f.B1)
	copy(n.W2[:], f.W2)
	form := fmt.Sprintf("%d whole numbers within ±32767", units)
	_, err := readObject(f.Inputs, `"inputs": {input: [number, …], …}`, "input", form, inputNames[:],
		func(i int, row []int16) bool { return copy(n.W1[i][:], row) == len(row) && len(row) == units })
	return n, err
}

// readObject reads a JSON object with values by name, and returns which of the names
// were given. It calls set with the index of each name, which reports whether it accepts
// the value. Errors call the object form, a name what, and describe a value as expected.
func readObject[T any](
	object json.RawMessage, form, what, expected string, names []string, set func(i int, value T) bool,
) (given []bool, err error) {
	var values map[string]json.RawMessage
	if err := strictjson.Unmarshal(object, maxFile, &values); err != nil || values == nil {
		return nil, fmt.Errorf("expected %s", form)
	}
	given = make([]bool, len(names))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, errors.New(suggest.Unknown(what, name, names[:min(len(names), NumFeatures)]))
		}
		var value *T
		if err := json.Unmarshal(values[name], &value); err != nil || value == nil || !set(i, *value) {
			return nil, fmt.Errorf("%s %s: expected %s", what, name, expected)
		}
		given[i] = true
	}
	return given, nil
}

// Write writes a weights file that [Read] reads. It returns an error if the
// weights are not such as a file may hold.
func (w *Weights) Write(out io.Writer) error {
	provenance, err := json.Marshal(w.Provenance)
	if err = errors.Join(err, w.labelled(w.check())); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"version\": %d,\n  \"rules\": %q,\n  \"provenance\": %s,\n  \"weights\": {\n",
		version, w.Rules, provenance)
	writeEntries(&b, "    ", names[:], func(i int) (any, bool) { return w.Values[i], true })
	b.WriteString("\n  }")
	if n := w.Network; n != nil {
		fmt.Fprintf(&b, ",\n  \"network\": {\n    \"bias\": %s,\n    \"out\": %s,\n    \"inputs\": {\n",
			jsonText(n.B1), jsonText(n.W2))
		writeEntries(&b, "      ", inputNames[:], func(i int) (any, bool) {
			return n.W1[i], n.W1[i] != [HiddenUnits]int16{}
		})
		b.WriteString("\n    }\n  }")
	}
	if w.Policy != nil {
		b.WriteString(",\n  \"policy\": {\n")
		writeEntries(&b, "    ", policy.Tables(), func(i int) (any, bool) { return w.Policy.Table(i), true })
		b.WriteString("\n  }")
	}
	b.WriteString("\n}\n")
	if _, err := Read(bytes.NewReader(b.Bytes()), w.Source); err != nil {
		return err // it could not be read again
	}
	_, err = out.Write(b.Bytes())
	return err
}

// writeEntries writes the entries of a JSON object, one a line, but for those of which
// value returns false.
func writeEntries(b *bytes.Buffer, indent string, names []string, value func(i int) (any, bool)) {
	separator := ""
	for i, name := range names {
		if v, ok := value(i); ok {
			fmt.Fprintf(b, "%s%s%q: %s", separator, indent, name, jsonText(v))
			separator = ",\n"
		}
	}
}

// jsonText returns a number or a list of numbers as JSON.
func jsonText(v any) []byte { text, _ := json.Marshal(v); return text }
