package configs

import (
	"reflect"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/tournament"
)

// LoadTournament reads a tournament from a YAML file with the keys of [tournament.Config], and validates it. Keys that
// are missing have the values of [tournament.DefaultConfig]; the name is the file's without its extension, and Pairs
// are UnsetPairs. The error joins all problems.
func LoadTournament(path string, registry *agents.Registry) (tournament.Config, error) {
	c := tournament.DefaultConfig()
	c.Name, c.Pairs = nameOf(path), tournament.UnsetPairs
	err := load(path, "a tournament", &c, func(p *parser) {
		whole := c
		whole.SetPairs()
		p.report(whole.Validate(registry))
	})
	return c, err
}

// sweep reads {agent: SPEC, PARAM: [v1, v2]}: the spec with each value of the parameter in turn.
func (p *parser) sweep(n *yaml.Node, add func(spec agents.Spec, line int)) {
	before := len(p.problems)
	var agent agents.Spec
	var params []string
	var values []*yaml.Node
	p.entries(n, "a parameter sweep", func(key, value *yaml.Node) {
		if key.Value == "agent" {
			p.scalar(value, reflect.ValueOf(&agent).Elem(), "an agent spec, like random or alphabeta:depth=2")
			return
		}
		params, values = append(params, key.Value), p.elements(value, "values of "+found(key))
	})
	if len(p.problems) > before {
		return
	}
	if agent.Kind == "" || len(params) != 1 || len(values) == 0 {
		p.add(n.Line, "expected the key agent and one parameter, like {agent: mcts, iterations: [100, 200]}")
		return
	}
	for _, v := range values {
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			p.add(v.Line, "expected a value of %q, found %s", params[0], found(v))
			continue
		}
		add(agent.With(params[0], v.Value), v.Line)
	}
}
