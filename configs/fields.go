package configs

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/problems"
	"gyges/tournament"
)

// field is a key that a mapping may have.
type field struct {
	name string
	read func(value *yaml.Node)
}

// field returns the key at the end of a path. Problems that read finds get the path.
func (p *parser) field(path string, read func(n *yaml.Node)) field {
	return field{path[strings.LastIndexByte(path, '.')+1:], func(n *yaml.Node) { p.at(path, n, read) }}
}

// at reads a field and notes its line, and whether there was a problem.
func (p *parser) at(path string, n *yaml.Node, read func(n *yaml.Node)) {
	p.lines[path] = n.Line
	before := len(p.problems)
	read(n)
	for i := range p.problems[before:] {
		p.bad[path] = true
		if pr := &p.problems[before+i]; pr.path == "" {
			pr.path = path
		}
	}
}

// group returns a key whose value is a mapping.
func (p *parser) group(path, what string, fields ...field) field {
	return p.field(path, func(n *yaml.Node) { p.mapping(n, what, fields...) })
}

// value returns a key whose value is stored in to, a pointer; see store.
func (p *parser) value(path string, to any) field {
	return p.field(path, func(n *yaml.Node) { p.store(n, to) })
}

// textValue returns a key whose value is a text; what names it in messages.
func (p *parser) textValue(path string, to *string, what string) field {
	return p.field(path, func(n *yaml.Node) {
		if s, ok := p.text(n, what); ok {
			*to = s
		}
	})
}

// store stores a value in what to points to.
func (p *parser) store(n *yaml.Node, to any) {
	switch to := to.(type) {
	case *bool:
		scalar(p, n, to, "true or false", strconv.ParseBool, "!!bool")
	case *int:
		scalar(p, n, to, "a whole number", strconv.Atoi, "!!int")
	case *int64:
		parse := func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }
		scalar(p, n, to, "a whole number", parse, "!!int")
	case *uint64:
		parse := func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }
		scalar(p, n, to, fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)), parse, "!!int")
	case *float64:
		parse := func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
		scalar(p, n, to, "a number", parse, "!!int", "!!float")
	case *time.Duration:
		scalar(p, n, to, "a time with its unit, like 100ms or 1.5s", time.ParseDuration, "!!str")
	case *agents.Spec:
		parsed(p, n, to, "an agent spec, like random or alphabeta:depth=2", agents.ParseSpec)
	case *sprt.Test:
		parsed(p, n, to, "a test, like elo0=0,elo1=10", sprt.Parse)
	case *tournament.Adjudication:
		parsed(p, n, to, "an adjudication, like resign=8:4,proven", tournament.ParseAdjudication)
	default:
		panic(fmt.Sprintf("no values of type %T", to))
	}
}

// scalar stores a value with one of the tags; the message of parse is not used.
func scalar[T any](p *parser, n *yaml.Node, to *T, what string, parse func(string) (T, error), tags ...string) {
	if n.Kind == yaml.ScalarNode && slices.Contains(tags, n.Tag) {
		if x, err := parse(n.Value); err == nil {
			*to = x
			return
		}
	}
	p.add(n.Line, "expected %s, found %s", what, found(n))
}

// parsed stores a text that parse reads.
func parsed[T any](p *parser, n *yaml.Node, to *T, what string, parse func(string) (T, error)) {
	text, ok := p.text(n, what)
	if !ok {
		return
	}
	x, err := parse(text)
	if err != nil {
		p.add(n.Line, "%v", err)
		return
	}
	*to = x
}

// The keys that several kinds of files have.

func (p *parser) name(to *string) field {
	return p.textValue("name", to, "a name, in quotes if it is a number")
}

func (p *parser) out(to *string) field {
	return p.textValue("out", to, "a folder, in quotes if it is a number")
}

// nameOf returns the default name of a run, which is that of its file.
func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// report adds the problems of a config that has been read, at the lines of their
// fields. A field with a problem is not reported again.
func (p *parser) report(invalid error) {
	var more []problem
	for _, err := range problems.Split(invalid) {
		fe, ok := errors.AsType[*problems.FieldError](err)
		switch {
		case !ok:
			more = append(more, problem{line: p.root, text: err.Error()})
		case !p.bad[fe.Field]:
			more = append(more, problem{p.line(fe.Field), fe.Field, fe.Err.Error()})
		}
	}
	for _, pr := range more {
		p.bad[pr.path] = true
	}
	p.problems = append(p.problems, more...)
}

// line returns the line of a field, or else of what holds it, or else the file's
// first line.
func (p *parser) line(path string) int {
	for path != "" {
		if line, ok := p.lines[path]; ok {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return p.root
}
