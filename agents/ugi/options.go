package ugi

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

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
	maxOptionText = 100 // bytes of a name, and of one of the values of a choice
	maxVars       = 100 // values of a choice
	shownRules    = 20  // rule sets in a message

	// emptyText is how UCI writes an empty default.
	emptyText = "<empty>"
)

// option is an announced option, as its line has it. Fields that the line lacks are empty.
type option struct {
	name, kind        string
	initial, low, top string
	vars              []string // of a choice
	named             bool     // in UCI's spelling, with the word name
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
	words = words[end:]
	for len(words) > 0 {
		// A part goes to the next key, but for texts, in which any words may stand.
		key := words[0]
		words = words[1:]
		end := nextKey(words)
		if key == "default" && typesOf[o.kind] == agents.Text && !o.isChoice() {
			end = len(words)
		}
		o.set(key, strings.Join(words[:end], " "))
		words = words[end:]
	}
	return o
}

// optionKeys begin the parts behind the name.
var optionKeys = []string{"type", "default", "min", "max", "var"}

// nextKey returns how many words stand before the next key.
func nextKey(words []string) int {
	isKey := func(word string) bool { return slices.Contains(optionKeys, word) }
	if i := slices.IndexFunc(words, isKey); i >= 0 {
		return i
	}
	return len(words)
}

// set sets what a key names. Other keys are passed over.
func (o *option) set(key, value string) {
	switch key {
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
	"text": agents.Text, "string": agents.Text,
	"choice": agents.Text, "combo": agents.Text,
	"button": agents.Button,
}

// isChoice reports whether the option has only the values that are listed.
func (o option) isChoice() bool { return o.kind == "choice" || o.kind == "combo" }

// param returns the option as a parameter of a spec. One whose line can't be understood takes any
// text.
func (o option) param() agents.ParamDef {
	key := optionPrefix + o.name
	t, known := typesOf[o.kind]
	initial := o.initial
	var vars []string
	switch {
	case o.isChoice():
		vars = o.vars
	case t == agents.Text && initial == emptyText, t == agents.Button:
		initial = ""
	}
	isBounded := len(vars) <= maxVars && !slices.ContainsFunc(vars, isLong)
	if known && isBounded && !isLong(initial) {
		if d, err := agents.Declare(key, t, initial, o.low, o.top, vars); err == nil {
			return d
		}
	}
	d, _ := agents.Declare(key, agents.Text, "", "", "", nil)
	return d
}

// isLong reports whether a text is too long for a message.
func isLong(text string) bool { return len(text) > maxOptionText }

// option returns the announced option of a name, of which capitals don't matter.
func (c *client) option(name string) (o option, found bool) {
	for _, o := range c.offered {
		if strings.EqualFold(o.name, name) {
			return o, true
		}
	}
	return o, false
}

// addOption adds the option of a line, whose first word is taken off.
func (c *client) addOption(text string) {
	o := parseOption(text)
	if o.name == "" || isLong(o.name) || c.offers(o.name) || len(c.offered) == maxOptions {
		return
	}
	c.offered = append(c.offered, o)
	if o.named {
		c.named = true
	}
	if o.name == "rules" {
		c.extended = true
	}
}

// optionCommand returns the command that sets an option, by the name and in the spelling that the
// program has announced. An empty value is written as in its default.
func (c *client) optionCommand(name, value string) string {
	o, found := c.option(name)
	if found {
		name = o.name
	}
	if value == "" && o.initial == emptyText {
		value = emptyText
	}
	words := []string{"setoption", name}
	if c.named {
		words = []string{"setoption name", name}
		if typesOf[o.kind] != agents.Button {
			words = append(words, "value")
		}
	}
	if value != "" {
		words = append(words, value)
	}
	return strings.Join(words, " ") + "\n"
}

// checkOptions returns an error unless the program has the options of the spec, and takes their
// values. Of a program that announces no options nothing is known.
func (h *host) checkOptions() error {
	if len(h.given) == 0 {
		return nil
	}
	if len(h.offered) == 0 {
		h.notes.add(h.label)
		return nil
	}
	var names []string
	for _, o := range h.offered {
		names = append(names, o.name)
	}
	var errs []error
	given := map[string]string{}
	for _, p := range h.given {
		o, found := h.option(p.Name)
		if !found {
			errs = append(errs, errors.New(suggest.Unknown("option", p.Name, names)))
			continue
		}
		if before, twice := given[o.name]; twice {
			errs = append(errs, fmt.Errorf("option %s is given twice, as %s and as %s",
				o.name, before, p.Name))
		}
		given[o.name] = p.Name
		err := o.param().Check(p.Value)
		errs = append(errs, problems.Prefix("option "+o.name, err))
	}
	return errors.Join(errs...)
}

// knownRules returns the rule sets that the program says it plays; nil: it doesn't say.
func (c *client) knownRules() (sets []*rules.Rules) {
	o, _ := c.option("rules")
	for _, name := range o.vars[:min(len(o.vars), maxVars)] {
		if r, err := rules.Parse(name); err == nil {
			sets = append(sets, r)
		}
	}
	return sets
}

// Announced returns the options that the program has announced as parameters.
func (h *host) Announced() []agents.ParamDef {
	return lists.Map(h.offered, option.param)
}

// notes logs what users should know of engines, once for each, however many processes it has.
type notes struct {
	log   *slog.Logger
	known sync.Map // by engine
}

// add logs that the options of an engine can't be checked.
func (n *notes) add(engine string) {
	_, known := n.known.LoadOrStore(engine, true)
	if !known && n.log != nil {
		n.log.Warn("the engine announces no options: those given are sent unchecked",
			"engine", engine)
	}
}
