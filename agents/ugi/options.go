package ugi

import (
	"context"
	"slices"
	"strings"

	"gyges/agents"
)

// What a program announces of its options: lines like "option Hash", "option wReach type spin
// default 3 min 0 max 10", and UCI's "option name Hash type spin default 16".

// option is an announced option. Fields that the line lacks are empty.
type option struct {
	name, kind        string
	initial, low, top string
	vars              []string // of a choice
}

// parseOption reads what follows the word option. The name is the first word, or what stands
// between the word name and the next key; the name is empty if there is none.
func parseOption(text string) (o option) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return o
	}
	o.name = words[0]
	words = words[1:]
	key := ""
	if o.name == "name" && len(words) > 0 {
		key = "name"
	}
	for len(words) > 0 {
		// A part goes to the next key.
		n := 0
		for n < len(words) && !slices.Contains(optionKeys, words[n]) {
			n++
		}
		o.set(key, strings.Join(words[:n], " "))
		if n == len(words) {
			break
		}
		key = words[n]
		words = words[n+1:]
		if len(words) == 0 { // a key without a value
			o.set(key, "")
		}
	}
	return o
}

// optionKeys begin the parts behind the name.
var optionKeys = []string{"type", "default", "min", "max", "var"}

// set sets what a key names. Other keys are passed over.
func (o *option) set(key, value string) {
	switch key {
	case "name":
		o.name = value
	case "type":
		o.kind = value
	case "default":
		o.initial = value
	case "min":
		o.low = value
	case "max":
		o.top = value
	case "var":
		o.vars = append(o.vars, value)
	}
}

// typesOf are the types of parameters, by the words of engines for them.
var typesOf = map[string]agents.Type{
	"int": agents.Int, "spin": agents.Int,
	"real": agents.Float, "float": agents.Float,
	"bool": agents.Bool, "check": agents.Bool,
	"choice": agents.Text, "combo": agents.Text,
	"text": agents.Text, "string": agents.Text,
}

// param returns the option as a parameter of a spec.
func (o option) param() agents.ParamDef {
	t, ok := typesOf[o.kind]
	if !ok {
		t = agents.Text
	}
	return agents.Declare(optionPrefix+o.name, t, o.initial, o.low, o.top, o.vars)
}

// announce starts the program of a configuration and returns the options that it announces.
func announce(ctx context.Context, c agents.Config) ([]agents.ParamDef, error) {
	agent, err := newHost(c)
	if err != nil {
		return nil, err
	}
	h := agent.(*host)
	if err := h.launch(ctx, h.config.Start); err != nil {
		return nil, err
	}
	var list []agents.ParamDef
	for _, o := range h.offered {
		list = append(list, o.param())
	}
	return list, h.Close()
}
