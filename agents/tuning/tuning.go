// Package tuning finds the parameters of an agent that can be tuned, and sets them. The methods are
// packages of their own: [gyges/agents/tuning/texel] fits weights to training positions of
// [gyges/agents/tuning/dataset], and [gyges/agents/tuning/spsa] tunes parameters by matches. They
// play no games themselves.
package tuning

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/spsa"
	"gyges/rules"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
)

// Find returns a numeric parameter of an agent with its value there and its bounds; for weights of
// the evaluation, Start is the weight under the rules r. announced are the options of the program
// that the agent is: a start that they don't say is NaN, a bound is infinite. The error names the
// reason if the parameter can't be tuned.
func Find(
	registry *agents.Registry, spec agents.Spec, r *rules.Rules, announced []agents.ParamDef,
	name string,
) (t spsa.Param, err error) {
	config, err := registry.Config(spec)
	if err != nil {
		return t, err
	}
	kind, _ := registry.Kind(spec) // Config has the same error
	if _, takesOptions := kind.Param(agents.OptionPrefix + name); takesOptions {
		kind.Params = slices.Concat(announced, kind.Params)
	}
	def, ok := kind.Param(name)
	isOption := strings.HasPrefix(name, agents.OptionPrefix)
	if isOption && len(announced) > 0 {
		ok = def.Key == name // not that of all options
	}
	if !ok {
		return t, errors.New(suggest.Unknown("parameter", name, numeric(kind)))
	}
	// Programs may announce a number as a text, or without a type.
	mayBeNumber := isOption && def.Type() == agents.Text && def.Enum() == nil
	if !isNumber(def) && !mayBeNumber {
		return t, fmt.Errorf("parameter %s is a %s; expected one of: %s",
			name, def.Type(), strings.Join(numeric(kind), ", "))
	}
	t.Name = name
	t.Whole = def.Type() == agents.Int
	t.Min, t.Max = def.Bounds()
	t.Start = config.Float(name)
	if isOption {
		for given := range config.Values {
			if given != name && strings.EqualFold(given, name) { // which is the same option
				return t, fmt.Errorf("expected %s in the agent's spec, found %s", name, given)
			}
		}
		text := cmp.Or(config.Values[name], def.Default())
		t.Start, err = settings.Parse[float64](text)
		if err != nil {
			t.Start = math.NaN()
		}
		_, err = agents.ParseSpec(spec.With(name, "0").String()) // not all names can be written
		return t, err
	}
	feature, isWeight := strings.CutPrefix(name, eval.ParamPrefix)
	if !isWeight {
		if config.Values[name] == "" {
			err = fmt.Errorf(
				"parameter %s has no value in %s; expected one to start from, like %s=%v",
				name, spec, name, t.Min)
		}
		return t, err
	}
	w, err := eval.Load(config, r)
	if err != nil {
		return t, err
	}
	start := w.Feature(feature)
	if start == nil {
		return t, errors.New(suggest.Unknown("feature", feature, eval.Names()))
	}
	t.Start = *start
	return t, nil
}

func isNumber(d agents.ParamDef) bool { return d.Type() == agents.Int || d.Type() == agents.Float }

// numeric returns the names of the parameters that are numbers.
func numeric(k agents.Kind) []string {
	var list []string
	for _, d := range k.Params {
		switch {
		case d.Key == eval.ParamPrefix:
			list = append(list, eval.ParamPrefix+"FEATURE")
		case isNumber(d):
			list = append(list, d.Key)
		}
	}
	return list
}

// Weights returns the weights of an agent's evaluation under the rules r, or an error if it has
// none.
func Weights(registry *agents.Registry, spec agents.Spec, r *rules.Rules) (eval.Weights, error) {
	config, err := registry.Config(spec)
	if err != nil {
		return eval.Weights{}, err
	}
	if _, ok := config.Values["weights"]; !ok {
		return eval.Weights{}, fmt.Errorf(
			"agent %.60q has no weights; expected one that takes the parameter weights, "+
				"like alphabeta", spec)
	}
	return eval.Load(config, r)
}

// With returns a spec with parameters set to numbers: whole ones, and others rounded to six digits.
// Options of programs, not all of which read exponents, have none.
func With(spec agents.Spec, names []string, values []float64) agents.Spec {
	for i, name := range names {
		text := strconv.FormatFloat(values[i], 'g', 6, 64)
		rounded, _ := strconv.ParseFloat(text, 64) // it has just been printed
		switch {
		case values[i] == math.Trunc(values[i]):
			text = strconv.FormatFloat(values[i], 'f', 0, 64) // all digits
		case strings.HasPrefix(name, agents.OptionPrefix):
			text = strconv.FormatFloat(rounded, 'f', -1, 64)
		}
		spec = spec.With(name, text)
	}
	return spec
}
