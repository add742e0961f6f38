package tournament

import (
	"fmt"
	"sync/atomic"

	"gyges/rules"
	"gyges/tournament/record"
)

// suspensions excludes agents that only lose by faults from the games that remain. It depends on the games in schedule
// order, so it is the same for any number of workers; the result of a game that was played too early is not used.
type suspensions struct {
	limit int           // faults in a row; 0: no agent is suspended
	row   []int         // faults in a row so far, by agent
	out   []atomic.Bool // whether suspended, by agent
}

func newSuspensions(limit, agents int) *suspensions {
	return &suspensions{limit, make([]int, agents), make([]atomic.Bool, agents)}
}

// note counts the next game in schedule order and reports whether one of its agents, by side, is suspended after it.
func (s *suspensions) note(seated [2]int, f *record.Fault) bool {
	if f != nil && f.Kind == record.FaultSuspended {
		return false
	}
	for side, agent := range seated {
		s.row[agent]++
		if f == nil || f.Loser() != rules.Side(side) || seated[0] == seated[1] { // against itself it wins, too
			s.row[agent] = 0
		}
	}
	suspended := f != nil && s.row[seated[f.Loser()]] == s.limit
	if suspended {
		s.out[seated[f.Loser()]].Store(true)
	}
	return suspended
}

func (s *suspensions) has(agent int) bool { return s.out[agent].Load() }

// replaceIfSuspended returns the game, or the record of a game not played if one of its agents is suspended.
func (s *suspensions) replaceIfSuspended(g *record.Record, seated [2]int) *record.Record {
	for side, agent := range seated {
		if !s.has(agent) {
			continue
		}
		fault := &record.Fault{
			Side: rules.Side(side).Name(), Kind: record.FaultSuspended, Detail: fmt.Sprintf("after %d faults in a row", s.limit),
		}
		return &record.Record{
			Game: g.Game, Pair: g.Pair, Rules: g.Rules, Opening: g.Opening, Policy: g.Policy,
			South: g.South, North: g.North, Limits: g.Limits, OnRepetition: g.OnRepetition, Adjudication: g.Adjudication,
			Moves: []string{}, Result: fault.Outcome().String(), Reason: string(fault.Kind), Fault: fault,
		}
	}
	return g
}
