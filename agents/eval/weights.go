package eval

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gyges/agents"
	"gyges/agents/files"
	"gyges/rules"
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
	Provenance Provenance
	Source     string // the file they were read from, for messages; may be empty
}

// Provenance says where weights come from.
type Provenance struct {
	Method string `json:"method"` // "hand-set", or the tuning method
	Run    string `json:"run"`    // the run that they come from; empty for none
	Parent string `json:"parent"` // the weights that tuning started from; empty for none
	Seed   uint64 `json:"seed"`   // the run's seed

	// Data says what they were tuned on: positions or games, how many, and where from.
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
	maxFile = 1 << 18 // bytes of a weights file
)

// label names the weights in messages.
func (w *Weights) label() string { return strings.TrimSpace("weights " + w.Source) }

// check returns an error that names the weights that are out of bounds.
func (w *Weights) check() error {
	var errs []error
	for i, x := range w.Values {
		if !(math.Abs(x) <= MaxWeight) { // true for NaN too
			errs = append(errs, fmt.Errorf("%s: feature %s: expected a weight from %d to %d, found %g",
				w.label(), names[i], -MaxWeight, MaxWeight, x))
		}
	}
	if w.Network != nil {
		if err := w.Network.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", w.label(), err))
		}
	}
	return errors.Join(errs...)
}

// Equal reports whether w and v have the same weights.
func (w *Weights) Equal(v *Weights) bool {
	if w.Network == nil || v.Network == nil {
		return w.Rules == v.Rules && w.Values == v.Values && w.Network == v.Network
	}
	return w.Rules == v.Rules && w.Values == v.Values && *w.Network == *v.Network
}

// file is a weights file as JSON.
type file struct {
	Version    *int            `json:"version"`
	Rules      string          `json:"rules"`
	Weights    json.RawMessage `json:"weights"`
	Network    json.RawMessage `json:"network"`
	Provenance *Provenance     `json:"provenance"`
}

// Read reads a weights file; source names it in messages. It is read strictly:
// every feature must be there once, and nothing else. The error says what is
// wrong and what was expected.
func Read(in io.Reader, source string) (Weights, error) {
	w := Weights{Source: source}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return w, fmt.Errorf("%s: %w", w.label(), err)
	}
	if len(data) > maxFile {
		return w, fmt.Errorf("%s: expected a file of at most %d bytes", w.label(), maxFile)
	}
	var f file
	if err := decode(data, &f); err != nil {
		return w, fmt.Errorf("%s: expected a weights file: %w", w.label(), err)
	}
	switch {
	case f.Version == nil:
		return w, fmt.Errorf("%s: expected \"version\": %d, found none", w.label(), version)
	case *f.Version != version:
		return w, fmt.Errorf("%s: expected version %d, found %d", w.label(), version, *f.Version)
	case f.Rules != Standard && f.Rules != Simplified && f.Rules != Kang:
		return w, fmt.Errorf("%s: expected rules %s, %s or %s, found %.60q",
			w.label(), Standard, Simplified, Kang, f.Rules)
	case f.Provenance == nil || f.Provenance.Method == "":
		return w, fmt.Errorf("%s: expected a provenance with a method, found none", w.label())
	}
	w.Rules, w.Provenance = f.Rules, *f.Provenance
	if err := w.readValues(f.Weights); err != nil {
		return w, err
	}
	if w.Network, err = readNetwork(f.Network); err != nil {
		return w, fmt.Errorf("%s: %w", w.label(), err)
	}
	return w, w.check()
}

// decode reads one JSON value that fills all of data.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows after its end")
	}
	return nil
}

// Write writes a weights file that [Read] reads. It returns an error if the
// weights are not such as a file may hold.
func (w *Weights) Write(out io.Writer) error {
	provenance, err := json.Marshal(w.Provenance)
	if err = errors.Join(err, w.check()); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"version\": %d,\n  \"rules\": %q,\n  \"provenance\": %s,\n  \"weights\": {\n",
		version, w.Rules, provenance)
	for i, x := range w.Values {
		comma := ","
		if i == NumFeatures-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "    %q: %s%s\n", names[i], strconv.FormatFloat(x, 'g', -1, 64), comma)
	}
	b.WriteString("  }")
	if w.Network != nil {
		w.Network.write(&b)
	}
	b.WriteString("\n}\n")
	if _, err := Read(bytes.NewReader(b.Bytes()), w.Source); err != nil {
		return err // it could not be read again
	}
	_, err = out.Write(b.Bytes())
	return err
}

// readValues reads the object of feature names and weights.
func (w *Weights) readValues(object json.RawMessage) error {
	index := map[string]int{}
	for i, name := range names {
		index[name] = i
	}
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %w", w.label(), fmt.Errorf(format, args...)))
	}
	seen := [NumFeatures]bool{}
	err := eachEntry(object, `"weights": {feature: weight, …}`, func(name string, d *json.Decoder) error {
		var x *float64
		if err := d.Decode(&x); err != nil || x == nil {
			return fmt.Errorf("feature %v: expected a number", name)
		}
		i, ok := index[name]
		switch {
		case !ok:
			fail("unknown feature %.60q; expected: %s", name, strings.Join(names[:], ", "))
		case seen[i]:
			fail("feature %.60q is given twice", name)
		default:
			w.Values[i], seen[i] = *x, true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", w.label(), err)
	}
	for i, ok := range seen {
		if !ok {
			fail("feature %.60q is missing", names[i])
		}
	}
	return errors.Join(errs...)
}

//go:embed weights/*.json
var embedded embed.FS

// Default returns the embedded weights for a family of rules.
func Default(family string) (Weights, error) { return embeddedWeights(family) }

func embeddedWeights(name string) (Weights, error) {
	read, ok := embeddedReaders[name]
	if !ok {
		return Weights{}, fmt.Errorf("no weights %.60q come with the program", name)
	}
	return read()
}

// embeddedReaders read the embedded weights, each once: agents ask for them in
// every game.
var embeddedReaders = func() map[string]func() (Weights, error) {
	readers := map[string]func() (Weights, error){}
	for _, name := range [...]string{Standard, Simplified, Kang, ClassicName} {
		readers[name] = sync.OnceValues(func() (Weights, error) {
			text, err := embedded.ReadFile("weights/" + name + ".json")
			if err != nil {
				return Weights{}, err
			}
			return Read(bytes.NewReader(text), "default/"+name)
		})
	}
	return readers
}()

// Names of embedded weights.
const (
	// DefaultName stands for those that suit the rules.
	DefaultName = "default"
	// ClassicName stands for an evaluation that other programs have used, for
	// the rules with displacement: the moves, and three times the pieces and
	// squares that one side alone controls.
	ClassicName = "classic"
)

// Source provides an agent's weights: the embedded defaults for the family of rules
// or one file, with overrides of single weights. It must not be shared between
// goroutines.
type Source struct {
	file      *Weights
	overrides []override
	packed    map[*Network]*packed // cache of packed networks; nil: none
}

// override replaces the weight of one feature.
type override struct {
	feature int
	weight  float64
}

// Load returns the source that the parameter weights names: DefaultName,
// ClassicName or a file.
func Load(name string) (Source, error) {
	if name == DefaultName {
		return Source{}, nil
	}
	if name == ClassicName {
		w, err := embeddedWeights(ClassicName)
		return Source{file: &w}, err
	}
	in, err := files.Open(name)
	if err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	defer in.Close()
	w, err := Read(in, name)
	if err != nil {
		return Source{}, err
	}
	return Source{file: &w}, nil
}

// FromValues returns the source that an agent's parameters name, those that
// [Params] describes.
func FromValues(v agents.Values) (Source, error) {
	s, err := Load(v["weights"])
	if err != nil {
		return s, err
	}
	s.packed = map[*Network]*packed{}
	for i, name := range names {
		if _, given := v[ParamPrefix+name]; given {
			s.overrides = append(s.overrides, override{i, v.Float(ParamPrefix + name)})
		}
	}
	for name := range v {
		feature, ok := strings.CutPrefix(name, ParamPrefix)
		if ok && !slices.Contains(names[:], feature) {
			err = errors.Join(err, fmt.Errorf("parameter %s: unknown feature; expected one of: %s",
				name, strings.Join(names[:], ", ")))
		}
	}
	return s, err
}

// Weights returns the weights for a game under r.
func (s Source) Weights(r *rules.Rules) (Weights, error) {
	var w Weights
	if s.file != nil {
		w = *s.file
	} else {
		var err error
		if w, err = Default(Family(r)); err != nil {
			return w, err
		}
	}
	for _, c := range s.overrides {
		w.Values[c.feature] = c.weight
	}
	return w, nil
}

// Evaluator returns the evaluator for a game under r.
func (s Source) Evaluator(r *rules.Rules) (*Evaluator, error) {
	w, err := s.Weights(r)
	if err != nil {
		return nil, err
	}
	return newEvaluator(w, r, s.packed)
}

// ParamPrefix begins the names of the parameters that change one weight.
const ParamPrefix = "weight."

// Params describes the parameters of the kinds that evaluate: weights, and
// weight.FEATURE, which changes one of them.
func Params() []agents.ParamDef {
	return []agents.ParamDef{
		{
			Name:    "weights",
			Type:    agents.Text,
			Default: DefaultName,
			File:    true,
			Words:   []string{DefaultName, ClassicName},
			Doc:     "weights of the evaluation: a file, default for those that suit the rules, or classic for simple ones",
		},
		{
			Name: ParamPrefix,
			Type: agents.Float,
			Min:  -MaxWeight,
			Max:  MaxWeight,
			Doc:  "change one weight, as in " + ParamPrefix + names[Near] + "=15",
		},
	}
}
