package configs

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/training"
)

// LoadTraining reads a training from a YAML file, whose keys are those of
// configs/training/standard.yaml, and checks all of it with
// [training.Config.Validate]. Keys that are missing have the values of
// [training.DefaultConfig]. The error joins everything that is wrong.
func LoadTraining(path string, registry *agents.Registry) (training.Config, error) {
	c := training.DefaultConfig()
	weights := eval.DefaultName
	var features *yaml.Node
	read := func(t *tuningReader, root *yaml.Node) {
		c.Name = t.config.Name
		play, match := t.part(c.SelfPlay.Tournament), t.part(c.Match)
		t.mapping(root, "a training",
			t.field("name", func(n *yaml.Node) { t.textInto(n, &c.Name, "a name, in quotes if it is a number") }),
			t.field("rules", t.oneRules),
			t.field("agent", func(n *yaml.Node) { t.specInto(n, &c.Agent) }),
			t.field("weights", func(n *yaml.Node) { t.textInto(n, &weights, "default, classic or a weights file") }),
			t.field("generations", func(n *yaml.Node) { t.intInto(n, &c.Generations) }),
			t.field("selfplay", func(n *yaml.Node) {
				x := &c.SelfPlay
				t.mapping(n, "self-play",
					t.field("selfplay.agent", func(n *yaml.Node) { t.specInto(n, &c.SelfPlayAgent) }).named("agent"),
					t.field("selfplay.pairs", func(n *yaml.Node) { t.intInto(n, &play.config.Pairs) }).named("pairs"),
					t.field("selfplay.openings", play.openings).named("openings"),
					t.field("selfplay.limits", play.limits).named("limits"),
					t.field("selfplay.explore.temperature", func(n *yaml.Node) { t.floatInto(n, &x.Explore.Temperature) }).named("temperature"),
					t.field("selfplay.explore.random", func(n *yaml.Node) { t.floatInto(n, &x.Explore.Random) }).named("random"),
					t.field("selfplay.split.validation", func(n *yaml.Node) { t.intInto(n, &x.Split.Validation) }).named("validation"),
					t.field("selfplay.split.test", func(n *yaml.Node) { t.intInto(n, &x.Split.Test) }).named("test"),
				)
			}),
			t.field("tune", func(n *yaml.Node) {
				s := &c.Settings
				t.mapping(n, "a fit",
					t.field("window", func(n *yaml.Node) { t.intInto(n, &c.Window) }),
					t.field("data", func(n *yaml.Node) { c.Data = t.folders(n) }),
					t.field("features", func(n *yaml.Node) { features = n }),
					t.field("tune.positions", func(n *yaml.Node) { t.intInto(n, &c.Choice.Positions) }).named("positions"),
					t.field("quiet", func(n *yaml.Node) { t.boolInto(n, &c.Choice.Quiet) }),
					t.field("leaves", func(n *yaml.Node) { t.boolInto(n, &c.Choice.Leaves) }),
					t.network(s),
					t.field("tune.lambda", func(n *yaml.Node) { t.floatInto(n, &s.Lambda) }).named("lambda"),
					t.field("tune.l2", func(n *yaml.Node) { t.floatInto(n, &s.L2) }).named("l2"),
					t.field("tune.scale", func(n *yaml.Node) { t.floatInto(n, &s.Scale) }).named("scale"),
					t.field("tune.iterations", func(n *yaml.Node) { t.intInto(n, &s.Iterations) }).named("iterations"),
					t.field("tune.patience", func(n *yaml.Node) { t.intInto(n, &s.Patience) }).named("patience"),
				)
			}),
			t.field("match", func(n *yaml.Node) {
				t.mapping(n, "a match",
					t.field("match.sprt", func(n *yaml.Node) { t.testInto(n, &c.Match.SPRT) }).named("sprt"),
					t.field("match.pairs", func(n *yaml.Node) { t.intInto(n, &match.config.Pairs) }).named("pairs"),
					t.field("match.openings", match.openings).named("openings"),
					t.field("match.limits", match.limits).named("limits"),
				)
			}),
			t.field("rating", func(n *yaml.Node) { t.intInto(n, &c.Rating) }),
			t.field("seed", t.seed),
			t.field("workers", func(n *yaml.Node) { t.intInto(n, &t.config.Workers) }),
			t.field("out", func(n *yaml.Node) { t.textInto(n, &c.Out, "a folder, in quotes if it is a number") }),
		)
		c.Rules, c.Seed, c.Workers = t.config.Rules[0], t.config.Seed, t.config.Workers
		test := c.Match.SPRT
		c.SelfPlay.Tournament, c.Match = play.config, match.config
		c.Match.SPRT = test
		c.Weights = t.parent(weights, c.Rules)
		c.Settings.Frozen = t.frozen(features)
		if !t.bad["agent"] && !t.bad["selfplay.agent"] && !t.bad["weights"] {
			t.validate(root, c.Validate(registry))
		}
	}
	return c, loadTuning(path, read)
}

// folders reads a list of folders of samples.
func (t *tuningReader) folders(n *yaml.Node) []string {
	var list []string
	for _, e := range t.list(n, "folders of samples") {
		if dir, ok := t.text(e, "a folder of samples"); ok {
			t.lines[fmt.Sprintf("tune.data[%d]", len(list))] = e.Line
			list = append(list, dir)
		}
	}
	return list
}

// part reads a part of the file that has openings and limits of its own.
func (t *tuningReader) part(c tournament.Config) *tournamentReader {
	return &tournamentReader{parser: t.parser, config: c, lines: t.lines, bad: t.bad}
}

// named is a field under another key.
func (f field) named(key string) field {
	f.name = key
	return f
}

func (t *tuningReader) specInto(n *yaml.Node, to *agents.Spec) {
	text, ok := t.text(n, "an agent spec, like alphabeta:depth=2")
	if !ok {
		return
	}
	spec, err := agents.ParseSpec(text)
	if err != nil {
		t.add(n.Line, "%v", err)
		return
	}
	*to = spec
}

func (t *tuningReader) testInto(n *yaml.Node, to *sprt.Test) {
	text, ok := t.text(n, "a test, like elo0=0,elo1=10")
	if !ok {
		return
	}
	test, err := sprt.Parse(text)
	if err != nil {
		t.add(n.Line, "%v", err)
		return
	}
	*to = test
}
