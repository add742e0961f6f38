package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gyges/agents/eval/inputs"
	"gyges/agents/policy"
	"gyges/rules"
	"gyges/rules/base/lists"
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
	Rules string // the family of rules they are for

	// WinScale is how many hundredths of a point make the odds of winning e times as high; 0: it has not been fitted. That
	// of the embedded weights is the maximum likelihood fit of results by the movers' unproven scores in some 250 games
	// under each of standard, simplified and kang between copies of alphabeta:nodes=20000, from random set-ups with two or
	// three random plies. Without any tenth of the games the fits give 56 to 63, 93 to 118, and 121 to 149.
	WinScale float64

	Values     Vector          // hundredths of a point per unit of the feature, within ±MaxWeight
	Network    *Network        // nil: none
	Policy     *policy.Weights // of the order of moves; nil: none
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
	Measure string  `json:"measure"`       // what was measured: "test loss", "Elo"
	Value   float64 `json:"value"`         // how much better; above 0 is better, for a loss too
	Margin  float64 `json:"margin"`        // half of the 95 % interval; 0 if it is not known
	Count   int64   `json:"count"`         // test positions or games that it was measured on
	All     int64   `json:"all,omitempty"` // positions of which Count are the test positions; 0: unknown, or games
}

// MaxWeight bounds the size of a weight.
const MaxWeight = 10000

const (
	version = 1       // of the file format
	maxFile = 1 << 21 // bytes of a weights file
)

func (w *Weights) label() string { return strings.TrimSpace("weights " + w.Source) }

func (w *Weights) labelled(err error) error { return problems.Prefix(w.label(), err) }

func (w *Weights) suit(r *rules.Rules) error {
	if f := Family(r); w.Rules != f {
		return fmt.Errorf("%s are for %s rules; %s needs weights for %s rules", w.label(), w.Rules, r, f)
	}
	return nil
}

// Feature returns the weight of a feature by its name, nil if there is none.
func (w *Weights) Feature(name string) *float64 {
	if i := slices.Index(names, name); i >= 0 {
		return &w.Values[i]
	}
	return nil
}

func (w *Weights) check() error {
	var errs []error
	for i, x := range w.Values[:len(names)] {
		errs = append(errs, problems.Prefix("feature "+names[i], checkWeight(x)))
	}
	if !(w.WinScale >= 0 && w.WinScale <= MaxWeight) {
		errs = append(errs, fmt.Errorf("win_scale: expected a number from 0 to %d, found %g", MaxWeight, w.WinScale))
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
	return w.Rules == v.Rules && w.Values == v.Values && reflect.DeepEqual(w.Network, v.Network) &&
		reflect.DeepEqual(w.Policy, v.Policy)
}

type networkFile struct {
	B1     []int16            `json:"bias"`
	W2     []int16            `json:"out"`
	Inputs map[string][]int16 `json:"inputs"` // rows of W1 by input; 0 for those that are missing
}

// Read reads a weights file, of which rules and weights suffice; source names it in messages. It is read strictly:
// nothing may be given twice, or that is unknown. The error joins all that is wrong, with lines.
func Read(in io.Reader, source string) (Weights, error) {
	w := Weights{Source: source}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	var file map[string]json.RawMessage
	if err = cmp.Or(err, strictjson.Unmarshal(data, maxFile, &file)); err != nil {
		if fe, ok := errors.AsType[*problems.FieldError](err); ok { // given twice
			line := strictjson.Line(data, jsontext.Pointer("/"+strings.ReplaceAll(fe.Field, ".", "/")))
			return w, fmt.Errorf("%s:%d: %w", w.label(), line, err)
		}
		return w, w.labelled(err)
	}
	var wrong []error
	// add adds errors of a field, or of the fields in it that they name.
	add := func(key, what string, err error) {
		for _, err := range problems.Split(err) {
			at := jsontext.Pointer("").AppendToken(key)
			if fe, ok := errors.AsType[*problems.FieldError](err); ok {
				at, err = at.AppendToken(fe.Field), fe.Err
			}
			wrong = append(wrong, fmt.Errorf("%s:%d: %s%w", w.label(), strictjson.Line(data, at), what, err))
		}
	}
	w.read(file, add)
	if len(wrong) == 0 {
		return w, w.labelled(w.check())
	}
	return w, errors.Join(wrong...)
}

func (w *Weights) read(file map[string]json.RawMessage, add func(key, what string, err error)) {
	number, weights := version, map[string]json.RawMessage{}
	var net *networkFile
	var tables map[string][]int16
	fields := map[string]any{
		"version": &number, "rules": &w.Rules, "win_scale": &w.WinScale, "weights": &weights, "network": &net,
		"policy": &tables, "provenance": &w.Provenance,
	}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		if fields[key] == nil {
			add(key, "", errors.New(suggest.Unknown("key", key, slices.Sorted(maps.Keys(fields)))))
		} else if err := strictjson.Unmarshal(file[key], maxFile, fields[key]); err != nil {
			add(key, key+": ", errors.New(err.Error())) // with the field in it
			net, tables = nil, nil
		}
	}
	if number != version {
		add("version", "", fmt.Errorf("expected version %d, found %d", version, number))
	}
	if w.Rules != Standard && w.Rules != Simplified && w.Rules != Kang {
		add("rules", "", fmt.Errorf("expected rules %s, %s or %s, found %.60q", Standard, Simplified, Kang, w.Rules))
	}
	if file["weights"] == nil {
		add("weights", "", errors.New(`expected "weights": {feature: weight, …}`))
	}
	w.Provenance.Method = cmp.Or(w.Provenance.Method, "hand-set")
	add("weights", "", byName("feature", names, weights, func(i int, text json.RawMessage) error {
		if err := strictjson.Unmarshal(text, maxFile, &w.Values[i]); err != nil {
			return err
		}
		return checkWeight(w.Values[i])
	}))
	var err error
	if net != nil {
		w.Network, err = net.network()
		add("network", "network: ", err)
	}
	if tables != nil {
		w.Policy, err = readPolicy(tables)
		add("policy", "policy: ", err)
	}
}

func checkWeight(x float64) error {
	if !(math.Abs(x) <= MaxWeight) { // true for NaN too
		return fmt.Errorf("expected a weight from %d to %d, found %g", -MaxWeight, MaxWeight, x)
	}
	return nil
}

// byName calls set with the values of an object and the places of their names in a list. The error joins a
// [problems.FieldError] for each name that is not in the list, called what, and for those of set.
func byName[T any](what string, names []string, values map[string]T, set func(i int, value T) error) error {
	var p problems.List
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if i := slices.Index(names, name); i < 0 {
			p.Add(name, errors.New(suggest.Unknown(what, name, names)))
		} else if err := set(i, values[name]); err != nil {
			p.Add(name, fmt.Errorf("%s %s: %w", what, name, err))
		}
	}
	return p.Err()
}

func fill(to, list []int16) error {
	if len(list) != len(to) {
		return fmt.Errorf("expected %d numbers, found %d", len(to), len(list))
	}
	copy(to, list)
	return nil
}

// readPolicy returns a policy from its tables, none of which may be missing but those of the network, all of them.
func readPolicy(tables map[string][]int16) (*policy.Weights, error) {
	w, names := new(policy.Weights), policy.Tables()
	errs := []error{byName("table", names, tables, func(i int, list []int16) error { return fill(w.Table(i), list) })}
	hasNetwork := slices.ContainsFunc(slices.Collect(maps.Keys(tables)), policy.OfNetwork)
	for _, name := range names {
		if tables[name] == nil && (hasNetwork || !policy.OfNetwork(name)) {
			errs = append(errs, fmt.Errorf("table %s is missing", name))
		}
	}
	return w, errors.Join(errs...)
}

// network returns the network of a weights file, which may have fewer units than HiddenUnits.
func (f *networkFile) network() (*Network, error) {
	units := len(f.B1)
	if units < 1 || units > HiddenUnits || len(f.W2) != units {
		return nil, fmt.Errorf("expected as many numbers of bias as of out, 1 to %d, found %d and %d",
			HiddenUnits, units, len(f.W2))
	}
	n := &Network{}
	copy(n.B1[:], f.B1)
	copy(n.W2[:], f.W2)
	return n, byName("input", inputs.Names[:], f.Inputs, func(i int, row []int16) error {
		return fill(n.W1[i][:units], row)
	})
}

// Write writes a weights file that [Read] reads, but for units of the network that never add anything. It returns an
// error if the weights are not such as a file may hold.
func (w *Weights) Write(out io.Writer) error {
	provenance, err := json.Marshal(w.Provenance)
	if err = errors.Join(err, w.labelled(w.check())); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"version\": %d,\n  \"rules\": %q,\n", version, w.Rules)
	if w.WinScale != 0 {
		fmt.Fprintf(&b, "  \"win_scale\": %s,\n", jsonText(w.WinScale))
	}
	fmt.Fprintf(&b, "  \"provenance\": %s,\n  \"weights\": {\n", provenance)
	writeEntries(&b, "    ", names, func(i int) (any, bool) { return w.Values[i], true })
	b.WriteString("\n  }")
	if n := w.Network; n != nil {
		units := n.folded()
		of := func(row *[HiddenUnits]int16) []int16 {
			return lists.Map(units, func(k int) int16 { return row[k] })
		}
		fmt.Fprintf(&b, ",\n  \"network\": {\n    \"bias\": %s,\n    \"out\": %s,\n    \"inputs\": {\n",
			jsonText(of(&n.B1)), jsonText(of(&n.W2)))
		writeEntries(&b, "      ", inputs.Names[:], func(i int) (any, bool) {
			row := of(&n.W1[i])
			return row, slices.ContainsFunc(row, func(x int16) bool { return x != 0 })
		})
		b.WriteString("\n    }\n  }")
	}
	if w.Policy != nil {
		b.WriteString(",\n  \"policy\": {\n")
		tables := policy.Tables()
		writeEntries(&b, "    ", tables, func(i int) (any, bool) {
			return w.Policy.Table(i), w.Policy.HasNetwork() || !policy.OfNetwork(tables[i])
		})
		b.WriteString("\n  }")
	}
	b.WriteString("\n}\n")
	if _, err := Read(bytes.NewReader(b.Bytes()), w.Source); err != nil {
		return err // it could not be read again
	}
	_, err = out.Write(b.Bytes())
	return err
}

// writeEntries writes the entries of a JSON object, one a line, but for those of which value returns false.
func writeEntries(b *bytes.Buffer, indent string, names []string, value func(i int) (any, bool)) {
	separator := ""
	for i, name := range names {
		if v, ok := value(i); ok {
			fmt.Fprintf(b, "%s%s%q: %s", separator, indent, name, jsonText(v))
			separator = ",\n"
		}
	}
}

func jsonText(v any) []byte { text, _ := json.Marshal(v); return text }
