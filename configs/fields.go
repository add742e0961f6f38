package configs

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
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
		i := slices.IndexFunc(fields, func(f settings.Field) bool {
			asText := value.Kind == yaml.ScalarNode && settings.IsText(f.Value.Type())
			return f.Key == path && (!f.Group || asText || f.Value.Kind() == reflect.Pointer)
		})
		below := slices.ContainsFunc(fields, func(f settings.Field) bool { return strings.HasPrefix(f.Key, path+".") })
		switch {
		case i >= 0:
			p.setting(path, value, func() { p.value(value, &fields[i]) })
		case below:
			p.setting(path, value, func() { p.group(value, key.Value, fields, path+".") })
			p.loadOpenings(fields, path)
		default:
			names := keysBelow(fields, prefix)
			hint := ""
			if ours, known := otherKeys[key.Value]; known && slices.Contains(names, word.FindString(ours)) {
				hint = "; expected " + ours
			}
			hint = cmp.Or(hint, suggest.DidYouMean(key.Value, names), ", expected one of: "+strings.Join(names, ", "))
			p.add(key.Line, "unknown key %s in %s%s", found(key), what, hint)
		}
	})
}

var word = regexp.MustCompile(`^\w+`)

// otherKeys are the words of fastchess and cutechess for settings, with what is expected in their place.
var otherKeys = map[string]string{
	"concurrency": "workers", "threads": "workers, games at a time; an agent's threads are its parameter",
	"games": "pairs, of two games each", "repeat": "pairs, whose second game has the sides swapped", "engines": "agents",
	"engine": "agents", "players": "agents", "each": "limits or clock, those of all agents", "tc": "clock",
	"st": "limits.movetime", "movetime": "limits.movetime", "depth": "limits.depth", "nodes": "limits.nodes",
	"timemargin": "time_margin", "margin": "time_margin", "book": "openings.file", "opening": "openings",
	"srand": "seed", "variant": "rules", "tournament": "schedule", "format": "schedule", "type": "schedule",
	"event": "name", "resign": "adjudication", "draw": "adjudication", "maxmoves": "adjudication",
	"pgnout": "out, the folder of a run; gyges export writes its games as PGN",
}

// keysBelow returns the keys that follow a prefix, without those of their groups.
func keysBelow(fields []settings.Field, prefix string) (names []string) {
	for _, f := range fields {
		rest, ok := strings.CutPrefix(f.Key, prefix)
		if name, _, _ := strings.Cut(rest, "."); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// setting reads a setting and notes its line, and whether there was a problem.
func (p *parser) setting(path string, n *yaml.Node, read func()) {
	p.lines[path] = n.Line
	before := len(p.problems)
	read()
	for i := range p.problems[before:] {
		p.bad[path] = true
		if pr := &p.problems[before+i]; pr.path == "" {
			pr.path = path
		}
	}
}

// loadOpenings reads the list of openings that a setting names, if any, by its path from the program's folder.
func (p *parser) loadOpenings(fields []settings.Field, path string) {
	file := path + ".file"
	for _, f := range fields {
		if f.Key != path || p.bad[file] || p.lines[file] == 0 {
			continue
		}
		if o, ok := f.Value.Addr().Interface().(*schedule.Openings); ok {
			list, err := schedule.LoadOpenings(o.File)
			if err != nil {
				p.report(&problems.FieldError{Field: file, Err: err})
			}
			o.Positions, o.Lines = list.Positions, list.Lines
		}
	}
}

// value reads a setting that is no group: a value, a list, or a struct that is there only if its key is.
func (p *parser) value(n *yaml.Node, f *settings.Field) {
	v := f.Value
	switch {
	case v.Type() == reflect.TypeFor[*yaml.Node]():
		v.Set(reflect.ValueOf(n))
	case f.Group && v.Kind() == reflect.Pointer:
		made := settings.New(v.Type().Elem())
		p.settings(n, f.Key[strings.LastIndexByte(f.Key, '.')+1:], made, f.Key+".")
		if n.Kind == yaml.MappingNode {
			v.Set(reflect.ValueOf(made))
		}
	case !settings.IsList(v.Type()):
		if unit := f.Tag.Get("unit"); unit != "" && (n.Tag == "!!int" || n.Tag == "!!float") {
			n = &yaml.Node{Kind: n.Kind, Tag: "!!str", Value: n.Value + unit, Line: n.Line}
		}
		p.scalar(n, v, f.Form())
	default:
		p.list(n, f)
	}
}

// list reads a list. A single text stands for a list of it alone.
func (p *parser) list(n *yaml.Node, f *settings.Field) {
	entries, name := []*yaml.Node{n}, f.Key[strings.LastIndexByte(f.Key, '.')+1:]
	element := f.Value.Type().Elem()
	if n.Kind != yaml.ScalarNode || element.Kind() != reflect.String {
		entries = p.elements(n, name)
	}
	list := reflect.MakeSlice(f.Value.Type(), 0, len(entries))
	add := func(v reflect.Value, line int) {
		p.lines[fmt.Sprintf("%s[%d]", f.Key, list.Len())] = line
		list = reflect.Append(list, v)
	}
	for _, e := range entries {
		v := reflect.New(element).Elem()
		switch {
		case element == reflect.TypeFor[agents.Spec]() && e.Kind == yaml.MappingNode:
			p.sweep(e, func(spec agents.Spec, line int) { add(reflect.ValueOf(spec), line) })
		case element.Kind() == reflect.Struct && !settings.IsText(element):
			path := fmt.Sprintf("%s[%d]", f.Key, list.Len())
			p.setting(path, e, func() { p.settings(e, name, v.Addr().Interface(), path+".") })
			add(v, e.Line)
		case p.scalar(e, v, f.Form()):
			add(v, e.Line)
		case n.Style == yaml.FlowStyle && e.Style == 0 && strings.Contains(e.Value, "="):
			p.problems[len(p.problems)-1].text += "; a value with commas is put in quotes"
		}
	}
	f.Value.Set(list)
}

func (p *parser) elements(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		hint := ""
		if n.Kind == yaml.ScalarNode && n.Value != "" {
			hint = fmt.Sprintf("; write [%.60s]", n.Value)
		}
		p.add(n.Line, "expected a list of %s, found %s%s", what, found(n), hint)
		return nil
	}
	return n.Content
}

// scalar reads a value and reports whether it could be read. form says what is expected.
func (p *parser) scalar(n *yaml.Node, v reflect.Value, form string) bool {
	_, tags := settings.Expected(v.Type())
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.Tag) || n.Value == "" {
		p.add(n.Line, "expected %s, found %s", form, found(n))
		return false
	}
	err := settings.Set(v, n.Value)
	if err != nil {
		p.add(n.Line, "%v", err)
	}
	return err == nil
}

func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// report adds the problems of a config at the lines of their fields. A field with a problem is not reported again.
func (p *parser) report(invalid error) {
	before := len(p.problems)
	for _, err := range problems.Split(invalid) {
		if fe, ok := errors.AsType[*problems.FieldError](err); !ok {
			p.add(p.root, "%v", err)
		} else if !p.bad[fe.Field] {
			p.problems = append(p.problems, problem{p.line(fe.Field), fe.Field, fe.Err.Error()})
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
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return p.root
}
