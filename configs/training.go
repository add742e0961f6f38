package configs

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/ranking"
	"gyges/agents/tuning/spsa"
	"gyges/agents/tuning/texel"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/textfmt"
	"gyges/tournament/training"
)

// LoadSelfPlay reads self-play from a YAML file, whose keys are those of
// configs/selfplay/standard.yaml, and checks all of it with
// [training.SelfPlay.Validate]. Keys that are missing have the values of
// [training.DefaultSelfPlay]; the name is the file's without its extension; an
// Out that is missing stays empty. The error joins all problems.
func LoadSelfPlay(path string, registry *agents.Registry) (training.SelfPlay, error) {
	c := training.DefaultSelfPlay()
	c.Tournament.Name = nameOf(path)
	fields := func(p *parser) []field {
		return append(p.gameFields(&c.Tournament, registry),
			p.group("explore", "exploration",
				p.value("explore.temperature", &c.Explore.Temperature),
				p.value("explore.random", &c.Explore.Random),
				p.value("explore.plies", &c.Explore.Plies),
			),
			p.group("split", "a split",
				p.value("split.validation", &c.Split.Validation),
				p.value("split.test", &c.Split.Test),
			),
		)
	}
	return c, load(path, "self-play", fields, func(p *parser) { p.report(c.Validate(registry)) })
}

// LoadTexel reads a fit of weights from a YAML file, whose keys are those of
// configs/tuning/texel.yaml. The error joins all problems.
func LoadTexel(path string) (training.Texel, error) {
	c := training.DefaultTexel()
	c.Name = nameOf(path)
	weights := eval.DefaultName
	fields := func(p *parser) []field {
		return slices.Concat([]field{
			p.name(&c.Name),
			p.oneRules(&c.Rules),
			p.field("data", func(n *yaml.Node) { c.Data = p.folders("data", n) }),
			p.weights(&weights),
		}, p.fitFields("", &c.Fit), []field{p.out(&c.Out)})
	}
	return c, load(path, "a Texel tuning", fields, func(p *parser) {
		c.Parent = p.loadWeights(weights, c.Rules)
		p.report(c.Validate())
	})
}

// fitFields are the keys of a fit; prefix is the path of what holds them.
func (p *parser) fitFields(prefix string, f *training.Fit) []field {
	s := &f.Settings
	return []field{
		p.field(prefix+"features", func(n *yaml.Node) { s.Frozen = p.frozen(n) }),
		p.value(prefix+"positions", &f.Choice.Positions),
		p.value(prefix+"quiet", &f.Choice.Quiet),
		p.value(prefix+"leaves", &f.Choice.Leaves),
		p.field(prefix+"network", func(n *yaml.Node) {
			network := &texel.Network{Seed: 1}
			if n.Kind == yaml.MappingNode {
				s.Network = network
			}
			p.mapping(n, "a network",
				p.value(prefix+"network.epochs", &network.Epochs),
				p.value(prefix+"network.batch", &network.Batch),
				p.value(prefix+"network.rate", &network.Rate),
				p.value(prefix+"network.decay", &network.Decay),
				p.value(prefix+"network.seed", &network.Seed),
			)
		}),
		p.field(prefix+"policy", func(n *yaml.Node) {
			policy := &ranking.Settings{Seed: 1}
			if n.Kind == yaml.MappingNode {
				f.Policy = policy
			}
			p.mapping(n, "a policy",
				p.value(prefix+"policy.epochs", &policy.Epochs),
				p.value(prefix+"policy.rate", &policy.Rate),
				p.value(prefix+"policy.seed", &policy.Seed),
			)
		}),
		p.value(prefix+"lambda", &s.Lambda),
		p.value(prefix+"l2", &s.L2),
		p.value(prefix+"scale", &s.Scale),
		p.value(prefix+"iterations", &s.Iterations),
		p.value(prefix+"patience", &s.Patience),
	}
}

// frozen reads the list of the features that are tuned and returns which are not.
func (p *parser) frozen(n *yaml.Node) []bool {
	frozen := slices.Repeat([]bool{true}, eval.NumFeatures)
	for _, e := range p.list(n, "features") {
		name, ok := p.text(e, "the name of a feature, like near")
		if !ok {
			continue
		}
		i := slices.Index(eval.Names(), name)
		switch {
		case i < 0:
			p.add(e.Line, "%s", textfmt.Unknown("feature", name, eval.Names()))
		case !frozen[i]:
			p.add(e.Line, "%s is listed twice", name)
		default:
			frozen[i] = false
		}
	}
	return frozen
}

// weights is the key of the initial weights.
func (p *parser) weights(to *string) field {
	return p.textValue("weights", to, "zero, default, classic or a weights file")
}

// zeroWeights names initial weights that are all zero, without a network.
const zeroWeights = "zero"

// loadWeights loads the initial weights.
func (p *parser) loadWeights(name string, r *rules.Rules) eval.Weights {
	if name == zeroWeights {
		return eval.Weights{Rules: eval.Family(r), Provenance: eval.Provenance{Method: zeroWeights}, Source: zeroWeights}
	}
	source, err := eval.Load(name)
	var w eval.Weights
	if err == nil {
		w, err = tuning.WeightsOf(source, r)
	}
	if err != nil {
		p.report(&problems.FieldError{Field: "weights", Err: err})
	}
	return w
}

// LoadSPSA reads an SPSA run from a YAML file, whose keys are those of
// configs/tuning/spsa.yaml. The error joins all problems.
func LoadSPSA(path string, registry *agents.Registry) (training.SPSA, error) {
	c := training.DefaultSPSA()
	m, s := &c.Match, &c.Settings
	m.Name = nameOf(path)
	var parameters *yaml.Node
	fields := func(p *parser) []field {
		return []field{
			p.name(&m.Name),
			p.oneRules(&m.Rules[0]),
			p.field("agent", func(n *yaml.Node) {
				var spec agents.Spec
				if p.store(n, &spec); spec.Kind != "" {
					m.Agents = []agents.Spec{spec}
				}
			}),
			p.openings("openings", &m.Openings),
			p.limits("limits", &m.Limits),
			p.value("stall_timeout", &m.StallTimeout),
			p.value("seed", &m.Seed),
			p.value("workers", &m.Workers),
			p.out(&m.Out),
			p.group("verification", "a verification",
				p.value("verification.every", &c.Verification.Every),
				p.value("verification.pairs", &c.Verification.Pairs),
			),
			p.value("steps", &s.Steps),
			p.field("parameters", func(n *yaml.Node) { parameters = n }),
			p.value("pairs", &s.Pairs),
			p.value("alpha", &s.Alpha),
			p.value("gamma", &s.Gamma),
			p.value("a", &s.A),
		}
	}
	return c, load(path, "an SPSA tuning", fields, func(p *parser) {
		p.bad["parameters"] = parameters != nil // not read yet, as they depend on the agent
		p.report(c.Validate(registry))
		if parameters != nil && !p.bad["agent"] {
			p.bad["parameters"] = false
			p.at("parameters", parameters, func(n *yaml.Node) { s.Params = p.params(n, &c, registry) })
			p.report(c.Validate(registry))
		}
	})
}

// params reads the parameters that are tuned.
func (p *parser) params(n *yaml.Node, c *training.SPSA, registry *agents.Registry) []spsa.Param {
	var list []spsa.Param
	p.entries(n, "parameters", func(key, value *yaml.Node) {
		path := "parameters." + key.Value
		p.at(path, value, func(n *yaml.Node) {
			p.lines[path] = key.Line
			t, err := tuning.Find(registry, c.Match.Agents[0], c.Match.Rules[0], key.Value)
			if err != nil {
				p.add(key.Line, "%v", err)
				return
			}
			x := spsa.Param{Name: key.Value, Start: t.Start, Min: t.Min, Max: t.Max, Whole: t.Whole}
			number := func(name string, to *float64) field {
				return field{name, func(n *yaml.Node) { p.store(n, to) }}
			}
			p.mapping(n, "a parameter", number("start", &x.Start), number("min", &x.Min), number("max", &x.Max),
				number("c", &x.C), number("r", &x.R))
			if x.Min < t.Min || t.Max < x.Max {
				p.add(key.Line, "expected min and max from %v to %v, found %v and %v", t.Min, t.Max, x.Min, x.Max)
			}
			list = append(list, x)
		})
	})
	return list
}

// LoadGenerations reads a run of generations from a YAML file, whose keys are those of
// configs/training/standard.yaml, and checks all of it with
// [training.Generations.Validate]. Keys that are missing have the values of
// [training.DefaultGenerations]. The error joins all problems.
func LoadGenerations(path string, registry *agents.Registry) (training.Generations, error) {
	c := training.DefaultGenerations()
	c.Name = nameOf(path)
	weights := eval.DefaultName
	play := &c.SelfPlay
	fields := func(p *parser) []field {
		return []field{
			p.name(&c.Name),
			p.oneRules(&c.Rules),
			p.value("agent", &c.Agent),
			p.weights(&weights),
			p.value("generations", &c.Count),
			p.value("time", &c.Time),
			p.group("selfplay", "self-play",
				p.value("selfplay.agent", &c.SelfPlayAgent),
				p.value("selfplay.pairs", &play.Tournament.Pairs),
				p.field("selfplay.stages", func(n *yaml.Node) { c.Stages = p.stages("selfplay.stages", n) }),
				p.openings("selfplay.openings", &play.Tournament.Openings),
				p.limits("selfplay.limits", &play.Tournament.Limits),
				p.value("selfplay.explore.temperature", &play.Explore.Temperature),
				p.value("selfplay.explore.random", &play.Explore.Random),
				p.value("selfplay.split.validation", &play.Split.Validation),
				p.value("selfplay.split.test", &play.Split.Test),
			),
			p.group("tune", "a fit", append([]field{
				p.value("tune.window", &c.Window),
				p.field("tune.data", func(n *yaml.Node) { c.Data = p.folders("tune.data", n) }),
			}, p.fitFields("tune.", &c.Fit)...)...),
			p.group("match", "a match",
				p.value("match.sprt", &c.Match.SPRT),
				p.value("match.pairs", &c.Match.Pairs),
				p.openings("match.openings", &c.Match.Openings),
				p.limits("match.limits", &c.Match.Limits),
			),
			p.group("rating", "a rating",
				p.value("rating.pairs", &c.Rating.Pairs),
				p.value("rating.every", &c.Rating.Every),
				p.textValue("rating.reference", &c.Rating.Reference, "default, classic or a weights file"),
			),
			p.value("seed", &c.Seed),
			p.value("workers", &c.Workers),
			p.out(&c.Out),
		}
	}
	return c, load(path, "a training", fields, func(p *parser) {
		c.Weights = p.loadWeights(weights, c.Rules)
		p.report(c.Validate(registry))
	})
}

// stages reads a list of changes of the self-play.
func (p *parser) stages(path string, n *yaml.Node) []training.Stage {
	var list []training.Stage
	for _, e := range p.list(n, "stages") {
		s, at := training.Stage{}, fmt.Sprintf("%s[%d]", path, len(list))
		p.at(at, e, func(n *yaml.Node) {
			p.mapping(n, "a stage", p.value(at+".from", &s.From), p.value(at+".agent", &s.Agent),
				p.value(at+".pairs", &s.Pairs))
		})
		list = append(list, s)
	}
	return list
}

// folders reads folders of training positions: one, or a list.
func (p *parser) folders(path string, n *yaml.Node) []string {
	entries := []*yaml.Node{n}
	if n.Kind != yaml.ScalarNode {
		entries = p.list(n, "folders of training positions")
	}
	var list []string
	for _, e := range entries {
		if dir, ok := p.text(e, "a folder of training positions"); ok {
			p.lines[fmt.Sprintf("%s[%d]", path, len(list))] = e.Line
			list = append(list, dir)
		}
	}
	return list
}
