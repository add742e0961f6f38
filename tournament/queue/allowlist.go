package queue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gyges/agents"
)

// engineKind is the kind that starts programs; the others are its parameters.
const (
	engineKind = "ugi"
	engineName = "name"
	engineCmd  = "cmd"
	engineDir  = "dir"
)

// AllowList lists the agents that a worker's operator allows runs to start.
type AllowList struct {
	// Kinds are the kinds of agents that may be made; empty: all that aren't
	// interactive. External programs are not among them.
	Kinds []string

	// Engines are the commands of the external programs that may be started, by the
	// name in specs (ugi:name=NAME). Parameters cmd and dir of the spec are ignored.
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
			return fmt.Errorf("agent %.60q: expected kinds that start no programs; engines are allowed one by one", name)
		}
	}
	return nil
}

// registry returns the kinds that may be made. files has the local path of each
// file of a run by its name in specs; times are multiplied by timeScale.
func (p *AllowList) registry(base *agents.Registry, files map[string]string, timeScale float64) *agents.Registry {
	kinds := base.Kinds()
	p.restrict(kinds, files, timeScale)
	return agents.NewRegistry(kinds...)
}

// restrict makes kinds that are not allowed return an error.
func (p *AllowList) restrict(kinds []agents.Kind, files map[string]string, timeScale float64) {
	for i := range kinds {
		k := &kinds[i]
		switch {
		case k.Interactive:
			continue
		case k.Name == engineKind:
			k.New = p.engine(k.New)
		case len(p.Kinds) > 0 && !slices.Contains(p.Kinds, k.Name):
			k.New = func(agents.Config) (agents.Agent, error) {
				return nil, fmt.Errorf("this worker's operator allows %s only", strings.Join(p.Kinds, ", "))
			}
		}
		k.New = localized(k.Params, k.New, files, timeScale)
	}
}

// constructor makes an agent, as in [agents.Kind].
type constructor = func(agents.Config) (agents.Agent, error)

// engine returns a constructor of the engines that the operator named, with the
// operator's commands.
func (p *AllowList) engine(construct constructor) constructor {
	return func(c agents.Config) (agents.Agent, error) {
		name := c.Values[engineName]
		command, ok := p.Engines[name]
		if !ok {
			names := strings.Join(slices.Sorted(maps.Keys(p.Engines)), ", ")
			return nil, fmt.Errorf("this worker has no engine %.60q; its operator named %s",
				name, cmp.Or(names, "none"))
		}
		c.Values = maps.Clone(c.Values)
		delete(c.Values, engineDir)
		c.Values[engineCmd] = command
		return construct(c)
	}
}

// localized returns a constructor that replaces files by their local paths, refuses
// other files, and multiplies the move time by timeScale.
func localized(params []agents.ParamDef, construct constructor, files map[string]string,
	timeScale float64) constructor {
	return func(c agents.Config) (agents.Agent, error) {
		v := maps.Clone(c.Values)
		for _, d := range params {
			value, given := v[d.Name]
			switch {
			case !given:
			case d.IsFile(value):
				path, ok := files[value]
				if !ok {
					return nil, fmt.Errorf("parameter %s: the file %.60q is not part of the run", d.Name, value)
				}
				v[d.Name] = path
			case d.Name == moveTimeParam && d.Type == agents.Duration && timeScale != 1:
				v[d.Name] = max(time.Duration(float64(v.Duration(d.Name))*timeScale), time.Millisecond).String()
			}
		}
		c.Values = v
		return construct(c)
	}
}

// filesOf returns the files that the agents of a run need. Engines must have a name,
// since workers find them by it.
func filesOf(registry *agents.Registry, specs []agents.Spec) ([]string, error) {
	var files []string
	err := registry.Each(specs, func(spec agents.Spec, kind agents.Kind, v agents.Values) error {
		if kind.Name == engineKind && v[engineName] == "" {
			return fmt.Errorf("agent %.60q: expected name=NAME, by which workers find the engine", spec)
		}
		for _, d := range kind.Params {
			if d.IsFile(v[d.Name]) && !slices.Contains(files, v[d.Name]) {
				files = append(files, v[d.Name])
			}
		}
		return nil
	})
	return files, err
}
