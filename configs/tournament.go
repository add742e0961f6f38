package configs

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/rules/base/problems"
	"gyges/tournament"
)

// LoadTournament reads a tournament from a YAML file with the keys of [tournament.Config], and validates it. Keys that
// are missing have the values of [tournament.DefaultConfig]; the name is the file's without its extension, and Pairs
// are UnsetPairs. The error joins all problems.
func LoadTournament(path string, registry *agents.Registry) (tournament.Config, error) {
	c := tournament.DefaultConfig()
	c.Name, c.Pairs = nameOf(path), tournament.UnsetPairs
	err := load(path, "a tournament", &c, registry, func(p *parser) {
		whole := c
		whole.SetPairs()
		p.report(whole.Validate(registry))
	})
	return c, err
}

// sweep reads {agent: SPEC, PARAM: [v1, v2]}: the spec with each value of the parameter in turn.
func (p *parser) sweep(n *yaml.Node, add func(spec agents.Spec, line int)) {
	before := len(p.problems)
	var agent, param, values *yaml.Node
	keys := []string{}
	p.entries(n, "a parameter sweep", func(key, value *yaml.Node) {
		keys = append(keys, found(key))
		if key.Value == "agent" {
			agent = value
		} else {
			param, values = key, value
		}
	})
	if len(p.problems) > before {
		return
	}
	if agent == nil || len(keys) != 2 {
		p.add(n.Line, "expected the key agent and one parameter, like {agent: mcts, iterations: [100, 200]}, found %s",
			cmp.Or(strings.Join(keys, ", "), "none"))
		return
	}
	var base agents.Spec
	form := "an agent spec, like random or alphabeta:depth=2"
	if !p.scalar(agent, reflect.ValueOf(&base).Elem(), form) || !p.swept(base, agent.Line, param) {
		return
	}
	what := found(param)
	list := p.elements(values, "values of "+what)
	if values.Kind == yaml.SequenceNode && len(list) == 0 {
		p.add(values.Line, "expected a list of values of %s, found an empty one", what)
	}
	for _, v := range list {
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			p.add(v.Line, "expected a value of %s, found %s", what, found(v))
			continue
		}
		add(base.With(param.Value, v.Value), v.Line)
	}
}

// swept checks the spec of a sweep, and that it lacks the parameter, so that a mistake there is reported once.
func (p *parser) swept(base agents.Spec, line int, param *yaml.Node) bool {
	_, err := p.registry.Values(base)
	if err == nil {
		line = param.Line
		kind, _ := p.registry.Kind(base) // it is known
		isParam := func(q agents.Param) bool { return q.Name == param.Value }
		if _, known := kind.Param(param.Value); !known {
			_, err = p.registry.Values(base.With(param.Value, ""))
		} else if slices.ContainsFunc(base.Params, isParam) {
			err = fmt.Errorf("agent %.60q: parameter %s is given twice", base, param.Value)
		}
	}
	for _, e := range problems.Split(err) {
		p.add(line, "%v", e)
	}
	return err == nil
}
