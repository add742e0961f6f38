package configs

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"gyges/agents"
	"gyges/agents/files"
	"gyges/rules"
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
		return append(p.gameFields(&c),
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
func (p *parser) gameFields(c *tournament.Config) []field {
	return []field{
		p.name(&c.Name),
		p.field("rules", func(n *yaml.Node) { p.rulesList(n, c) }),
		p.field("agents", func(n *yaml.Node) { p.agentsList(n, c) }),
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

func (p *parser) agentsList(n *yaml.Node, c *tournament.Config) {
	for _, e := range p.list(n, "agent specs") {
		var spec agents.Spec
		if p.store(e, &spec); spec.Kind != "" {
			p.lines[fmt.Sprintf("agents[%d]", len(c.Agents))] = e.Line
			c.Agents = append(c.Agents, spec)
		}
	}
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
