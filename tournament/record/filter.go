package record

import (
	"cmp"
	"math"
	"slices"

	"gyges/agents"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/problems"
)

// Filter chooses games. The tags of its fields are those of command-line flags. The zero value takes every game.
type Filter struct {
	Agent    []string `sep:"none" placeholder:"AGENT" help:"Only games that this agent played, by its name or its whole spec; given twice, games of these two."`
	Side     string   `enum:",south,north" default:"" placeholder:"SIDE" help:"Only games in which the first --agent was south or north."`
	Result   string   `enum:",1-0,0-1,1/2-1/2,won,drawn,lost" default:"" placeholder:"RESULT" help:"Only games that ended so: 1-0 (South won), 0-1 or 1/2-1/2; or won, drawn or lost by the first --agent."`
	Reason   []string `placeholder:"REASON" help:"Only games that ended for one of these reasons, like goal, length or timeout."`
	MinPlies int      `check:"0.." name:"min-plies" placeholder:"N" help:"Only games of at least N plies."`
	MaxPlies *int     `check:"0.." name:"max-plies" placeholder:"N" help:"Only games of at most N plies."`
	Worker   string   `placeholder:"NAME" help:"Only games of a queued run that the worker of this name played."`
	Limit    int      `check:"0.." placeholder:"N" help:"Stop after N games. Default: 0, all."`

	RuleSets map[string]bool `kong:"-"` // only games under these; nil: all
	taken    int             // games so far
}

// Check returns the mistakes in the fields, and writes the agents as records have them.
func (f *Filter) Check() error {
	var p problems.List
	p.Require(len(f.Agent) <= 2, "--agent: expected it at most twice, found it %d times", len(f.Agent))
	p.Require(f.Side == "" || len(f.Agent) > 0, "--side needs --agent")
	p.Require(len(f.Agent) > 0 || f.Result != "won" && f.Result != "drawn" && f.Result != "lost",
		"--result %s needs --agent", f.Result)
	p.Require(f.MinPlies <= f.maxPlies(), "--min-plies: expected at most --max-plies %d, found %d", f.maxPlies(),
		f.MinPlies)
	for i, text := range f.Agent { // which may be quoted in another way
		f.Agent[i] = source.Name(text)
		if spec, err := agents.ParseSpec(f.Agent[i]); err == nil {
			f.Agent[i] = spec.String()
		}
	}
	return p.Err()
}

func (f *Filter) maxPlies() int {
	most := math.MaxInt
	return *cmp.Or(f.MaxPlies, &most)
}

// Takes reports whether a game passes the filter, and counts it against Limit if it does.
func (f *Filter) Takes(g *Record) bool {
	south := false // the first agent is
	for i, agent := range f.Agent {
		switch {
		case is(g.South.Agent, agent) && (i == 0 && f.Side != "north" || i == 1 && !south):
			south = i == 0
		case is(g.North.Agent, agent) && (i == 0 && f.Side != "south" || i == 1 && south):
		default:
			return false
		}
	}
	side := rules.North
	if south {
		side = rules.South
	}
	halves, points := map[string]int{"won": 2, "drawn": 1, "lost": 0}[f.Result]
	takes := (f.Result == "" || f.Result == g.Result || points && HalfPoints(g.Result, side) == halves) &&
		(f.RuleSets == nil || f.RuleSets[g.Rules]) &&
		(f.Worker == "" || f.Worker == g.Timing.Worker) &&
		(f.Reason == nil || slices.Contains(f.Reason, g.Reason)) &&
		f.MinPlies <= g.Plies && g.Plies <= f.maxPlies()
	if takes {
		f.taken++
	}
	return takes
}

// is reports whether a player has the name of an agent, or its whole spec.
func is(player, agent string) bool { return player == agent || agents.LabelOf(player) == agent }

// Done reports whether Limit games have been taken.
func (f *Filter) Done() bool { return f.Limit > 0 && f.taken >= f.Limit }
