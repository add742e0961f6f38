package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/problems"
	"gyges/tournament"
)

// LoadTournament reads a tournament from a YAML file, whose keys are those of
// configs/tournaments/quick.yaml, and checks all of it with
// [tournament.Config.Validate]. Keys that are missing have the values of
// [tournament.DefaultConfig]; the name is the file's without its extension; an
// Out that is missing stays empty. The error joins all problems.
func LoadTournament(path string, registry *agents.Registry) (tournament.Config, error) {
	c := tournament.DefaultConfig()
	c.Name = nameOf(path)
	fields := func(p *parser) []field {
		return append(p.gameFields(&c, registry),
			p.textValue("schedule", (*string)(&c.Format), "round-robin, gauntlet, ladder, swiss, knockout or self-play"),
			p.value("rounds", &c.Rounds),
			p.group("clock", "a clock",
				p.value("clock.base", &c.Clock.Base),
				p.value("clock.increment", &c.Clock.Increment),
			),
		)
	}
	if err := load(path, "a tournament", fields, func(p *parser) { p.report(c.Validate(registry)) }); err != nil {
		return tournament.Config{}, err
	}
	return c, nil
}

// gameFields are the keys that files about games of several agents have.
func (p *parser) gameFields(c *tournament.Config, registry *agents.Registry) []field {
	return []field{
		p.name(&c.Name),
		p.field("rules", func(n *yaml.Node) { p.rulesList(n, c) }),
		p.field("agents", func(n *yaml.Node) { p.agentsList(n, c, registry) }),
		p.value("pairs", &c.Pairs),
		p.openings("openings", &c.Openings),
		p.limits("limits", &c.Limits),
		p.value("seed", &c.Seed),
		p.textValue("on_repetition", (*string)(&c.OnRepetition), "forfeit, ask-next or allow"),
		p.value("time_margin", &c.TimeMargin),
		p.value("adjudication", &c.Adjudication),
		p.value("stall_timeout", &c.StallTimeout),
		p.value("suspend", &c.Suspend),
		p.value("workers", &c.Workers),
		p.out(&c.Out),
	}
}

func (p *parser) rulesList(n *yaml.Node, c *tournament.Config) {
	c.Rules = nil
	for _, e := range p.list(n, "rule sets") {
		if r := p.rules(e); r != nil {
			p.lines[fmt.Sprintf("rules[%d]", len(c.Rules))] = e.Line
			c.Rules = append(c.Rules, r)
		}
	}
}

// oneRules is the key of one rule set.
func (p *parser) oneRules(to **rules.Rules) field {
	return p.field("rules", func(n *yaml.Node) {
		if r := p.rules(n); r != nil {
			*to = r
		}
	})
}

func (p *parser) agentsList(n *yaml.Node, c *tournament.Config, registry *agents.Registry) {
	add := func(spec agents.Spec, line int) {
		p.lines[fmt.Sprintf("agents[%d]", len(c.Agents))] = line
		c.Agents = append(c.Agents, spec)
	}
	for _, e := range p.list(n, "agent specs") {
		if e.Kind == yaml.MappingNode {
			p.sweep(e, registry, add)
			continue
		}
		var spec agents.Spec
		if p.store(e, &spec); spec.Kind != "" {
			add(spec, e.Line)
		}
	}
}

// sweep reads {agent: SPEC, PARAM: [v1, v2]}: the spec with each value of the parameter in turn.
func (p *parser) sweep(n *yaml.Node, registry *agents.Registry, add func(spec agents.Spec, line int)) {
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
	if p.store(agent, &base); base.Kind == "" || !p.swept(base, agent.Line, param, registry) {
		return
	}
	for _, v := range p.sweepValues(values, found(param)) {
		add(base.With(param.Value, v.Value), v.Line)
	}
}

// swept checks what all agents of a sweep share, so that a mistake in it is reported
// once: the spec, and that it lacks the parameter.
func (p *parser) swept(base agents.Spec, line int, param *yaml.Node, registry *agents.Registry) bool {
	_, err := registry.Values(base)
	if err == nil {
		line = param.Line
		kind, _ := registry.Kind(base) // it is known
		isParam := func(q agents.Param) bool { return q.Name == param.Value }
		if _, known := kind.Param(param.Value); !known {
			_, err = registry.Values(base.With(param.Value, ""))
		} else if slices.ContainsFunc(base.Params, isParam) {
			err = fmt.Errorf("agent %.60q: parameter %s is given twice", base, param.Value)
		}
	}
	for _, e := range problems.Split(err) {
		p.add(line, "%v", e)
	}
	return err == nil
}

// sweepValues returns the scalars of a list of a parameter's values that is not empty.
func (p *parser) sweepValues(n *yaml.Node, param string) []*yaml.Node {
	list := p.list(n, "values of "+param)
	if n.Kind == yaml.SequenceNode && len(list) == 0 {
		p.add(n.Line, "expected a list of values of %s, found an empty one", param)
	}
	var scalars []*yaml.Node
	for _, v := range list {
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			p.add(v.Line, "expected a value of %s, found %s", param, found(v))
			continue
		}
		scalars = append(scalars, v)
	}
	return scalars
}

// openings is the key of an opening policy. The path of a list of openings is relative
// to the program's folder, like that of the records.
func (p *parser) openings(path string, o *tournament.Openings) field {
	return p.group(path, "openings",
		p.textValue(path+".policy", (*string)(&o.Policy), "a policy, random, agents, setups or file"),
		p.value(path+".plies", &o.Plies),
		p.field(path+".file", func(n *yaml.Node) {
			var list tournament.Openings
			parsed(p, n, &list, "a file of positions", LoadOpenings)
			o.File, o.Positions = list.File, list.Positions
		}),
	)
}

// LoadOpenings reads a list of openings from a regular file: a run that resumes
// reads it again.
func LoadOpenings(path string) (tournament.Openings, error) {
	f, err := files.Open(path)
	if err != nil {
		return tournament.Openings{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return tournament.ReadOpenings(f, path)
}

// limits is the key of the limits of a decision.
func (p *parser) limits(path string, l *agents.Limits) field {
	return p.group(path, "limits",
		p.value(path+".depth", &l.Depth),
		p.value(path+".nodes", &l.Nodes),
		p.value(path+".movetime", &l.MoveTime),
	)
}
