package tournament

import (
	"context"
	"fmt"
	"maps"
	"math"
	"sync/atomic"

	"gyges/ratings"
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

// precision are the results of a run that ends when its intervals are narrow enough.
type precision struct {
	plan    *plan
	results map[string]*ratings.Data // by rule set
	next    int64                    // the number of rounds after which it is looked at
}

// newPrecision returns no results of a run; nil if the run has another end.
func newPrecision(run *plan) *precision {
	if run.config.UntilError == 0 {
		return nil
	}
	p := &precision{run, map[string]*ratings.Data{}, ratings.NextLook(0)}
	for _, r := range run.config.Rules {
		p.results[r.String()] = new(ratings.Data)
	}
	return p
}

// look reports whether the run ends after a number of pairs, of which all are counted: whether the players that still
// meet, directly or through others, are rated precisely enough among each other. The intervals of the others don't get
// narrower.
func (p *precision) look(pairs int64, suspended *suspensions) bool {
	if pairs != p.next*int64(len(p.plan.Stages[0].Matches)*len(p.results)) {
		return false
	}
	p.next = ratings.NextLook(p.next)
	now := ratings.Precision{Pairs: math.MaxInt}
	for _, players := range p.plan.meeting(suspended) {
		for _, d := range p.results {
			now = now.Worse(ratings.MeasurePrecision(context.Background(), d, players)) // milliseconds
		}
	}
	return now.Within(p.plan.config.UntilError)
}

// meeting returns the players that still have opponents, by groups of those that meet, directly or through others.
func (p *plan) meeting(suspended *suspensions) map[int][]string {
	group := make([]int, len(p.config.Agents))
	for i := range group {
		group[i] = i
	}
	for _, m := range p.Stages[0].Matches {
		from, to := m.Players[0], m.Players[1]
		if suspended.has(from) || suspended.has(to) {
			continue
		}
		from, to = group[from], group[to]
		for i, g := range group {
			if g == from {
				group[i] = to
			}
		}
	}
	players := map[int][]string{}
	for i, g := range group {
		players[g] = append(players[g], p.config.Agents[i].String())
	}
	maps.DeleteFunc(players, func(_ int, names []string) bool { return len(names) == 1 })
	return players
}
