package standings

import (
	"fmt"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// total returns what was counted of a player under all rule sets but its calibration and the quantiles.
func (s *Standings) total(spec string) Player {
	t := Player{Faults: map[string]int64{}}
	for _, set := range s.RuleSets {
		p := set.Players[spec]
		if p == nil {
			continue
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
func (s *Standings) Count(spec string) (c ratings.Count) {
	for _, n := range s.total(spec).Results {
		c.Wins, c.Draws, c.Losses = c.Wins+int(n[0]), c.Draws+int(n[1]), c.Losses+int(n[2])
	}
	return c
}

// PlayerTable returns the table of what was counted of the players given. Faults are left out where there were none.
func (s *Standings) PlayerTable(specs []string) *grid.Grid {
	t := &grid.Grid{
		Header: []string{"Player", "As South", "As North", "Plies a game", "Depth", "Nodes a move", "Time a move", "Faults"},
		Left:   map[int]bool{0: true},
		Fold:   1,
	}
	mean := func(n int64, sum float64, format string) string {
		if n == 0 {
			return "-"
		}
		return fmt.Sprintf(format, sum/float64(n))
	}
	faults := int64(0)
	for _, spec := range specs {
		p, games, lost := s.total(spec), int64(s.Count(spec).Games()), int64(0)
		if games == 0 {
			continue
		}
		for _, n := range p.Faults {
			lost += n
		}
		row := []string{textfmt.Escape(agents.LabelOf(spec))}
		for _, n := range p.Results {
			row = append(row, fmt.Sprintf("%d-%d-%d", n[0], n[1], n[2]))
		}
		t.Add(append(row, mean(games, float64(p.Plies), "%.1f"), mean(p.Depth.N, p.Depth.Sum, "%.1f"),
			mean(p.Nodes.N, p.Nodes.Sum, "%.0f"), mean(p.Time.N, p.Time.Sum, "%.3fms"), fmt.Sprint(lost))...)
		faults += lost
	}
	if faults == 0 {
		t.Header = t.Header[:7]
		for i, row := range t.Rows {
			t.Rows[i] = row[:7]
		}
	}
	return t
}
