package main

import (
	"gyges/agents"
	"gyges/ratings/source"
	"gyges/rules/base/problems"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// gameFilter are the flags that choose games.
type gameFilter struct {
	Agent    []string  `sep:"none" placeholder:"AGENT" help:"Only games that this agent played, by its name or its whole spec; given twice, games of these two."`
	Side     string    `enum:",south,north" default:"" placeholder:"SIDE" help:"Only games in which the first --agent was south or north."`
	Result   string    `enum:",1-0,0-1,1/2-1/2,won,drawn,lost" default:"" placeholder:"RESULT" help:"Only games that ended so: 1-0 (South won), 0-1 or 1/2-1/2; or won, drawn or lost by the first --agent."`
	Reason   []string  `placeholder:"REASON" help:"Only games that ended for one of these reasons, like goal, length or timeout."`
	MinPlies int       `check:"0.." name:"min-plies" placeholder:"N" help:"Only games of at least N plies."`
	MaxPlies *int      `check:"0.." name:"max-plies" placeholder:"N" help:"Only games of at most N plies."`
	Worker   string    `placeholder:"NAME" help:"Only games of a queued run that the worker of this name played."`
	Limit    int       `check:"0.." placeholder:"N" help:"Stop after N games. Default: 0, all."`
	Rules    rulesList `placeholder:"RULES,…" sep:"none" help:"Only games under these rule sets."`

	filter record.Filter `kong:"-"` // of these flags, which counts the games that it takes
}

// prepare makes the filter. The error has the mistakes in the flags.
func (f *gameFilter) prepare() error {
	var p problems.List
	p.Require(len(f.Agent) <= 2, "--agent: expected it at most twice, found it %d times",
		len(f.Agent))
	if len(f.Agent) == 0 {
		p.Require(f.Side == "", "--side needs --agent")
		ofAgent := f.Result == "won" || f.Result == "drawn" || f.Result == "lost"
		p.Require(!ofAgent, "--result %s needs --agent", f.Result)
	}
	if f.MaxPlies != nil {
		p.Require(f.MinPlies <= *f.MaxPlies,
			"--min-plies: expected at most --max-plies %d, found %d", *f.MaxPlies, f.MinPlies)
	}
	// Records have the specs of agents in one form, which the user may quote in another way.
	var players []string
	for _, text := range f.Agent {
		name := source.Name(text)
		if spec, err := agents.ParseSpec(name); err == nil {
			name = spec.String()
		}
		players = append(players, name)
	}
	f.filter = record.Filter{
		Agents: players, Side: f.Side, Result: f.Result, Reasons: f.Reason,
		MinPlies: f.MinPlies, MaxPlies: f.MaxPlies, Worker: f.Worker,
		RuleSets: f.Rules.names(), Limit: f.Limit,
	}
	return p.Err()
}

// reader returns a stream of the games that the flags choose.
func (f *gameFilter) reader(strict bool) *runs.Stream {
	return &runs.Stream{Strict: strict, Torn: true, Filter: f.filter}
}
