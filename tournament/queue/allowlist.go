package queue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules/base/settings"
)

const engineKind = "ugi" // which starts programs

// AllowList lists the agents that a worker's operator allows runs to start.
type AllowList struct {
	// that may be made, external programs not among them; empty: all that aren't interactive
	Kinds []string

	// Engines are the commands of programs that may be started, by their names in specs, which are
	// the parameter engine, or else name. Specs' cmd and dir are ignored.
	Engines map[string]string
}

// Check returns an error unless all kinds exist and may be allowed.
func (p *AllowList) Check(registry *agents.Registry) error {
	for _, name := range p.Kinds {
		kind, err := registry.Kind(agents.Spec{Kind: name})
		switch {
		case err != nil:
			return err
		case kind.Interactive:
			return fmt.Errorf("agent %.60q: expected kinds that play by themselves", name)
		case name == engineKind:
			return fmt.Errorf("agent %.60q: expected kinds that start no programs; "+
				"engines are allowed one by one", name)
		}
	}
	return nil
}

// registry returns the kinds, of which those that aren't allowed return an error. files has the
// local path of each file of a run by its name in specs; times are multiplied by timeScale.
func (p *AllowList) registry(
	base *agents.Registry, files map[string]string, timeScale float64,
) *agents.Registry {
	kinds := base.Kinds()
	for i, k := range kinds {
		// Agents inside of agents are made by the same registry, so they are checked, too. The spec
		// in the records stays as it was sent: only the values of this process are changed.
		kinds[i].New = func(c agents.Config) (agents.Agent, error) {
			c.Values = maps.Clone(c.Values)
			err := p.admit(k, c.Values)
			if err == nil {
				err = localize(k, c.Values, files, timeScale)
			}
			if err != nil {
				return nil, err
			}
			return k.New(c)
		}
	}
	return agents.NewRegistry(kinds...)
}

// admit returns an error for an agent that is not allowed. An engine gets the operator's command.
func (p *AllowList) admit(k agents.Kind, v agents.Values) error {
	if k.Name != engineKind {
		if len(p.Kinds) > 0 && !slices.Contains(p.Kinds, k.Name) {
			return fmt.Errorf("this worker's operator allows %s only", strings.Join(p.Kinds, ", "))
		}
		return nil
	}
	// An engine is found by its name in the spec. Its command is the operator's.
	name := cmp.Or(v["engine"], v["name"])
	command, ok := p.Engines[name]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(p.Engines)), ", ")
		return fmt.Errorf("this worker has no engine %.60q; its operator named %s",
			name, cmp.Or(known, "none"))
	}
	delete(v, "dir")
	v["cmd"] = command
	return nil
}

// localize replaces files by their local paths, refuses other files, and multiplies the move time
// by timeScale.
func localize(k agents.Kind, v agents.Values, files map[string]string, timeScale float64) error {
	for _, d := range k.Params {
		value, given := v[d.Key]
		if !given {
			continue
		}
		// A worker reads no file but those that came with the run.
		if d.IsFile(value) {
			path, ok := files[value]
			if !ok {
				return fmt.Errorf("parameter %s: the file %.60q is not part of the run",
					d.Key, value)
			}
			v[d.Key] = path
		}
		if d.Key == "movetime" && timeScale != 1 {
			moveTime, _ := settings.Parse[time.Duration](value) // it has been checked
			scaled := time.Duration(float64(moveTime) * timeScale)
			v[d.Key] = max(scaled, time.Millisecond).String()
		}
	}
	return nil
}
