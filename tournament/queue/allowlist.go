package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gyges/agents"
)

// engineKind is the kind that starts programs, and the parameters that say which.
const (
	engineKind = "ugi"
	engineName = "name"
	engineCmd  = "cmd"
	engineDir  = "dir"
)

// AllowList is what a worker's operator allows runs to start on it.
type AllowList struct {
	// Kinds are the kinds of agents that may be made; empty: all that play by
	// themselves. External programs are not among them.
	Kinds []string

	// Engines are the commands of the external programs that may be started, by the
	// name in specs (ugi:name=NAME). Parameters cmd and dir of the spec are ignored.
	Engines map[string]string
}

// Check reports an error unless all kinds exist and may be allowed.
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
	plain := slices.DeleteFunc(base.Kinds(), func(k agents.Kind) bool { return k.Around != nil })
	p.restrict(plain, files, timeScale)
	inner := agents.NewRegistry(plain...)
	var around []agents.Kind // around allowed kinds only
	for _, k := range base.Kinds() {
		if k.Around != nil {
			around = append(around, k.Around(inner))
		}
	}
	p.restrict(around, files, timeScale)
	return agents.NewRegistry(append(plain, around...)...)
}

// restrict makes kinds that are not allowed return an error.
func (p *AllowList) restrict(kinds []agents.Kind, files map[string]string, timeScale float64) {
	for i := range kinds {
		k := &kinds[i]
		switch {
		case k.Interactive:
		case k.Name == engineKind:
			k.New = p.engine(k.New)
		case len(p.Kinds) > 0 && !slices.Contains(p.Kinds, k.Name):
			k.New = func(agents.Values) (agents.Agent, error) {
				return nil, fmt.Errorf("this worker's operator allows %s only", strings.Join(p.Kinds, ", "))
			}
		}
		if !k.Interactive {
			k.New = localized(k.Params, k.New, files, timeScale)
		}
	}
}

// engine makes an engine that the operator named, with the operator's command.
func (p *AllowList) engine(make func(agents.Values) (agents.Agent, error)) func(agents.Values) (agents.Agent, error) {
	return func(v agents.Values) (agents.Agent, error) {
		command, ok := p.Engines[v[engineName]]
		if !ok {
			return nil, fmt.Errorf("this worker has no engine %.60q; its operator named %s", v[engineName], orNone(slices.Sorted(maps.Keys(p.Engines))))
		}
		v = maps.Clone(v)
		delete(v, engineDir)
		v[engineCmd] = command
		return make(v)
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// localized wraps the constructor of an agent: its files are replaced by their local
// paths, other files are refused, and its move time is multiplied by timeScale.
func localized(params []agents.ParamDef, make func(agents.Values) (agents.Agent, error), files map[string]string, timeScale float64) func(agents.Values) (agents.Agent, error) {
	return func(v agents.Values) (agents.Agent, error) {
		v = maps.Clone(v)
		for _, d := range params {
			value, given := v[d.Name]
			switch {
			case !given:
			case isFile(d, value):
				path, ok := files[value]
				if !ok {
					return nil, fmt.Errorf("parameter %s: the file %.60q did not come with the run", d.Name, value)
				}
				v[d.Name] = path
			case d.Name == moveTimeParam && d.Type == agents.Duration && timeScale != 1:
				v[d.Name] = max(time.Duration(float64(v.Duration(d.Name))*timeScale), time.Millisecond).String()
			}
		}
		return make(v)
	}
}

// isFile reports whether a parameter's value names a file.
func isFile(d agents.ParamDef, value string) bool {
	return d.File && value != "" && !slices.Contains(d.Words, value)
}

// filesOf returns the files that the agents of a run need. Engines must have a name,
// since workers find them by it.
func filesOf(registry *agents.Registry, specs []agents.Spec) ([]string, error) {
	var files []string
	for len(specs) > 0 {
		spec := specs[0]
		specs = specs[1:]
		kind, err := registry.Kind(spec)
		if err != nil {
			return nil, err
		}
		v, err := registry.Values(spec)
		if err != nil {
			return nil, err
		}
		if kind.Name == engineKind && v[engineName] == "" {
			return nil, fmt.Errorf("agent %.60q: expected name=NAME, by which workers find the engine", spec)
		}
		inner, err := innerSpecs(kind, v)
		if err != nil {
			return nil, err
		}
		specs = append(inner, specs...)
		for _, d := range kind.Params {
			if isFile(d, v[d.Name]) && !slices.Contains(files, v[d.Name]) {
				files = append(files, v[d.Name])
			}
		}
	}
	return files, nil
}

// innerSpecs returns the specs of the agents that an agent contains.
func innerSpecs(kind agents.Kind, v agents.Values) ([]agents.Spec, error) {
	var list []agents.Spec
	for _, d := range kind.Params {
		if !d.Spec || v[d.Name] == "" {
			continue
		}
		spec, err := agents.ParseSpec(v[d.Name])
		if err != nil {
			return nil, err
		}
		list = append(list, spec)
	}
	return list, nil
}
