package eval

// The weights of an evaluation, and the JSON files that hold them.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gyges/agents/eval/inputs"
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
	Rules string // the family of rules they are for

	// WinScale is how many hundredths of a point make the odds of winning e times as high; 0: it
	// has not been fitted. That of the embedded weights is the maximum likelihood fit of results by
	// the movers' unproven scores in some 250 games under each of standard, simplified and kang
	// between copies of alphabeta:nodes=20000, from random set-ups with two or three random plies.
	// Without any tenth of the games the fits give 56 to 63, 93 to 118, and 121 to 149. Kang's is
	// that of the weights before; of the present ones 125 games give 133 (111 to 142).
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
	if family := Family(r); w.Rules != family {
		const format = "%s are for %s rules; %s needs weights for %s rules"
		return fmt.Errorf(format, w.label(), w.Rules, r, family)
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
		const format = "win_scale: expected a number from 0 to %d, found %g"
		errs = append(errs, fmt.Errorf(format, MaxWeight, w.WinScale))
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
	if w.Rules != v.Rules || w.Values != v.Values {
		return false
	}
	return equal(w.Network, v.Network) && equal(w.Policy, v.Policy)
}

// equal reports whether both pointers are nil, or point to equal values.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

type networkFile struct {
	B1     []int16            `json:"bias"`
	W2     []int16            `json:"out"`
	Inputs map[string][]int16 `json:"inputs"` // rows of W1 by input; 0 for those that are missing
}

// Read reads a weights file, of which rules and weights suffice; source names it in messages. It is
// read strictly: nothing may be given twice, or that is unknown. The error joins all that is wrong,
// with lines.
func Read(in io.Reader, source string) (Weights, error) {
	w := Weights{Source: source}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return w, w.labelled(err)
	}
	var values map[string]jsontext.Value
	if err := strictjson.Unmarshal(data, maxFile, &values); err != nil {
		twice, ok := errors.AsType[*problems.FieldError](err)
		if !ok {
			return w, w.labelled(err)
		}
		pointer := "/" + strings.ReplaceAll(twice.Field, ".", "/")
		line := strictjson.Line(data, jsontext.Pointer(pointer))
		return w, fmt.Errorf("%s:%d: %w", w.label(), line, err)
	}
	r := reader{weights: &w, data: data, values: values}
	r.decode()
	r.check()
	if len(r.wrong) > 0 {
		return w, errors.Join(r.wrong...)
	}
	return w, w.labelled(w.check())
}

// reader reads the values of a weights file, and notes what is wrong with them.
type reader struct {
	weights *Weights
	data    []byte
	values  map[string]jsontext.Value // by their keys
	wrong   []error

	// values as they are decoded, before they are checked
	version  int
	features map[string]jsontext.Value // decoded one by one, as each may be wrong
	network  *networkFile
	tables   map[string][]int16 // of the policy
}

// add notes the errors of the value of a key, or of the fields in it that they name, with their
// lines. They begin with a text.
func (r *reader) add(key, text string, err error) {
	label := r.weights.label()
	for _, err := range problems.Split(err) {
		place := jsontext.Pointer("").AppendToken(key)
		in, ok := errors.AsType[*problems.FieldError](err)
		if ok {
			place = place.AppendToken(in.Field)
			err = in.Err
		}
		line := strictjson.Line(r.data, place)
		err = fmt.Errorf("%s:%d: %s%w", label, line, text, err)
		r.wrong = append(r.wrong, err)
	}
}

func (r *reader) decode() {
	r.version = version
	targets := map[string]any{
		"version":    &r.version,
		"rules":      &r.weights.Rules,
		"win_scale":  &r.weights.WinScale,
		"weights":    &r.features,
		"network":    &r.network,
		"policy":     &r.tables,
		"provenance": &r.weights.Provenance,
	}
	keys := slices.Sorted(maps.Keys(targets))
	for _, key := range slices.Sorted(maps.Keys(r.values)) {
		target, known := targets[key]
		if !known {
			r.add(key, "", errors.New(suggest.Unknown("key", key, keys)))
			continue
		}
		if err := strictjson.Unmarshal(r.values[key], maxFile, target); err != nil {
			r.add(key, key+": ", errors.New(err.Error())) // which names the field
			// They may be decoded in part.
			r.network = nil
			r.tables = nil
		}
	}
}

// check checks what has been decoded, and sets the weights to what is right.
func (r *reader) check() {
	w := r.weights
	if r.version != version {
		r.add("version", "", fmt.Errorf("expected version %d, found %d", version, r.version))
	}
	switch w.Rules {
	case Standard, Simplified, Kang:
	default:
		const format = "expected rules %s, %s or %s, found %.60q"
		r.add("rules", "", fmt.Errorf(format, Standard, Simplified, Kang, w.Rules))
	}
	if r.values["weights"] == nil {
		r.add("weights", "", errors.New(`expected "weights": {feature: weight, …}`))
	}
	w.Provenance.Method = cmp.Or(w.Provenance.Method, "hand-set")
	err := byName("feature", names, r.features, func(i int, text jsontext.Value) error {
		if err := strictjson.Unmarshal(text, maxFile, &w.Values[i]); err != nil {
			return err
		}
		return checkWeight(w.Values[i])
	})
	r.add("weights", "", err)
	if r.network != nil {
		w.Network, err = r.network.network()
		r.add("network", "network: ", err)
	}
	if r.tables != nil {
		w.Policy, err = readPolicy(r.tables)
		r.add("policy", "policy: ", err)
	}
}

func checkWeight(x float64) error {
	if !(math.Abs(x) <= MaxWeight) { // true for NaN too
		return fmt.Errorf("expected a weight from %d to %d, found %g", -MaxWeight, MaxWeight, x)
	}
	return nil
}

// byName calls set with the values of an object and the places of their names in a list. The error
// joins a [problems.FieldError] for each error of set, and for each name that is not in the list,
// which messages call a what.
func byName[T any](
	what string, names []string, values map[string]T, set func(i int, value T) error,
) error {
	var errs problems.List
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.Index(names, name)
		if i < 0 {
			errs.Add(name, errors.New(suggest.Unknown(what, name, names)))
			continue
		}
		if err := set(i, values[name]); err != nil {
			errs.Add(name, fmt.Errorf("%s %s: %w", what, name, err))
		}
	}
	return errs.Err()
}

// readPolicy returns a policy from its tables. None may be missing, unless all of the network are.
func readPolicy(tables map[string][]int16) (*policy.Weights, error) {
	w := new(policy.Weights)
	names := policy.Tables()
	err := byName("table", names, tables, func(i int, list []int16) error {
		return copyAll(w.Table(i), list)
	})
	errs := []error{err}
	hasNetwork := slices.ContainsFunc(slices.Collect(maps.Keys(tables)), policy.OfNetwork)
	for _, name := range names {
		needed := hasNetwork || !policy.OfNetwork(name)
		if needed && tables[name] == nil {
			errs = append(errs, fmt.Errorf("table %s is missing", name))
		}
	}
	return w, errors.Join(errs...)
}

// network returns the network of a weights file, which may have fewer units than HiddenUnits.
func (f *networkFile) network() (*Network, error) {
	units := len(f.B1)
	fits := 1 <= units && units <= HiddenUnits
	if !fits || len(f.W2) != units {
		const format = "expected as many numbers of bias as of out, 1 to %d, found %d and %d"
		return nil, fmt.Errorf(format, HiddenUnits, units, len(f.W2))
	}
	n := &Network{}
	copy(n.B1[:], f.B1)
	copy(n.W2[:], f.W2)
	err := byName("input", inputs.Names[:], f.Inputs, func(i int, row []int16) error {
		return copyAll(n.W1[i][:units], row)
	})
	return n, err
}

// copyAll copies a list that must be as long as the one it is copied to.
func copyAll(to, list []int16) error {
	if len(list) != len(to) {
		return fmt.Errorf("expected %d numbers, found %d", len(to), len(list))
	}
	copy(to, list)
	return nil
}

// Write writes a weights file that [Read] reads, but for units of the network that never add
// anything. It returns an error if the weights are not such as a file may hold.
func (w *Weights) Write(out io.Writer) error {
	provenance, err := json.Marshal(w.Provenance)
	if err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return w.labelled(err)
	}
	file := object{{"version", version}, {"rules", w.Rules}}
	if w.WinScale != 0 {
		file.add("win_scale", w.WinScale)
	}
	file.add("provenance", json.RawMessage(provenance))
	weights := object{}
	for i, name := range names {
		weights.add(name, w.Values[i])
	}
	file.add("weights", weights)
	if w.Network != nil {
		file.add("network", w.Network.object())
	}
	if w.Policy != nil {
		tables := object{}
		for i, name := range policy.Tables() {
			if w.Policy.HasNetwork() || !policy.OfNetwork(name) {
				tables.add(name, w.Policy.Table(i))
			}
		}
		file.add("policy", tables)
	}
	var b bytes.Buffer
	file.write(&b, "")
	b.WriteString("\n")
	if _, err := Read(bytes.NewReader(b.Bytes()), w.Source); err != nil {
		return err // it could not be read again
	}
	_, err = out.Write(b.Bytes())
	return err
}

// object returns the network as a weights file has it, with the units alone that add something.
func (n *Network) object() object {
	units := n.folded()
	rows := object{}
	for i, name := range inputs.Names {
		row := pick(&n.W1[i], units)
		if slices.ContainsFunc(row, func(x int16) bool { return x != 0 }) {
			rows.add(name, row)
		}
	}
	return object{{"bias", pick(&n.B1, units)}, {"out", pick(&n.W2, units)}, {"inputs", rows}}
}

func pick(row *[HiddenUnits]int16, units []int) (list []int16) {
	for _, unit := range units {
		list = append(list, row[unit])
	}
	return list
}

// object is a JSON object with its members in order.
type object []member

type member struct {
	name  string
	value any // an object, or what package json encodes
}

func (o *object) add(name string, value any) { *o = append(*o, member{name, value}) }

// write writes the object with a line for each member; the lists in it are on one line, too.
func (o object) write(b *bytes.Buffer, indent string) {
	b.WriteString("{")
	separator := "\n"
	for _, m := range o {
		fmt.Fprintf(b, "%s%s  %q: ", separator, indent, m.name)
		separator = ",\n"
		if inner, ok := m.value.(object); ok {
			inner.write(b, indent+"  ")
			continue
		}
		text, _ := json.Marshal(m.value)
		b.Write(text)
	}
	b.WriteString("\n" + indent + "}")
}
