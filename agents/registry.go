package agents

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Type is the type of a parameter's value.
type Type string

// The types of parameters.
const (
	Int      Type = "int"      // a whole number
	Float    Type = "float"    // a finite number
	Duration Type = "duration" // a time like 100ms, 1.5s
	Text     Type = "text"     // any text; Choices may restrict it
)

// ParamDef describes a parameter of a kind.
type ParamDef struct {
	Name    string // one that ends in '.' stands for all names that begin with it
	Type    Type
	Default string   // the value that stands when none is given; "" means "none"
	Min     float64  // lowest value of a number, in seconds for a duration
	Max     float64  // highest value of a number
	Choices []string // what a text may be; empty: anything
	File    bool     // a text that names a file, unless it is one of Words
	Words   []string // what in the place of a file's name stands for no file
	Spec    bool     // a text that is the spec of another agent
	Doc     string   // one line
}

// Range returns what the parameter accepts, for people.
func (d ParamDef) Range() string {
	num := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case len(d.Choices) > 0:
		return strings.Join(d.Choices, ", ")
	case d.Type == Text:
		return "text"
	case d.Type == Duration:
		sec := func(x float64) string { return time.Duration(x * float64(time.Second)).String() }
		return sec(d.Min) + " to " + sec(d.Max)
	default:
		return num(d.Min) + " to " + num(d.Max)
	}
}

// check returns an error that says what was expected if value is not accepted.
func (d ParamDef) check(value string) error {
	var x float64
	var err error
	switch d.Type {
	case Int:
		var n int64
		n, err = strconv.ParseInt(value, 10, 64)
		x = float64(n)
	case Float:
		x, err = strconv.ParseFloat(value, 64)
	case Duration:
		var t time.Duration
		t, err = time.ParseDuration(value)
		x = t.Seconds()
	default:
		for _, c := range d.Choices {
			if value == c {
				return nil
			}
		}
		if len(d.Choices) == 0 && value != "" {
			return nil
		}
		return fmt.Errorf("expected %s, found %.60q", d.Range(), value)
	}
	if err != nil || math.IsNaN(x) || x < d.Min || x > d.Max {
		return fmt.Errorf("expected %s, %s, found %.60q", d.Type, d.Range(), value)
	}
	return nil
}

// Values are the parameters of a spec, checked, with defaults filled in.
type Values map[string]string

// Int returns a whole number, 0 where none stands.
func (v Values) Int(name string) int { n, _ := strconv.Atoi(v[name]); return n }

// Float returns a number, 0 where none stands.
func (v Values) Float(name string) float64 { x, _ := strconv.ParseFloat(v[name], 64); return x }

// Duration returns a time, 0 where none stands.
func (v Values) Duration(name string) time.Duration { t, _ := time.ParseDuration(v[name]); return t }

// Kind is a sort of agent.
type Kind struct {
	Name   string
	Doc    string // one line
	Params []ParamDef

	// Interactive marks kinds that need a person at the terminal; tournaments
	// refuse them.
	Interactive bool

	// Around returns the kind with another registry, for kinds that make agents
	// around those of a registry; nil: this one doesn't.
	Around func(*Registry) Kind

	// New makes an agent. v holds every parameter that has a value, checked
	// against Params.
	New func(v Values) (Agent, error)
}

// Common returns the parameters that every kind takes. They are no affair of the
// agent's: tournaments look at them.
func Common() []ParamDef {
	return []ParamDef{
		{Name: "name", Type: Text, Doc: "what tables call the player, in place of the whole spec"},
		{Name: "clock", Type: Text, Doc: "time for a whole game, and after each move, like 1m+1s; in place of the run's"},
	}
}

// Registry holds the kinds of agents that can be made. It is a value, built by
// the program; nothing registers itself.
type Registry struct{ kinds map[string]Kind }

// NewRegistry returns a registry of the given kinds. It panics if two have one name.
func NewRegistry(kinds ...Kind) *Registry {
	r := &Registry{kinds: map[string]Kind{}}
	for _, k := range kinds {
		if _, double := r.kinds[k.Name]; double {
			panic("agents: kind " + k.Name + " is registered twice")
		}
		r.kinds[k.Name] = k
	}
	return r
}

// Kinds returns all kinds, sorted by name.
func (r *Registry) Kinds() []Kind {
	kinds := make([]Kind, 0, len(r.kinds))
	for _, k := range r.kinds {
		kinds = append(kinds, k)
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].Name < kinds[j].Name })
	return kinds
}

// Kind returns the kind a spec names. The error lists the kinds there are.
func (r *Registry) Kind(s Spec) (Kind, error) {
	k, ok := r.kinds[s.Kind]
	if !ok {
		var names []string
		for _, k := range r.Kinds() {
			names = append(names, k.Name)
		}
		return Kind{}, fmt.Errorf("agent %.60q: unknown kind %.60q; expected one of: %s", s, s.Kind, strings.Join(names, ", "))
	}
	return k, nil
}

// Values checks a spec's kind and parameters and fills in the defaults. The
// error joins everything that is wrong.
func (r *Registry) Values(s Spec) (Values, error) {
	k, err := r.Kind(s)
	if err != nil {
		return nil, err
	}
	v := Values{}
	defs := map[string]ParamDef{}
	var names []string
	for _, d := range append(slices.Clone(k.Params), Common()...) {
		defs[d.Name] = d
		names = append(names, d.Name)
		if d.Default != "" {
			v[d.Name] = d.Default
		}
	}
	var errs []error
	for _, p := range s.Params {
		d, ok := defs[p.Name]
		if prefix := strings.IndexByte(p.Name, '.') + 1; !ok && prefix < len(p.Name) {
			d, ok = defs[p.Name[:prefix]]
		}
		if !ok || strings.HasSuffix(p.Name, ".") {
			errs = append(errs, fmt.Errorf("agent %.60q: unknown parameter %.60q; %s takes %s", s, p.Name, s.Kind, strings.Join(names, ", ")))
			continue
		}
		if err := d.check(p.Value); err != nil {
			errs = append(errs, fmt.Errorf("agent %.60q: parameter %s: %w", s, p.Name, err))
			continue
		}
		v[p.Name] = p.Value
	}
	return v, errors.Join(errs...)
}

// New makes the agent a spec names.
func (r *Registry) New(s Spec) (Agent, error) {
	v, err := r.Values(s)
	if err != nil {
		return nil, err
	}
	a, err := r.kinds[s.Kind].New(v)
	if err != nil {
		return nil, fmt.Errorf("agent %.60q: %w", s, err)
	}
	return a, nil
}
