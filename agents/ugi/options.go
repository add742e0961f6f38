package ugi

import (
	"fmt"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
	"gyges/rules/base/suggest"
	"gyges/rules/base/textfmt"
)

// What a program announces of its options: lines like "option Hash", "option wReach type int
// default 3 min 0 max 10", and UCI's "option name Move Overhead type spin default 16"; and what
// follows for the options of a spec.

const (
	maxOptionName = 100  // bytes; an option with a longer name is ignored
	maxOptionLine = 4096 // bytes; the rest of a longer line is not read
	shownRules    = 20   // rule sets in a message
)

// option is an announced option, as its line has it.
type option struct {
	name   string
	key    string            // the name as [keyOf] has it
	values map[string]string // of type, default, min and max, where the line has them
	vars   []string          // of a choice
	named  bool              // in UCI's spelling, with the word name
}

// parseOption reads what follows the word option: a name, then keys, each followed by its value.
// The name is the first word; in UCI's spelling it is what stands between the words name and type.
// It is empty if there is none.
func parseOption(text string) (o option) {
	words := strings.Fields(textfmt.Escape(text))
	if len(words) == 0 {
		return o
	}
	end := 1
	if words[0] == "name" && len(words) > 1 {
		o.named = true
		words = words[1:]
		end = slices.Index(words, "type") // a name may hold the other keys
		if end < 0 {
			end = nextKey(words)
		}
	}
	o.name = strings.Join(words[:end], " ")
	o.key = keyOf(o.name)
	o.values = map[string]string{}
	words = words[end:]
	for len(words) > 0 {
		key := words[0]
		words = words[1:]
		end := nextKey(words)
		value := strings.Join(words[:end], " ")
		o.values[key] = value
		if key == "var" {
			o.vars = append(o.vars, value)
		}
		words = words[end:]
	}
	return o
}

// nextKey returns how many words stand before the next key.
func nextKey(words []string) int {
	for i, word := range words {
		switch word {
		case "type", "default", "min", "max", "var":
			return i
		}
	}
	return len(words)
}

// typesOf are the types of parameters, by the words of engines for them.
var typesOf = map[string]agents.Type{
	"int": agents.Int, "spin": agents.Int,
	"real": agents.Float, "float": agents.Float,
	"bool": agents.Bool, "check": agents.Bool,
	"choice": agents.Text, "combo": agents.Text,
	"text": agents.Text, "string": agents.Text,
	"button": agents.Button,
}

// param returns the option as a parameter of a spec. One whose line can't be understood takes any
// text.
func (o option) param() agents.ParamDef {
	key := optionPrefix + o.name
	t, known := typesOf[o.values["type"]]
	initial := strings.TrimPrefix(o.values["default"], "<empty>") // as UCI writes an empty text
	if known {
		low, high := o.values["min"], o.values["max"]
		d, valid := agents.Declare(key, t, initial, low, high, o.vars)
		if !valid { // by its default, maybe
			d, valid = agents.Declare(key, t, "", low, high, o.vars)
		}
		if valid {
			return d
		}
	}
	d, _ := agents.Declare(key, agents.Text, "", "", "", nil)
	return d
}

// keyOf returns the name of an option without what doesn't matter in it: capitals and blanks.
func keyOf(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "")) }

// option returns the announced option of a name.
func (c *client) option(name string) (o option, found bool) {
	key := keyOf(name)
	for _, o := range c.offered {
		if o.key == key {
			return o, true
		}
	}
	return o, false
}

// addOption adds the option of a line, whose first word is taken off.
func (c *client) addOption(text string) {
	o := parseOption(textfmt.Cut(text, maxOptionLine))
	if o.name == "" || len(o.name) > maxOptionName {
		return
	}
	if c.offers(o.name) || len(c.offered) == maxOptions {
		return
	}
	c.offered = append(c.offered, o)
	c.announced = append(c.announced, printable(text))
	if o.named {
		c.named = true
	}
	if o.name == "rules" {
		c.extended = true
	}
}

// optionCommand returns the command that sets an option, by the name and in the spelling that the
// program has announced. An empty text is no value, as for a button.
func (c *client) optionCommand(name, value string) string {
	if o, found := c.option(name); found {
		name = o.name
	}
	if c.named {
		name = "name " + name
		if value != "" {
			value = "value " + value
		}
	}
	return strings.TrimSpace("setoption "+name+" "+value) + "\n"
}

// checkOptions returns an error unless the program has the options of the spec, and takes their
// values. Of a program that announces no options nothing is known.
func (h *host) checkOptions() error {
	if len(h.given) > 0 && len(h.offered) == 0 {
		h.log.note(h.config.Command,
			"the engine announces no options: those given are sent unchecked")
		return nil
	}
	names := lists.Map(h.offered, func(o option) string { return o.name })
	var errs problems.List
	for _, p := range h.given {
		o, found := h.option(p.Name)
		errs.Require(found, "%s", suggest.Unknown("option", p.Name, names))
		err := o.param().Check(p.Value) // one that isn't found takes any
		errs.Expect(err == nil, "option "+o.name, "%w", err)
	}
	return errs.Err()
}

// checkKnown returns an error if the program says which rule sets it plays, and that they aren't
// among them.
func (c *client) checkKnown(r *rules.Rules) error {
	option, _ := c.option("rules")
	var known []string
	for _, name := range option.vars {
		set, err := rules.Parse(name)
		if err != nil {
			continue
		}
		if set.Options() == r.Options() {
			return nil
		}
		known = append(known, name)
	}
	if known == nil {
		return nil
	}
	return fmt.Errorf("the engine can't play %s: it plays %s", r, textfmt.List(known, shownRules))
}

// Announced returns the options that the program has announced as parameters.
func (h *host) Announced() []agents.ParamDef {
	return lists.Map(h.offered, option.param)
}
