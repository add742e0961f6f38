package eval

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/suggest"
)

// Names of embedded weights.
const (
	// DefaultName selects the weights by the rules.
	DefaultName = "default"
	// ClassicName names an evaluation that other programs have used, for the rules
	// with displacement: the moves, and three times the pieces and squares that one
	// side alone controls.
	ClassicName = "classic"
)

//go:embed weights/*.json
var embedded embed.FS

// embeddedReaders read the embedded weights, each once, as every game needs them.
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

// Default returns the embedded weights for a family of rules, or those of ClassicName.
func Default(name string) (Weights, error) {
	read, ok := embeddedReaders[name]
	if !ok {
		return Weights{}, fmt.Errorf("no weights %.60q come with the program", name)
	}
	return read()
}

// Source provides an agent's weights: the embedded defaults for the family of rules
// or one file, with overrides of single weights.
type Source struct {
	file      *Weights        // nil: the defaults
	overrides map[int]float64 // weights by feature
	last      *lastEvaluator  // nil: none is kept
}

// lastEvaluator is the last evaluator made, as a game is mostly under the rules of the one
// before.
type lastEvaluator struct {
	sync.Mutex
	*Evaluator
}

// Load returns the source that the parameter weights names: DefaultName,
// ClassicName or a file.
func Load(name string) (Source, error) {
	if name == DefaultName {
		return Source{}, nil
	}
	if name == ClassicName {
		w, err := Default(ClassicName)
		return Source{file: &w}, err
	}
	in, err := files.Open(name)
	if err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	defer in.Close()
	w, err := Read(in, name)
	return Source{file: &w}, err
}

// FromValues returns the source that an agent's parameters name, those that
// [Params] defines.
func FromValues(v agents.Values) (Source, error) {
	s, err := Load(v["weights"])
	if err != nil {
		return s, err
	}
	s.overrides, s.last = map[int]float64{}, new(lastEvaluator)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		feature, ok := strings.CutPrefix(name, ParamPrefix)
		if !ok {
			continue
		}
		i := slices.Index(names[:], feature)
		if i < 0 {
			err = errors.Join(err, fmt.Errorf("parameter %s: %s", name, suggest.Unknown("feature", feature, names[:])))
		}
		s.overrides[i] = v.Float(name)
	}
	return s, err
}

// Weights returns the weights for a game under r.
func (s Source) Weights(r *rules.Rules) (w Weights, err error) {
	if s.file != nil {
		w = *s.file
	} else if w, err = Default(Family(r)); err != nil {
		return w, err
	}
	for i, x := range s.overrides {
		w.Values[i] = x
	}
	return w, nil
}

// Evaluator returns the evaluator for a game under r.
func (s Source) Evaluator(r *rules.Rules) (*Evaluator, error) {
	if s.last == nil {
		return s.evaluator(r)
	}
	s.last.Lock()
	defer s.last.Unlock()
	if s.last.Evaluator != nil && s.last.rules.Options() == r.Options() {
		return s.last.Evaluator, nil
	}
	e, err := s.evaluator(r)
	s.last.Evaluator = e
	return e, err
}

func (s Source) evaluator(r *rules.Rules) (*Evaluator, error) {
	w, err := s.Weights(r)
	if err != nil {
		return nil, err
	}
	return New(w, r)
}

// Suits implements [agents.Suiter] for agents that embed a Source: it returns an error
// if the weights are for another family of rules.
func (s Source) Suits(r *rules.Rules) error {
	_, err := s.Evaluator(r)
	return err
}

// ParamPrefix begins the names of the parameters that change one weight.
const ParamPrefix = "weight."

// Params returns the parameters of agents that evaluate: weights, and weight.FEATURE,
// which changes one of them.
func Params() []agents.ParamDef {
	return []agents.ParamDef{
		{
			Name: "weights", Type: agents.Text, Default: DefaultName, File: true, Words: []string{DefaultName, ClassicName},
			Doc: "weights of the evaluation: a file, default for those that suit the rules, or classic for simple ones",
		},
		{
			Name: ParamPrefix, Type: agents.Float, Min: -MaxWeight, Max: MaxWeight,
			Doc: "change one weight, as in " + ParamPrefix + names[Near] + "=15",
		},
	}
}
