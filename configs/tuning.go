package configs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/problems"
	"gyges/agents/tuning"
	"gyges/agents/tuning/spsa"
	"gyges/agents/tuning/tdleaf"
	"gyges/agents/tuning/texel"
	"gyges/rules"
	"gyges/tournament"
)

// Texel is the configuration of a fit of weights to samples. Its keys are those of
// configs/tuning/texel.yaml.
type Texel struct {
	Name     string
	Rules    *rules.Rules
	Data     string       // folder of samples
	Parent   eval.Weights // to start from
	Choice   texel.Choice
	Settings texel.Settings // but Record
	Out      string         // folder for the result; may be empty
}

// Verification says when the current parameters play a match against the initial ones.
type Verification struct {
	Every int // steps between two matches; 0: only at the end
	Pairs int // game pairs of each; 0: none are played
}

// SPSA is the configuration of an SPSA run. Its keys are those of
// configs/tuning/spsa.yaml.
type SPSA struct {
	Match        tournament.Config // rules, openings, limits, seed and so on; one agent
	Settings     spsa.Settings     // but After and Record
	Verification Verification
}

// TD is the configuration of a TD run. Its keys are those of
// configs/tuning/td.yaml.
type TD struct {
	Match        tournament.Config // as for SPSA
	Parent       eval.Weights      // those of the agent
	Settings     tdleaf.Settings   // but After and Record
	Games        int               // of each step
	Verification Verification
}

// LoadTexel reads a Texel from a YAML file. The error joins everything that is
// wrong.
func LoadTexel(path string) (Texel, error) {
	c := Texel{Name: nameOf(path), Rules: rules.MustParse("standard"), Settings: texel.Settings{Lambda: 1}}
	weights := eval.DefaultName
	var features *yaml.Node
	read := func(t *tuningReader, root *yaml.Node) {
		t.mapping(root, "a Texel tuning",
			t.field("name", func(n *yaml.Node) { t.textInto(n, &c.Name, "a name, in quotes if it is a number") }),
			t.field("rules", t.oneRules),
			t.field("data", func(n *yaml.Node) { t.textInto(n, &c.Data, "a folder of samples") }),
			t.field("weights", func(n *yaml.Node) { t.textInto(n, &weights, "default, classic or a weights file") }),
			t.field("features", func(n *yaml.Node) { features = n }),
			t.field("positions", func(n *yaml.Node) { t.intInto(n, &c.Choice.Positions) }),
			t.field("quiet", func(n *yaml.Node) { t.boolInto(n, &c.Choice.Quiet) }),
			t.field("leaves", func(n *yaml.Node) { t.boolInto(n, &c.Choice.Leaves) }),
			t.network(&c.Settings),
			t.field("lambda", func(n *yaml.Node) { t.floatInto(n, &c.Settings.Lambda) }),
			t.field("l2", func(n *yaml.Node) { t.floatInto(n, &c.Settings.L2) }),
			t.field("scale", func(n *yaml.Node) { t.floatInto(n, &c.Settings.Scale) }),
			t.field("iterations", func(n *yaml.Node) { t.intInto(n, &c.Settings.Iterations) }),
			t.field("patience", func(n *yaml.Node) { t.intInto(n, &c.Settings.Patience) }),
			t.field("out", func(n *yaml.Node) { t.textInto(n, &c.Out, "a folder, in quotes if it is a number") }),
		)
		c.Rules = t.config.Rules[0]
		t.expect(tournament.IsName(c.Name), "name", "expected 1 to 64 letters, digits, '-', '_' or '.', the first a letter or a digit, found %.60q", c.Name)
		t.expect(c.Data != "", "data", "expected a folder of samples, found none")
		t.expect(0 <= c.Choice.Positions, "positions", "expected a number from 0 (all), found %d", c.Choice.Positions)
		c.Parent = t.parent(weights, c.Rules)
		c.Settings.Names, c.Settings.Parent = eval.Names(), c.Parent.Values[:]
		c.Settings.Frozen = t.frozen(features)
		if n := c.Settings.Network; n != nil {
			n.Parent, c.Choice.Inputs = c.Parent.Network, true
		}
		t.report(c.Settings.Check())
	}
	return c, loadTuning(path, read)
}

// LoadSPSA reads an SPSA from a YAML file. The error joins everything that is wrong.
func LoadSPSA(path string, registry *agents.Registry) (SPSA, error) {
	var c SPSA
	read := func(t *tuningReader, root *yaml.Node) {
		s := &c.Settings
		s.Steps, s.Pairs = 100, 4
		var parameters *yaml.Node
		t.mapping(root, "an SPSA tuning", append(t.matchFields(&c.Verification),
			t.field("parameters", func(n *yaml.Node) { parameters = n }),
			t.field("steps", func(n *yaml.Node) { t.intInto(n, &s.Steps) }),
			t.field("pairs", func(n *yaml.Node) { t.intInto(n, &s.Pairs) }),
			t.field("alpha", func(n *yaml.Node) { t.floatInto(n, &s.Alpha) }),
			t.field("gamma", func(n *yaml.Node) { t.floatInto(n, &s.Gamma) }),
			t.field("a", func(n *yaml.Node) { t.floatInto(n, &s.A) }),
		)...)
		if t.validMatch(registry, c.Verification) && parameters != nil {
			s.Params = t.params(parameters, registry)
		}
		c.Match, s.Seed = t.config, t.config.Seed
		if parameters == nil || len(t.problems) == 0 {
			t.report(s.Check())
		}
	}
	return c, loadTuning(path, read)
}

// LoadTD reads a TD from a YAML file. The error joins everything that is wrong.
func LoadTD(path string, registry *agents.Registry) (TD, error) {
	c := TD{Games: 16, Settings: tdleaf.Settings{Steps: 100, Lambda: 0.7, Rate: 5, Scale: 0.005}}
	var features *yaml.Node
	read := func(t *tuningReader, root *yaml.Node) {
		s := &c.Settings
		t.mapping(root, "a TD tuning", append(t.matchFields(&c.Verification),
			t.field("features", func(n *yaml.Node) { features = n }),
			t.field("steps", func(n *yaml.Node) { t.intInto(n, &s.Steps) }),
			t.field("games", func(n *yaml.Node) { t.intInto(n, &c.Games) }),
			t.field("lambda", func(n *yaml.Node) { t.floatInto(n, &s.Lambda) }),
			t.field("rate", func(n *yaml.Node) { t.floatInto(n, &s.Rate) }),
			t.field("scale", func(n *yaml.Node) { t.floatInto(n, &s.Scale) }),
		)...)
		t.expect(1 <= c.Games && c.Games <= maxGames, "games", "expected a number from 1 to %d, found %d", maxGames, c.Games)
		if t.validMatch(registry, c.Verification) {
			w, err := tuning.Weights(registry, t.config.Agents[0], t.config.Rules[0])
			if err != nil {
				t.expect(false, "agent", "%v", err)
			}
			c.Parent, s.Parent = w, w.Values[:]
		}
		c.Match, s.Frozen = t.config, t.frozen(features)
		if s.Parent == nil {
			s.Parent = make([]float64, eval.NumFeatures) // what is wrong has been said
		}
		t.report(s.Check())
	}
	return c, loadTuning(path, read)
}

const maxGames = 1_000_000 // of a step

// loadTuning reads a file with read.
func loadTuning(path string, read func(t *tuningReader, root *yaml.Node)) error {
	p := &parser{file: path}
	root, err := p.document()
	if err != nil {
		return err
	}
	t := &tuningReader{tournamentReader{parser: p, config: tournament.DefaultConfig(), lines: map[string]int{}, bad: map[string]bool{}}}
	t.config.Name = nameOf(path)
	if root != nil {
		t.lines[""] = root.Line
		read(t, root)
	}
	return p.err()
}

// tuningReader reads what the methods share.
type tuningReader struct{ tournamentReader }

// expect notes a problem of a field unless ok, or one has been found there already.
func (t *tuningReader) expect(ok bool, field, format string, args ...any) {
	if !ok && !t.bad[field] {
		t.problems = append(t.problems, problem{t.line(field, t.lines[""]), field, fmt.Sprintf(format, args...)})
	}
}

// report notes the problems of a method's settings.
func (t *tuningReader) report(err error) {
	for _, one := range problems.Split(err) {
		var fe *problems.FieldError
		if errors.As(one, &fe) {
			t.expect(false, fe.Field, "%v", fe.Err)
		} else {
			t.add(t.lines[""], "%v", one)
		}
	}
}

// oneRules reads one rule set.
func (t *tuningReader) oneRules(n *yaml.Node) {
	if r := t.rules(n); r != nil {
		t.config.Rules = []*rules.Rules{r}
	}
}

// network reads how a network is fitted.
func (t *tuningReader) network(s *texel.Settings) field {
	return t.field("network", func(n *yaml.Node) {
		if n.Kind == yaml.MappingNode {
			s.Network = &texel.Network{Seed: 1}
		}
		t.mapping(n, "a network",
			t.field("network.epochs", func(n *yaml.Node) { t.intInto(n, &s.Network.Epochs) }).named("epochs"),
			t.field("network.batch", func(n *yaml.Node) { t.intInto(n, &s.Network.Batch) }).named("batch"),
			t.field("network.rate", func(n *yaml.Node) { t.floatInto(n, &s.Network.Rate) }).named("rate"),
			t.field("network.decay", func(n *yaml.Node) { t.floatInto(n, &s.Network.Decay) }).named("decay"),
			t.field("network.seed", func(n *yaml.Node) { t.seedInto(n, &s.Network.Seed) }).named("seed"),
		)
	})
}

// matchFields are the keys that say how games are played.
func (t *tuningReader) matchFields(g *Verification) []field {
	c := &t.config
	return []field{
		t.field("name", func(n *yaml.Node) { t.textInto(n, &c.Name, "a name, in quotes if it is a number") }),
		t.field("rules", t.oneRules),
		t.field("agent", func(n *yaml.Node) {
			var spec agents.Spec
			if t.specInto(n, &spec); spec.Kind != "" {
				c.Agents = []agents.Spec{spec}
			}
		}),
		t.field("openings", t.openings),
		t.field("limits", t.limits),
		t.field("stall_timeout", func(n *yaml.Node) { t.durationInto(n, &c.StallTimeout) }),
		t.field("seed", t.seed),
		t.field("workers", func(n *yaml.Node) { t.intInto(n, &c.Workers) }),
		t.field("out", func(n *yaml.Node) { t.textInto(n, &c.Out, "a folder, in quotes if it is a number") }),
		t.field("verification", func(n *yaml.Node) {
			t.mapping(n, "a verification",
				field{"every", t.at("verification.every", func(n *yaml.Node) { t.intInto(n, &g.Every) })},
				field{"pairs", t.at("verification.pairs", func(n *yaml.Node) { t.intInto(n, &g.Pairs) })},
			)
		}),
	}
}

// validMatch checks how games are played and reports whether there is an agent to
// go on with. A match needs two agents: another one stands in for what the
// method will let the agent play against.
func (t *tuningReader) validMatch(registry *agents.Registry, g Verification) bool {
	t.expect(0 <= g.Every && g.Every <= maxGames, "verification.every", "expected a number from 0 (at the end only) to %d, found %d", maxGames, g.Every)
	t.expect(0 <= g.Pairs && g.Pairs <= maxGames, "verification.pairs", "expected a number from 0 (no verification) to %d, found %d", maxGames, g.Pairs)
	if len(t.config.Agents) == 0 {
		t.expect(false, "agent", "expected an agent spec, like alphabeta:depth=2, found none")
		t.bad["agent"] = true
	}
	c := t.config
	c.Agents = append(slices.Clone(c.Agents), agents.Spec{Kind: "random"})
	ok := !t.bad["agent"]
	for _, err := range problems.Split(c.Validate(registry)) {
		var fe *problems.FieldError
		if !errors.As(err, &fe) {
			t.add(t.lines[""], "%v", err)
			continue
		}
		switch fe.Field {
		case "agents": // there are none, which has been said
		case "agents[0]":
			ok = false
			t.expect(false, "agent", "%v", fe.Err)
		case "agents[1]": // the agent is random
			ok = false
			t.expect(false, "agent", "expected an agent that has something to tune, found %.60q", c.Agents[0])
		default:
			t.expect(false, fe.Field, "%v", fe.Err)
		}
	}
	return ok
}

// parent loads the weights to start from.
func (t *tuningReader) parent(name string, r *rules.Rules) eval.Weights {
	source, err := eval.Load(name)
	var w eval.Weights
	if err == nil {
		w, err = source.Weights(r)
	}
	if err == nil {
		_, err = eval.New(w, r) // they may be for other rules
	}
	for _, one := range problems.Split(err) {
		t.expect(false, "weights", "%v", one)
	}
	return w
}

// frozen reads the list of the features that are tuned and returns which are not;
// without a list, none.
func (t *tuningReader) frozen(n *yaml.Node) []bool {
	if n == nil {
		return nil
	}
	frozen := make([]bool, eval.NumFeatures)
	for i := range frozen {
		frozen[i] = true
	}
	for _, e := range t.list(n, "features") {
		name, ok := t.text(e, "the name of a feature, like near")
		if !ok {
			continue
		}
		i := slices.Index(eval.Names(), name)
		switch {
		case i < 0:
			t.add(e.Line, "features: unknown feature %.60q, expected one of: %s", name, strings.Join(eval.Names(), ", "))
		case !frozen[i]:
			t.add(e.Line, "features: %s is listed twice", name)
		default:
			frozen[i] = false
		}
	}
	return frozen
}

// params reads the parameters that are tuned, each with how far it is moved.
func (t *tuningReader) params(n *yaml.Node, registry *agents.Registry) []spsa.Param {
	var list []spsa.Param
	t.entries(n, "parameters", func(key, value *yaml.Node) {
		path := "parameters." + key.Value
		t.lines[path] = key.Line
		found, err := tuning.Find(registry, t.config.Agents[0], t.config.Rules[0], key.Value)
		if err != nil {
			t.expect(false, path, "%v", err)
			return
		}
		x := spsa.Param{Name: key.Value, Start: found.Start, Min: found.Min, Max: found.Max, Whole: found.Whole}
		t.at(path, func(n *yaml.Node) {
			t.mapping(n, "a parameter",
				field{"start", func(n *yaml.Node) { t.floatInto(n, &x.Start) }},
				field{"min", func(n *yaml.Node) { t.floatInto(n, &x.Min) }},
				field{"max", func(n *yaml.Node) { t.floatInto(n, &x.Max) }},
				field{"c", func(n *yaml.Node) { t.floatInto(n, &x.C) }},
				field{"r", func(n *yaml.Node) { t.floatInto(n, &x.R) }},
			)
		})(value)
		t.expect(found.Min <= x.Min && x.Max <= found.Max, path, "expected min and max from %v to %v, found %v and %v", found.Min, found.Max, x.Min, x.Max)
		list = append(list, x)
	})
	return list
}

func (t *tuningReader) boolInto(n *yaml.Node, to *bool) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" {
		if x, err := strconv.ParseBool(n.Value); err == nil {
			*to = x
			return
		}
	}
	t.add(n.Line, "expected true or false, found %s", found(n))
}
