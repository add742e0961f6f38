package eval

// Where the weights of an agent come from: embedded files, other files, single weights.

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/suggest"
)

// Source provides an agent's evaluators, with weights from one file or, in its zero value, with the
// embedded weights for the family of rules. Parameters may change some of the weights.
type Source struct {
	file      *Weights           // nil: the embedded ones
	overrides map[string]float64 // weights by feature
	last      *Evaluator         // as a game is mostly under the rules of the one before
}

// ParamPrefix begins the names of the parameters that change one weight.
const ParamPrefix = "weight."

// Params returns the parameters of agents that evaluate: weights, and weight.FEATURE, which changes
// one of them, within ±[MaxWeight].
func Params() []agents.ParamDef {
	return agents.ParamsOf(&struct {
		Weights string  `param:"weights" default:"default" names:"file" help:"weights of the evaluation: a file, or default for those that suit the rules"`
		Weight  float64 `param:"weight." check:"-10000..10000" help:"change one weight, as in weight.near=15"`
	}{})
}

// FromConfig returns the source that an agent's parameters name, see [Params]. The error joins what
// is wrong with them, or says which of the rule sets the weights don't suit.
func FromConfig(c agents.Config) (Source, error) {
	s := Source{overrides: map[string]float64{}}
	if name := c.Values["weights"]; name != DefaultName {
		file := c.Registry.File(name)
		if file.Err != nil {
			return s, fmt.Errorf("weights %w", file.Err)
		}
		w, err := Read(bytes.NewReader(file.Content), name)
		if err != nil {
			return s, err
		}
		s.file = &w
	}

	// single weights
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		feature, ok := strings.CutPrefix(name, ParamPrefix)
		if !ok {
			continue
		}
		if !slices.Contains(names, feature) {
			unknown := suggest.Unknown("feature", feature, names)
			errs = append(errs, fmt.Errorf("parameter %s: %s", name, unknown))
		}
		s.overrides[feature] = c.Float(name)
	}
	if len(errs) > 0 {
		return s, errors.Join(errs...)
	}

	// They must suit the games that will be played.
	for _, r := range c.Rules {
		if _, err := s.Weights(r); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Load returns the weights that an agent's parameters name, which must suit r.
func Load(c agents.Config, r *rules.Rules) (Weights, error) {
	s, err := FromConfig(c)
	if err != nil {
		return Weights{}, err
	}
	return s.Weights(r)
}

// Weights returns the weights for a game under r.
func (s *Source) Weights(r *rules.Rules) (w Weights, err error) {
	if s.file != nil {
		w = *s.file
	} else {
		w = Default(Family(r))
	}
	for feature, x := range s.overrides {
		*w.Feature(feature) = x
	}
	return w, w.suit(r)
}

// Evaluator returns the evaluator for a game under r.
func (s *Source) Evaluator(r *rules.Rules) (*Evaluator, error) {
	if s.last != nil && s.last.rules.Options() == r.Options() {
		return s.last, nil
	}
	w, err := s.Weights(r)
	if err != nil {
		return nil, err
	}
	s.last, err = New(w, r)
	return s.last, err
}

// Of returns the evaluator that an agent, or the one inside it, plays with under r; if not ok, the
// embedded one.
func Of(a agents.Agent, r *rules.Rules) (e *Evaluator, ok bool, err error) {
	type evaluating interface {
		Evaluator(r *rules.Rules) (*Evaluator, error)
	}
	type wrapping interface{ Unwrap() agents.Agent }
	switch a := a.(type) {
	case evaluating:
		e, err = a.Evaluator(r)
		return e, true, err
	case wrapping:
		return Of(a.Unwrap(), r)
	}
	e, err = ForRules(r)
	return e, false, err
}

// DefaultName selects the embedded weights by the rules.
const DefaultName = "default"

//go:embed weights/*.json
var embedded embed.FS

// readers read the embedded weights, each once, as every game needs them.
var readers = map[string]func() Weights{
	Standard:   embeddedReader(Standard),
	Simplified: embeddedReader(Simplified),
	Kang:       embeddedReader(Kang),
}

func embeddedReader(family string) func() Weights {
	return sync.OnceValue(func() Weights {
		text, _ := embedded.ReadFile("weights/" + family + ".json")
		w, err := Read(bytes.NewReader(text), "default/"+family)
		if err != nil {
			panic(err) // they are part of the program, and tested
		}
		return w
	})
}

// Default returns the embedded weights for a family of rules.
func Default(family string) Weights { return readers[family]() }

// ForRules returns the evaluator with the embedded weights for r.
func ForRules(r *rules.Rules) (*Evaluator, error) { return new(Source).Evaluator(r) }

// WinProbability returns the probability that the side to move wins, draws counting half, by a
// score, of two agents like alphabeta:nodes=20000 with the embedded weights. A proven result is 0
// or 1.
func WinProbability(s agents.Score, r *rules.Rules) float64 {
	switch {
	case s >= agents.WinScore:
		return 1
	case s <= -agents.WinScore:
		return 0
	}
	scale := Default(Family(r)).WinScale
	return 1 / (1 + math.Exp(-float64(s)/scale))
}
