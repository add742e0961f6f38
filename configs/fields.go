package configs

// This file reads YAML nodes into the settings of structs, as the types and tags of their fields
// say.

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/tournament/schedule"
)

// settings reads a mapping of the settings of a struct, whose keys begin with prefix in messages.
func (p *parser) settings(n *yaml.Node, what string, config any, prefix string) {
	p.group(n, what, settings.Fields(config, prefix), prefix)
}

// group reads a mapping of the fields whose keys begin with prefix.
func (p *parser) group(n *yaml.Node, what string, fields []settings.Field, prefix string) {
	p.entries(n, what, func(key, value *yaml.Node) {
		path := prefix + key.Value
		field := settings.Find(fields, path)
		switch {
		case field == nil:
			p.addUnknown(key, what, keysBelow(fields, prefix))
		case isGroupOf(value, field):
			p.setting(path, value, func() { p.group(value, key.Value, fields, path+".") })
			p.loadOpenings(field)
		default:
			p.setting(path, value, func() { p.value(value, field) })
		}
	})
}

// isGroupOf reports whether a node has the settings of a group, whose fields follow. A struct
// behind a pointer is a value, as it is there only if its key is. A struct that parses itself may
// be written as a text.
func isGroupOf(n *yaml.Node, f *settings.Field) bool {
	if !f.Group || f.IsOptional() {
		return false
	}
	return n.Kind != yaml.ScalarNode || !f.IsText()
}

// addUnknown reports a key that is none of names.
func (p *parser) addUnknown(key *yaml.Node, what string, names []string) {
	hint := suggest.DidYouMean(key.Value, names)
	if hint == "" {
		hint = ", expected one of: " + strings.Join(names, ", ")
	}
	ours := otherKeys[key.Value]
	if slices.Contains(names, firstWord.FindString(ours)) {
		hint = "; expected " + ours
	}
	p.add(key.Line, "unknown key %s in %s%s", found(key), what, hint)
}

var firstWord = regexp.MustCompile(`^\w+`)

// otherKeys are the words of fastchess and cutechess for settings, with what is expected in their
// place.
var otherKeys = map[string]string{
	"concurrency": "workers",
	"threads":     "workers, games at a time; an agent's threads are its parameter",
	"games":       "pairs, of two games each",
	"repeat":      "pairs, whose second game has the sides swapped",
	"engines":     "agents",
	"engine":      "agents",
	"players":     "agents",
	"each":        "limits or clock, those of all agents",
	"tc":          "clock",
	"st":          "limits.movetime",
	"movetime":    "limits.movetime",
	"depth":       "limits.depth",
	"nodes":       "limits.nodes",
	"timemargin":  "time_margin",
	"margin":      "time_margin",
	"book":        "openings.file",
	"opening":     "openings",
	"srand":       "seed",
	"variant":     "rules",
	"tournament":  "schedule",
	"format":      "schedule",
	"type":        "schedule",
	"event":       "name",
	"resign":      "adjudication",
	"draw":        "adjudication",
	"maxmoves":    "adjudication",
	"pgnout":      "out, the folder of a run; gyges export writes its games as PGN",
}

// keysBelow returns the keys that follow a prefix, without the keys of their groups.
func keysBelow(fields []settings.Field, prefix string) []string {
	var names []string
	for _, f := range fields {
		rest, isBelow := strings.CutPrefix(f.Key, prefix)
		name, _, _ := strings.Cut(rest, ".")
		if isBelow && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// setting reads the setting of a path, notes its line, and gives its problems the path, unless they
// have a longer one.
func (p *parser) setting(path string, n *yaml.Node, read func()) {
	p.lines[path] = n.Line
	before := len(p.problems)
	read()
	for i := before; i < len(p.problems); i++ {
		p.bad[path] = true
		if p.problems[i].path == "" {
			p.problems[i].path = path
		}
	}
}

// loadOpenings reads the list of openings that a group names, if any. Its path is from the
// program's folder.
func (p *parser) loadOpenings(f *settings.Field) {
	openings, ok := f.Value.Addr().Interface().(*schedule.Openings)
	if !ok {
		return
	}
	file := f.Key + ".file"
	if p.bad[file] || p.lines[file] == 0 {
		return
	}
	list, err := schedule.LoadOpenings(openings.File)
	if err != nil {
		p.report(&problems.FieldError{Field: file, Err: err})
	}
	openings.Positions = list.Positions
	openings.Lines = list.Lines
}

// value reads a setting that is no group: a value, a list, or a struct that is there only if its
// key is.
func (p *parser) value(n *yaml.Node, f *settings.Field) {
	t := f.Value.Type()
	if t == reflect.TypeFor[*yaml.Node]() { // it is read later
		f.Value.Set(reflect.ValueOf(n))
		return
	}
	if f.Group && f.IsOptional() {
		made := settings.New(t.Elem())
		p.settings(n, f.Name(), made, f.Key+".")
		if n.Kind == yaml.MappingNode {
			f.Value.Set(reflect.ValueOf(made))
		}
		return
	}
	if f.IsList() {
		p.list(n, f)
		return
	}

	unit := f.Tag.Get("unit")
	isNumber := slices.Contains([]string{"!!int", "!!float"}, n.Tag)
	if unit != "" && isNumber {
		text := *n
		text.Tag = "!!str"
		text.Value += unit
		n = &text
	}
	p.scalar(n, f.Value, f.Form())
}

// list reads a list. A single text stands for a list of it alone.
func (p *parser) list(n *yaml.Node, f *settings.Field) {
	element := f.Value.Type().Elem()
	isSpec := element == reflect.TypeFor[agents.Spec]()
	isGroup := element.Kind() == reflect.Struct && !settings.IsText(element)
	entries := []*yaml.Node{n}
	if n.Kind != yaml.ScalarNode || element.Kind() != reflect.String {
		entries = p.elements(n, f.Name())
	}

	f.Value.Set(reflect.MakeSlice(f.Value.Type(), 0, len(entries)))
	for _, entry := range entries {
		if isSpec && entry.Kind == yaml.MappingNode {
			p.sweep(entry, f)
			continue
		}
		v := reflect.New(element).Elem()
		if isGroup {
			path := nextElement(f)
			p.setting(path, entry, func() {
				p.settings(entry, f.Name(), v.Addr().Interface(), path+".")
			})
		} else if !p.scalar(entry, v, f.Form()) {
			isBare := n.Style == yaml.FlowStyle && entry.Style == 0
			if isBare && strings.Contains(entry.Value, "=") {
				// It may be cut at a comma, as in [alphabeta:depth=2,hash=1].
				p.problems[len(p.problems)-1].text += "; a value with commas is put in quotes"
			}
			continue
		}
		p.lines[nextElement(f)] = entry.Line
		f.Value.Set(reflect.Append(f.Value, v))
	}
}

// nextElement returns the path of the next element of a list.
func nextElement(f *settings.Field) string { return fmt.Sprintf("%s[%d]", f.Key, f.Value.Len()) }

// elements returns the nodes of a list.
func (p *parser) elements(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	hint := ""
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		hint = fmt.Sprintf("; write [%.60s]", n.Value)
	}
	p.add(n.Line, "expected a list of %s, found %s%s", what, found(n), hint)
	return nil
}

// scalar reads a value and reports whether it could be read. form says what is expected.
func (p *parser) scalar(n *yaml.Node, v reflect.Value, form string) bool {
	_, tags := settings.Expected(v.Type())
	if n.Value == "" || !slices.Contains(tags, n.Tag) {
		p.add(n.Line, "expected %s, found %s", form, found(n))
		return false
	}
	err := settings.Set(v, n.Value)
	if err != nil {
		p.add(n.Line, "%v", err)
	}
	return err == nil
}

// sweep reads {agent: SPEC, PARAM: [v1, v2]}, an entry of a list of agents: the spec with each
// value of the parameter in turn.
func (p *parser) sweep(n *yaml.Node, list *settings.Field) {
	before := len(p.problems)
	var agent agents.Spec
	var params []string
	var values []*yaml.Node
	p.entries(n, "a parameter sweep", func(key, value *yaml.Node) {
		if key.Value == "agent" {
			form := "an agent spec, like random or alphabeta:depth=2"
			p.scalar(value, reflect.ValueOf(&agent).Elem(), form)
			return
		}
		params = append(params, key.Value)
		values = p.elements(value, "values of "+found(key))
	})
	if len(p.problems) > before {
		return
	}

	isSweep := len(params) == 1 && len(values) > 0
	if agent.Kind == "" || !isSweep {
		p.add(n.Line,
			"expected the key agent and one parameter, like {agent: mcts, iterations: [100, 200]}")
		return
	}
	for _, v := range values {
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			p.add(v.Line, "expected a value of %q, found %s", params[0], found(v))
			continue
		}
		spec := agent.With(params[0], v.Value)
		p.lines[nextElement(list)] = v.Line
		list.Value.Set(reflect.Append(list.Value, reflect.ValueOf(spec)))
	}
}

// report adds the problems of a config at the lines of their fields. A field with a problem is not
// reported again.
func (p *parser) report(invalid error) {
	before := len(p.problems)
	for _, err := range problems.Split(invalid) {
		inField, ok := errors.AsType[*problems.FieldError](err)
		if !ok {
			p.add(p.root, "%v", err)
			continue
		}
		if field := inField.Field; !p.bad[field] {
			p.problems = append(p.problems, problem{p.line(field), field, inField.Err.Error()})
		}
	}
	for _, pr := range p.problems[before:] {
		p.bad[pr.path] = true
	}
}

// line returns the line of a field, or else of what holds it, or else the file's first line.
func (p *parser) line(path string) int {
	for path != "" {
		if line, ok := p.lines[path]; ok {
			return line
		}
		end := strings.LastIndexAny(path, ".[")
		path = path[:max(end, 0)]
	}
	return p.root
}
