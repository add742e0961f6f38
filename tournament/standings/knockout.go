package standings

import (
	"fmt"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
)

// decided is a match of a knock-out with the agent that goes on first.
type decided struct {
	match
	over bool
	tie  bool
}

// decide returns a match of a knock-out with the winner first: the agent with more
// points, or after a tie the better seed. One that is not over has the leader first.
func (s *schedule) decide(m match) decided {
	d := decided{m, m.Games == s.Worth, m.Halves[0] == m.Halves[1]}
	if m.Halves[0] < m.Halves[1] || d.tie && m.Agents[0] > m.Agents[1] {
		d.Agents = [2]int{m.Agents[1], m.Agents[0]}
		d.Halves = pair{m.Halves[1], m.Halves[0]}
	}
	return d
}

// roundName is what round k of a knock-out is called: by the number of players in it, or
// by its own number if some of those have byes.
func (s *schedule) roundName(k int) string {
	switch n := len(s.Rounds[k].Matches); {
	case k == len(s.Rounds)-1:
		return "Final"
	case k == 0 && 2*n != len(s.Agents):
		return "First round"
	case n == 2:
		return "Semi-final"
	case n == 4:
		return "Quarter-final"
	default:
		return fmt.Sprintf("Round of %d", 2*n)
	}
}

var knockoutColumns = grid.Cells([]grid.CellColumn{
	{Key: "round", Title: "Round", Left: true}, {Key: "winner", Title: "Winner", Left: true},
	{Key: "winner_seed", Title: "Seed"}, {Key: "result", Title: "Result"}, {Key: "loser", Title: "Loser", Left: true},
	{Key: "loser_seed", Title: "Seed"}, {Key: "decided_by", Title: "Decided by", Left: true},
})

// knockout returns the bracket.
func (s *schedule) knockout(labels map[string]string) table.Schedule {
	t := table.Schedule{
		Kind: string(s.Format), Title: "Knock-out",
		Columns: knockoutColumns,
		Lines:   s.bracket(labels),
	}
	for k := range s.begun() {
		for _, m := range s.Rounds[k].Matches {
			if m.Games == 0 {
				continue
			}
			d := s.decide(m)
			by := "points"
			switch {
			case !d.over:
				by = fmt.Sprintf("not decided: %d of %d games", m.Games, s.Worth)
			case d.tie:
				by = "better seed, after a tie"
			}
			t.Rows = append(t.Rows, []any{
				s.roundName(k), s.name(labels, d.Agents[0]), d.Agents[0] + 1, pair(d.Halves).String(),
				s.name(labels, d.Agents[1]), d.Agents[1] + 1, by,
			})
		}
	}
	last := s.decide(s.Rounds[len(s.Rounds)-1].Matches[0])
	if t.Result = "The knock-out is not decided yet."; last.over {
		t.Result = fmt.Sprintf("%s has won the knock-out, %s against %s in the final",
			s.name(labels, last.Agents[0]), pair(last.Halves), s.name(labels, last.Agents[1]))
		if last.tie {
			t.Result += ": a tie, which the better seed wins"
		}
		t.Result += "."
	}
	t.Notes = []string{t.Result,
		"Seeds are the order of the players in the run; after a tie the better seed goes on."}
	return t
}

// bracket draws the matches as a tree, the last one at its root. Each match stands above
// those that its players have won before.
func (s *schedule) bracket(labels map[string]string) []string {
	var lines []string
	seeded := func(agent int) string { return fmt.Sprintf("%s (%d)", s.name(labels, agent), agent+1) }
	drawn := make([][]bool, len(s.Rounds))
	for k := range s.Rounds {
		drawn[k] = make([]bool, len(s.Rounds[k].Matches))
	}
	var draw func(k, i int, head, below string)
	draw = func(k, i int, head, below string) {
		d := s.decide(s.Rounds[k].Matches[i])
		drawn[k][i] = true
		line := fmt.Sprintf("%s: %s %s %s", s.roundName(k), seeded(d.Agents[0]), pair(d.Halves), seeded(d.Agents[1]))
		switch {
		case !d.over:
			line += fmt.Sprintf(", %d of %d games", d.Games, s.Worth)
		case d.tie:
			line += ", tie: better seed"
		}
		lines = append(lines, head+line)
		var before [][2]int
		for _, agent := range d.Agents {
			if r, m := s.lastWon(k, agent); m >= 0 {
				before = append(before, [2]int{r, m})
			}
		}
		for n, b := range before {
			if n == len(before)-1 {
				draw(b[0], b[1], below+"└─ ", below+"   ")
			} else {
				draw(b[0], b[1], below+"├─ ", below+"│  ")
			}
		}
	}
	for k := len(s.Rounds) - 1; k >= 0; k-- { // the final, or in an unfinished run whatever came last
		for i, m := range s.Rounds[k].Matches {
			if m.Games > 0 && !drawn[k][i] {
				draw(k, i, "", "")
			}
		}
	}
	return lines
}

// lastWon returns the last match before round k in which an agent played; -1 if there is
// none.
func (s *schedule) lastWon(k, agent int) (round, number int) {
	for r := k - 1; r >= 0; r-- {
		for i, m := range s.Rounds[r].Matches {
			if m.Games > 0 && (m.Agents[0] == agent || m.Agents[1] == agent) {
				return r, i
			}
		}
	}
	return -1, -1
}
