package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

	// Interactive marks kinds that need a person at the terminal; tournaments refuse them.
	Interactive bool

	// Light reports whether agents of a configuration decide within some hundredths of a second;
	// nil: it isn't known.
	Light func(Config) bool

	// New makes an agent. The error says what the agent lacks, for games under the rules, too.
	New func(Config) (Agent, error)
}

// Config is what an agent is made of.
type Config struct {
	Values                  // of every parameter that has one, checked against Params
	Rules    []*rules.Rules // of the games that the agent will play, if they are known
	Registry *Registry      // makes the agents inside of this one, and reads files
	Idle     chan io.Closer // programs for other agents, see [Registry.Keeping]; nil: none
}

// AllParams returns the parameters of the kind, then those that every kind has.
func (k Kind) AllParams() []ParamDef { return slices.Concat(k.Params, Common()) }

// Param returns the definition of a parameter: the one of that name, else the one of a prefix of
// it.
func (k Kind) Param(name string) (found ParamDef, ok bool) {
	if strings.HasSuffix(name, ".") {
		return found, false // a prefix alone
	}
	for _, d := range k.AllParams() {
		if d.Key == name {
			return d, true
		}
		if d.isPrefix() && strings.HasPrefix(name, d.Key) {
			found, ok = d, true
		}
	}
	return found, ok
}

// Common returns the parameters that every kind has. Agents ignore them; tournaments read them from
// the spec.
func Common() []ParamDef {
	return ParamsOf(&struct {
		Name  string `param:"name" help:"what tables call the player, in place of the whole spec"`
		Clock string `param:"clock" help:"time for a whole game, and after each move, like 1m+1s, or 40/1m+1s for each 40 moves; in place of the run's"`
	}{})
}

// Registry holds the kinds of agents that can be made. It is a value, built by the program; nothing
// registers itself.
type Registry struct {
	kinds map[string]Kind
	read  []File         // see [Registry.Reading]
	idle  chan io.Closer // see [Registry.Keeping]
}

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
	byName := func(a, b Kind) int { return cmp.Compare(a.Name, b.Name) }
	return slices.SortedFunc(maps.Values(r.kinds), byName)
}

// Kind returns the kind a spec names. The error lists the kinds there are.
func (r *Registry) Kind(s Spec) (Kind, error) {
	k, ok := r.kinds[s.Kind]
	if !ok {
		names := slices.Sorted(maps.Keys(r.kinds))
		return k, s.inAgent(errors.New(suggest.Unknown("kind", s.Kind, names)))
	}
	return k, nil
}

// Values checks a spec's kind and parameters and fills in the defaults. The error joins everything
// that is wrong.
func (r *Registry) Values(s Spec) (Values, error) {
	k, err := r.Kind(s)
	if err != nil {
		return nil, err
	}
	v := Values{}
	var names []string // as messages show them
	for _, d := range k.AllParams() {
		name := d.Key
		if d.isPrefix() {
			name += "NAME"
		}
		names = append(names, name)
		if text := d.Default(); text != "" {
			v[d.Key] = text
		}
	}
	var errs []error
	for _, p := range s.Params {
		v[p.Name] = p.Value
		d, ok := k.Param(p.Name)
		if !ok {
			hint := suggest.DidYouMean(p.Name, names)
			if hint == "" {
				hint = "; " + s.Kind + " takes " + strings.Join(names, ", ")
			}
			errs = append(errs, fmt.Errorf("unknown parameter %.60q%s", p.Name, hint))
			continue
		}
		if err := d.Check(p.Value); err != nil {
			errs = append(errs, fmt.Errorf("parameter %s: %w", p.Name, err))
		}
	}
	return v, s.inAgent(errors.Join(errs...))
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
			if !d.NamesAgent() || v[d.Key] == "" {
				continue
			}
			inner, err := ParseSpec(v[d.Key])
			if err != nil {
				return err
			}
			if err := r.Each([]Spec{inner}, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// Config returns what the agent a spec names is made of, for games under rule sets.
func (r *Registry) Config(s Spec, sets ...*rules.Rules) (Config, error) {
	v, err := r.Values(s)
	return Config{v, sets, r, r.idle}, err
}

// Light reports whether the agent a spec names is known to decide within some hundredths of a
// second.
func (r *Registry) Light(s Spec) bool {
	light := r.kinds[s.Kind].Light
	c, err := r.Config(s)
	if err != nil || light == nil {
		return false
	}
	return light(c)
}

// New makes the agent a spec names, for games under rule sets. The error joins everything that is
// wrong.
func (r *Registry) New(s Spec, sets ...*rules.Rules) (Agent, error) {
	c, err := r.Config(s, sets...)
	if err != nil {
		return nil, err
	}
	a, err := r.kinds[s.Kind].New(c)
	if err != nil {
		return nil, s.inAgent(err)
	}
	return a, nil
}

// Start makes the agent a spec names, ready for games under rule sets.
func (r *Registry) Start(ctx context.Context, s Spec, sets ...*rules.Rules) (Agent, error) {
	a, err := r.New(s, sets...)
	if err != nil {
		return nil, err
	}
	if err := a.Start(ctx); err != nil {
		_ = a.Close() // the error before says more
		return nil, s.inAgent(err)
	}
	return a, nil
}
