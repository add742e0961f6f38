package standings

import (
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// total returns what was counted of a player under all rule sets but its calibration and the quantiles; nil without
// games.
func (s *Standings) total(spec string) *Player {
	var t *Player
	for _, set := range s.RuleSets {
		p, ok := set.Players[spec]
		if !ok {
			continue
		}
		if t == nil {
			t = &Player{Faults: map[string]int64{}}
		}
		for side := range p.Results {
			for i, n := range p.Results[side] {
				t.Results[side][i] += n
			}
		}
		t.Plies += p.Plies
		for kind, n := range p.Faults {
			t.Faults[kind] += n
		}
		for _, d := range [][2]*Distribution{{&t.Time, &p.Time}, {&t.Nodes, &p.Nodes}, {&t.Depth, &p.Depth}} {
			d[0].N, d[0].Sum = d[0].N+d[1].N, d[0].Sum+d[1].Sum
		}
	}
	return t
}

// Count returns the results of a player on both sides, in the games that could be read whole.
func (s *Standings) Count(spec string) ratings.Count {
	c := ratings.Count{}
	if t := s.total(spec); t != nil {
		for _, n := range t.Results {
			c.Wins, c.Draws, c.Losses = c.Wins+int(n[0]), c.Draws+int(n[1]), c.Losses+int(n[2])
		}
	}
	return c
}

// PlayerTable returns the table of what was counted of the players given. Faults are left out where there were none.
func (s *Standings) PlayerTable(specs []string) *grid.Grid {
	t := &grid.Grid{
		Header: []string{"Player", "As South", "As North", "Plies a game", "Depth", "Nodes a move", "Time a move"},
		Left:   map[int]bool{0: true},
		Fold:   1,
	}
	faulty := slices.ContainsFunc(s.RuleSets, func(set *RuleSet) bool {
		return slices.ContainsFunc(set.Order, func(spec string) bool { return len(set.Players[spec].Faults) > 0 })
	})
	if faulty {
		t.Header = append(t.Header, "Faults")
	}
	mean := func(d Distribution, format string) string {
		if d.N == 0 {
			return "-"
		}
		return fmt.Sprintf(format, d.Mean())
	}
	for _, spec := range specs {
		p := s.total(spec)
		if p == nil {
			continue
		}
		row := []string{textfmt.Escape(agents.LabelOf(spec))}
		for _, n := range p.Results {
			row = append(row, fmt.Sprintf("%d-%d-%d", n[0], n[1], n[2]))
		}
		plies := Distribution{N: int64(s.Count(spec).Games()), Sum: float64(p.Plies)}
		row = append(row, mean(plies, "%.1f"), mean(p.Depth, "%.1f"), mean(p.Nodes, "%.0f"), mean(p.Time, "%.3fms"))
		if faulty {
			lost := int64(0)
			for _, n := range p.Faults {
				lost += n
			}
			row = append(row, fmt.Sprint(lost))
		}
		t.Add(row...)
	}
	return t
}
