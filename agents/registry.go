package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gyges/rules"
	"gyges/rules/base/suggest"
)

// Kind is a sort of agent.
type Kind struct {
	Name   string
	Doc    string // one line
	Params []ParamDef
	Level  bool // a named level: another agent under a name

	// Interactive marks kinds that need a person at the terminal; tournaments
	// refuse them.
	Interactive bool

	// Around returns the kind with another registry, for kinds that make agents
	// around those of a registry; nil for others.
	Around func(*Registry) Kind

	// Light reports whether agents of these values decide within some hundredths of a second; nil: it isn't known.
	Light func(Values) bool

	// New makes an agent. v holds every parameter that has a value, checked
	// against Params.
	New func(v Values) (Agent, error)
}

// AllParams returns the parameters of the kind, then those that every kind has.
func (k Kind) AllParams() []ParamDef { return slices.Concat(k.Params, Common()) }

// Param returns the definition of a parameter: the one of that name, else the one
// of a prefix of it.
func (k Kind) Param(name string) (ParamDef, bool) {
	prefix := name[:strings.IndexByte(name, '.')+1]
	var found ParamDef
	for _, d := range k.AllParams() {
		switch {
		case strings.HasSuffix(name, "."):
		case d.Name == name:
			return d, true
		case d.Name == prefix:
			found = d
		}
	}
	return found, found.Name != ""
}

// Common returns the parameters that every kind has. Agents ignore them;
// tournaments read them from the spec.
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
	return slices.SortedFunc(maps.Values(r.kinds), func(a, b Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// Kind returns the kind a spec names. The error lists the kinds there are.
func (r *Registry) Kind(s Spec) (Kind, error) {
	k, ok := r.kinds[s.Kind]
	if !ok {
		names := slices.Sorted(maps.Keys(r.kinds))
		return k, fmt.Errorf("agent %.60q: %s", s, suggest.Unknown("kind", s.Kind, names))
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
	var names []string
	for _, d := range k.AllParams() {
		names = append(names, d.Name)
		if d.Default != "" {
			v[d.Name] = d.Default
		}
	}
	var errs []error
	for _, p := range s.Params {
		d, ok := k.Param(p.Name)
		hint := cmp.Or(suggest.DidYouMean(p.Name, names), "; "+s.Kind+" takes "+strings.Join(names, ", "))
		err := fmt.Errorf("unknown parameter %.60q%s", p.Name, hint)
		if ok {
			if err = d.check(p.Value); err != nil {
				err = fmt.Errorf("parameter %s: %w", p.Name, err)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("agent %.60q: %w", s, err))
			continue
		}
		v[p.Name] = p.Value
	}
	return v, errors.Join(errs...)
}

// Each calls f for the agents that specs name, and for those inside them, until an error.
func (r *Registry) Each(specs []Spec, f func(Spec, Kind, Values) error) error {
	for _, spec := range specs {
		v, err := r.Values(spec)
		if err != nil {
			return err
		}
		kind := r.kinds[spec.Kind]
		if err := f(spec, kind, v); err != nil {
			return err
		}
		for _, d := range kind.Params {
			if !d.Spec || v[d.Name] == "" {
				continue
			}
			inner, err := ParseSpec(v[d.Name])
			if err == nil {
				err = r.Each([]Spec{inner}, f)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Light reports whether the agent a spec names is known to decide within some hundredths of a second.
func (r *Registry) Light(s Spec) bool {
	v, err := r.Values(s)
	light := r.kinds[s.Kind].Light
	return err == nil && light != nil && light(v)
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

// Start makes the agent a spec names, ready for games under rule sets.
func (r *Registry) Start(ctx context.Context, s Spec, sets ...*rules.Rules) (Agent, error) {
	a, err := r.New(s)
	if err != nil {
		return nil, err
	}
	if err := Start(ctx, a, sets...); err != nil {
		_ = Close(a) // the error before says more
		return nil, fmt.Errorf("agent %.60q: %w", s, err)
	}
	return a, nil
}
