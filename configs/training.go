package configs

import (
	"cmp"
	"context"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/spsa"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament/training"
)

// LoadSelfPlay reads self-play from a YAML file with the keys of [training.SelfPlay], as
// [LoadTournament] does, with the defaults of [training.DefaultSelfPlay].
func LoadSelfPlay(path string, registry *agents.Registry) (training.SelfPlay, error) {
	c := training.DefaultSelfPlay()
	c.Tournament.Name = nameOf(path)
	err := load(path, "self-play", &c, func(p *parser) { p.report(c.Validate(registry)) })
	return c, err
}

// LoadTexel reads a fit of weights from a YAML file with the keys of [training.Texel]; r, unless it
// is nil, takes the place of the rules there, and so does data, unless it is empty. The error joins
// all problems.
func LoadTexel(path string, r *rules.Rules, data ...string) (training.Texel, error) {
	c := training.DefaultTexel()
	c.Name = nameOf(path)
	err := load(path, "a Texel tuning", &c, func(p *parser) {
		c.Rules = cmp.Or(r, c.Rules)
		if len(data) > 0 {
			c.Data = data
		}
		c.Parent = p.loadWeights(c.Start, c.Rules, &c.Fit)
		p.report(c.Validate())
	})
	return c, err
}

// zeroWeights names initial weights that are all zero, without a network.
const zeroWeights = "zero"

// loadWeights loads the initial weights of a fit. Zero weights predict no results to which a scale
// could be fitted: unless the file has a scale, it is about the scale of the weights that ship.
func (p *parser) loadWeights(name string, r *rules.Rules, fit *training.Fit) eval.Weights {
	const scale = 0.0085
	if name == zeroWeights {
		fit.Settings.Scale = cmp.Or(fit.Settings.Scale, scale)
		provenance := eval.Provenance{Method: zeroWeights}
		return eval.Weights{Rules: eval.Family(r), Provenance: provenance, Source: zeroWeights}
	}
	config := agents.Config{Registry: new(agents.Registry), Values: agents.Values{"weights": name}}
	w, err := eval.Load(config, r)
	if err != nil {
		p.report(&problems.FieldError{Field: "weights", Err: err})
	}
	return w
}

// spsaFile has the keys of a file of an SPSA run.
type spsaFile struct {
	training.SPSA `yaml:",inline"`
	Parameters    *yaml.Node `yaml:"parameters" help:"What is tuned: numbers of that kind of agent (see gyges agents KIND), weight.FEATURE of its evaluation, or opt.NAME, an option of an external engine. Each is moved by c, up or down at random, in the last step, and by more before: so far that it costs some Elo; r, min, max, start and whole are in gyges help settings."`
}

// LoadSPSA reads an SPSA run from a YAML file with the keys of [training.SPSA]; r, unless it is
// nil, takes the place of the rules there. The agent is started, to see that it can play, and which
// options it announces. The error joins all problems.
func LoadSPSA(
	ctx context.Context, path string, r *rules.Rules, registry *agents.Registry,
) (training.SPSA, error) {
	c := spsaFile{SPSA: training.DefaultSPSA()}
	c.Name = nameOf(path)
	err := load(path, "an SPSA tuning", &c, func(p *parser) {
		c.Rules = cmp.Or(r, c.Rules)
		c.Openings.ForMatch(c.Rules)
		// What parameters there are depends on the agent, which says it when it is started: they
		// are read only if agent and rules are right. Until then they count as reported.
		p.bad["parameters"] = c.Parameters != nil
		p.report(c.Validate(registry))
		canPlay := !p.bad["agent"] && !p.bad["rules"]
		if c.Parameters == nil || !canPlay {
			return
		}
		var announced []agents.ParamDef
		agent, err := registry.Start(ctx, c.Agent, c.Rules)
		if err == nil {
			announced = agent.Announced()
			c.Engine = agent.Program()
			err = agent.Close()
		}
		for _, err := range problems.Split(err) {
			p.add(p.lines["agent"], "agent: %v", err)
		}
		if err != nil {
			return
		}
		p.bad["parameters"] = false
		p.setting("parameters", c.Parameters, func() {
			c.Method.Params = p.params(c.Parameters, &c.SPSA, registry, announced)
		})
		p.report(c.Validate(registry))
	})
	return c.SPSA, err
}

// params reads the parameters that an SPSA run tunes, a mapping by their names. announced are the
// options of the agent, if it is a program.
func (p *parser) params(
	n *yaml.Node, c *training.SPSA, registry *agents.Registry, announced []agents.ParamDef,
) []spsa.Param {
	var list []spsa.Param
	p.entries(n, "parameters", func(key, value *yaml.Node) {
		path := "parameters." + key.Value
		p.setting(path, value, func() {
			p.lines[path] = key.Line
			widest, err := tuning.Find(registry, c.Agent, c.Rules, announced, key.Value)
			if err != nil {
				p.add(key.Line, "%v", err)
				return
			}
			param := widest
			p.settings(value, "a parameter", &param, path+".")
			if param.Min < widest.Min || widest.Max < param.Max {
				p.add(key.Line, "expected min and max from %v to %v, found %v and %v",
					widest.Min, widest.Max, param.Min, param.Max)
			}
			if widest.Whole && !param.Whole {
				p.add(key.Line, "expected whole: true, as its type is int")
			}
			list = append(list, param)
		})
	})
	return list
}

// LoadGenerations reads a run of generations from a YAML file with the keys of
// [training.Generations], as [LoadTournament] does; r, unless it is nil, takes the place of the
// rules there.
func LoadGenerations(
	path string, r *rules.Rules, registry *agents.Registry,
) (training.Generations, error) {
	c := training.DefaultGenerations()
	c.Name = nameOf(path)
	err := load(path, "a training", &c, func(p *parser) {
		c.Rules = cmp.Or(r, c.Rules)
		c.Match.Openings.ForMatch(c.Rules)
		c.Weights = p.loadWeights(c.Start, c.Rules, &c.Fit)
		p.report(c.Validate(registry))
	})
	return c, err
}
