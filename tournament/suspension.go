package tournament

import (
	"fmt"
	"sync/atomic"

	"gyges/rules"
	"gyges/tournament/record"
)

// suspensions excludes agents that only lose by faults from the games that remain. It depends on
// the games in schedule order, so it is the same for any number of workers; the result of a game
// that was played too early is not used.
type suspensions struct {
	limit int           // faults in a row; 0: no agent is suspended
	row   []int         // faults in a row so far, by agent
	out   []atomic.Bool // whether suspended, by agent
}

func newSuspensions(limit, agents int) *suspensions {
	return &suspensions{limit, make([]int, agents), make([]atomic.Bool, agents)}
}

// has reports whether an agent is suspended. It may be called concurrently.
func (s *suspensions) has(agent int) bool { return s.out[agent].Load() }

// leaves reports whether two players still meet.
func (s *suspensions) leaves(players [2]int) bool {
	return !s.has(players[0]) && !s.has(players[1])
}

// note counts the next game in schedule order and reports whether one of its agents, by side, is
// suspended after it.
func (s *suspensions) note(seated [2]int, f *record.Fault) bool {
	switch {
	case f == nil, seated[0] == seated[1]: // an agent that plays against itself wins, too
		s.row[seated[0]] = 0
		s.row[seated[1]] = 0
		return false
	case f.Kind == record.FaultSuspended:
		return false
	}
	loser := seated[f.Loser()]
	winner := seated[f.Loser().Other()]
	s.row[winner] = 0
	s.row[loser]++
	if s.row[loser] != s.limit {
		return false
	}
	s.out[loser].Store(true)
	return true
}

// replaceIfSuspended returns a game, or if one of its agents, by side, is suspended the game that
// this one loses.
func (s *suspensions) replaceIfSuspended(g *record.Record, seated [2]int) *record.Record {
	for side, agent := range seated {
		if !s.has(agent) {
			continue
		}
		fault := &record.Fault{
			Side: rules.Side(side).Name(), Kind: record.FaultSuspended,
			Detail: fmt.Sprintf("after %d faults in a row", s.limit),
		}
		return &record.Record{
			Game: g.Game, Pair: g.Pair, Rules: g.Rules, Opening: g.Opening, Policy: g.Policy,
			South: g.South, North: g.North,
			Limits: g.Limits, OnRepetition: g.OnRepetition, Adjudication: g.Adjudication,
			Moves: []string{},
			Fault: fault, Result: fault.Outcome().String(), Reason: string(fault.Kind),
		}
	}
	return g
}
