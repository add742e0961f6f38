package tournament

import (
	"context"
	"math"

	"gyges/ratings"
)

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

// look reports whether the run ends after a number of pairs, of which all are counted: whether the
// players that still meet, directly or through others, are rated precisely enough among each other.
// The intervals of the others don't get narrower.
func (p *precision) look(pairs int64, suspended *suspensions) bool {
	perRound := int64(len(p.plan.Stages[0].Matches) * len(p.results))
	if pairs != p.next*perRound {
		return false
	}
	p.next = ratings.NextLook(p.next)
	worst := ratings.Precision{Pairs: math.MaxInt}
	for _, players := range p.plan.meeting(suspended) {
		for _, d := range p.results {
			// It takes milliseconds, so that it needs no context of the run.
			measured := ratings.MeasurePrecision(context.Background(), d, players)
			worst = worst.Worse(measured)
		}
	}
	return worst.Within(p.plan.config.UntilError)
}

// meeting returns the players that still have opponents, by groups of those that meet, directly or
// through others.
func (p *plan) meeting(suspended *suspensions) (groups [][]string) {
	group := make([]int, len(p.config.Agents)) // by player
	for i := range group {
		group[i] = i
	}
	for _, m := range p.Stages[0].Matches {
		if !suspended.leaves(m.Players) {
			continue
		}
		from, to := group[m.Players[0]], group[m.Players[1]]
		for i, g := range group {
			if g == from {
				group[i] = to
			}
		}
	}
	players := make([][]string, len(group)) // by group
	for i, g := range group {
		players[g] = append(players[g], p.config.Agents[i].String())
	}
	for _, names := range players {
		if len(names) > 1 {
			groups = append(groups, names)
		}
	}
	return groups
}
