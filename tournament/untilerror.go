package tournament

import (
	"context"
	"math"

	"gyges/ratings"
)

// precision are the results of a run that ends when its intervals are narrow enough.
type precision struct {
	schedule *schedule
	results  map[string]*ratings.Data // by rule set
	next     int64                    // the number of rounds after which it is looked at
}

// newPrecision returns no results of a run; nil if the run has another end.
func newPrecision(s *schedule) *precision {
	if s.config.UntilError == 0 {
		return nil
	}
	p := &precision{s, map[string]*ratings.Data{}, ratings.NextLook(0)}
	for _, r := range s.config.Rules {
		p.results[r.String()] = new(ratings.Data)
	}
	return p
}

// look reports whether the run ends after a number of pairs, of which all are counted. Suspended players are left out
// of account: their intervals don't get narrower.
func (p *precision) look(pairs int64, suspended *suspensions) bool {
	s := p.schedule
	if pairs != p.next*int64(len(s.stages[0].Matches)*len(p.results)) {
		return false
	}
	p.next = ratings.NextLook(p.next)
	var players []string
	for i := range s.seats {
		if !suspended.has(i) {
			players = append(players, s.seats[i].Name)
		}
	}
	now := ratings.Precision{Pairs: math.MaxInt}
	for _, d := range p.results {
		now = now.Worse(ratings.MeasurePrecision(context.Background(), d, players)) // milliseconds
	}
	return now.Within(s.config.UntilError)
}
