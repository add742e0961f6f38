package standings

import (
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules/base/grid"
)

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
		t.plies += p.plies
		for kind, n := range p.Faults {
			t.Faults[kind] += n
		}
		for _, m := range [][2]*mean{{&t.time, &p.time}, {&t.nodes, &p.nodes}, {&t.depth, &p.depth}} {
			m[0].n, m[0].sum = m[0].n+m[1].n, m[0].sum+m[1].sum
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
func (s *Standings) PlayerTable(specs []string) *grid.Table {
	t := grid.New("", 1, "Player", "As South", "As North", "Plies a game", "Depth", "Nodes a move", "Time a move",
		"Faults")
	faults := int64(0)
	drawn := slices.ContainsFunc(s.RuleSets, func(set *RuleSet) bool { return set.Results[1] > 0 })
	for _, spec := range specs {
		p, games, lost := s.total(spec), int64(s.Count(spec).Games()), int64(0)
		if games == 0 {
			continue
		}
		for _, n := range p.Faults {
			lost += n
		}
		row := []any{agents.LabelOf(spec)}
		for _, n := range p.Results {
			if drawn {
				row = append(row, fmt.Sprintf("%d-%d-%d", n[0], n[1], n[2]))
			} else {
				row = append(row, fmt.Sprintf("%d-%d", n[0], n[2]))
			}
		}
		t.Add(append(row, mean{games, float64(p.plies)}.text("%.1f"), p.depth.text("%.1f"), p.nodes.text("%.0f"),
			p.time.text("%.3fms"), lost)...)
		faults += lost
	}
	if faults == 0 {
		t.Hide("Faults")
	}
	return t
}
