package configs

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/tournament/selfplay"
)

// LoadSelfPlay reads self-play from a YAML file, whose keys are those of
// configs/selfplay/standard.yaml, and checks all of it with
// [selfplay.Config.Validate]. Keys that are missing have the values of
// [selfplay.DefaultConfig]; the name is the file's without its extension; an
// Out that is missing stays empty. The error joins everything that is wrong.
func LoadSelfPlay(path string, registry *agents.Registry) (selfplay.Config, error) {
	p := &parser{file: path}
	root, err := p.document()
	if err != nil {
		return selfplay.Config{}, err
	}
	c := selfplay.DefaultConfig()
	c.Tournament.Name = nameOf(path)
	if root != nil {
		t := tournamentReader{parser: p, config: c.Tournament, lines: map[string]int{}, bad: map[string]bool{}}
		t.mapping(root, "self-play", append(t.common(),
			t.field("explore", func(n *yaml.Node) {
				t.mapping(n, "exploration",
					field{"temperature", t.at("explore.temperature", func(n *yaml.Node) { t.floatInto(n, &c.Explore.Temperature) })},
					field{"random", t.at("explore.random", func(n *yaml.Node) { t.floatInto(n, &c.Explore.Random) })},
					field{"plies", t.at("explore.plies", func(n *yaml.Node) { t.intInto(n, &c.Explore.Plies) })},
				)
			}),
			t.field("split", func(n *yaml.Node) {
				t.mapping(n, "a split",
					field{"validation", t.at("split.validation", func(n *yaml.Node) { t.intInto(n, &c.Split.Validation) })},
					field{"test", t.at("split.test", func(n *yaml.Node) { t.intInto(n, &c.Split.Test) })},
				)
			}),
		)...)
		c.Tournament = t.config
		if root.Kind == yaml.MappingNode {
			t.validate(root, c.Validate(registry))
		}
	}
	return c, p.err()
}

func (t *tournamentReader) floatInto(n *yaml.Node, to *float64) {
	if n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float") {
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil {
			*to = x
			return
		}
	}
	t.add(n.Line, "expected a number, found %s", found(n))
}
