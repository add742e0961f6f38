package record

import (
	"slices"

	"gyges/agents"
	"gyges/rules"
)

// Filter chooses games. The zero value takes every game.
type Filter struct {
	Agents   []string        // that played the game, at most two, by their names or whole specs
	Side     string          // "south" or "north", that of the first agent; "": any
	Result   string          // 1-0, 0-1 or 1/2-1/2; won, drawn or lost by the first agent; "": any
	Reasons  []string        // of which the game ended for one; nil: any
	MinPlies int             // of the game
	MaxPlies *int            // of the game; nil: no bound
	Worker   string          // that played it in a queued run; "": any
	RuleSets map[string]bool // of which it was played under one; nil: any
	Limit    int             // games that are taken at most; 0: no bound

	taken int // games so far
}

// Takes reports whether a game passes the filter, and counts it against Limit if it does.
func (f *Filter) Takes(g *Record) bool {
	if !f.passes(g) {
		return false
	}
	f.taken++
	return true
}

// passes reports whether a game is one of those asked for, one question after another.
func (f *Filter) passes(g *Record) bool {
	side, found := f.firstAgent(g)
	if !found {
		return false
	}
	words := []string{"lost", "drawn", "won"} // by half points
	result := g.Result
	if slices.Contains(words, f.Result) {
		result = words[HalfPoints(g.Result, side)]
	}
	if f.Result != "" && f.Result != result {
		return false
	}
	if f.RuleSets != nil && !f.RuleSets[g.Rules] {
		return false
	}
	if f.Worker != "" && f.Worker != g.Timing.Worker {
		return false
	}
	if f.Reasons != nil && !slices.Contains(f.Reasons, g.Reason) {
		return false
	}
	if f.MaxPlies != nil && g.Plies > *f.MaxPlies {
		return false
	}
	return g.Plies >= f.MinPlies
}

// firstAgent returns the side that the first agent played, and whether the agents played the game
// on the sides asked for. A first agent that played both sides had South unless North is asked for.
func (f *Filter) firstAgent(g *Record) (side rules.Side, found bool) {
	if len(f.Agents) == 0 {
		return rules.South, true
	}
	first := f.Agents[0]
	var other Player
	switch {
	case f.Side != "north" && is(g.South, first):
		side, other = rules.South, g.North
	case f.Side != "south" && is(g.North, first):
		side, other = rules.North, g.South
	default:
		return side, false
	}
	return side, len(f.Agents) == 1 || is(other, f.Agents[1])
}

// is reports whether a player has the name of an agent, or its whole spec.
func is(p Player, agent string) bool {
	return p.Agent == agent || agents.LabelOf(p.Agent) == agent
}

// Done reports whether Limit games have been taken.
func (f *Filter) Done() bool { return f.Limit > 0 && f.taken >= f.Limit }
