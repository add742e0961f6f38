// Package tuning finds the parameters of an agent that can be tuned, and sets them. The methods are
// packages of their own: [gyges/agents/tuning/texel] fits weights to training positions of
// [gyges/agents/tuning/dataset], and [gyges/agents/tuning/spsa] tunes parameters by matches. They
// play no games themselves.
package tuning

import (
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
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
)

// Find returns a numeric parameter of an agent with its value there and its bounds; for weights of
// the evaluation, Start is the weight under the rules r. announced are the options of the program
// that the agent is ([agents.Registry.Announced]): what they don't say of an option is NaN. The
// error names the reason if the parameter can't be tuned.
func Find(
	registry *agents.Registry, spec agents.Spec, r *rules.Rules, announced []agents.ParamDef,
	name string,
) (t spsa.Param, err error) {
	config, err := registry.Config(spec)
	if err != nil {
		return t, err
	}
	kind, _ := registry.Kind(spec) // Config has the same error
	kind.Params = slices.Concat(announced, kind.Params)
	def, ok := kind.Param(name)
	isOption := ok && strings.HasPrefix(name, agents.OptionPrefix)
	if isOption && def.Key != name && len(announced) > 0 {
		ok = false // the program has others
	}
	if !ok {
		return t, errors.New(suggest.Unknown("parameter", name, numeric(kind)))
	}
	if isOption && (isNumber(def) || isFree(def)) {
		return option(def, name, config.Values[name])
	}
	if !isNumber(def) {
		return t, fmt.Errorf("parameter %s is a %s; expected one of: %s",
			name, def.Type(), strings.Join(numeric(kind), ", "))
	}
	t.Name = name
	t.Whole = def.Type() == agents.Int
	t.Min, t.Max = def.Bounds()
	t.Start = config.Float(name)
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

// option returns an option of a program as a parameter, by its definition and by its value in the
// spec, "" for none.
func option(def agents.ParamDef, name, given string) (t spsa.Param, err error) {
	unknown := math.NaN()
	t = spsa.Param{Name: name, Start: unknown, Min: unknown, Max: unknown}
	t.Whole = def.Type() == agents.Int
	if isNumber(def) {
		low, high := def.Bounds()
		if !math.IsInf(low, 0) {
			t.Min = low
		}
		if !math.IsInf(high, 0) {
			t.Max = high
		}
	}
	if given != "" {
		t.Start, err = settings.Parse[float64](given)
		return t, problems.Prefix("parameter "+name, err)
	}
	initial, err := settings.Parse[float64](def.Default())
	if err == nil {
		t.Start = initial
	}
	return t, nil
}

func isNumber(d agents.ParamDef) bool { return d.Type() == agents.Int || d.Type() == agents.Float }

// isFree reports whether any text is a value. Programs announce numbers so, too, or without a type.
func isFree(d agents.ParamDef) bool { return d.Type() == agents.Text && d.Enum() == nil }

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
// Those of external programs, not all of which read exponents, have none.
func With(spec agents.Spec, names []string, values []float64) agents.Spec {
	for i, name := range names {
		text := strconv.FormatFloat(values[i], 'g', 6, 64)
		if values[i] == math.Trunc(values[i]) {
			text = fmt.Sprint(values[i]) // all digits
		}
		if strings.HasPrefix(name, agents.OptionPrefix) {
			rounded, _ := strconv.ParseFloat(text, 64) // it has just been printed
			text = strconv.FormatFloat(rounded, 'f', -1, 64)
		}
		spec = spec.With(name, text)
	}
	return spec
}
