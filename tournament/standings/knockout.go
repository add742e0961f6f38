package standings

import (
	"fmt"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/tournament"
)

// winnerFirst returns a match with the agent first that goes on, or while it is not over the one that leads, and the
// points of both.
func winnerFirst(m tournament.Match) (_ tournament.Match, score string) {
	w := m.Winner()
	m.Agents, m.Halves = [2]int{m.Agents[w], m.Agents[1-w]}, [2]int64{m.Halves[w], m.Halves[1-w]}
	return m, points(m.Halves[0]) + "-" + points(m.Halves[1])
}

// roundName is what round k of a knock-out is called: by the number of players in it, or
// by its own number if some of those have byes.
func (s *schedule) roundName(k int) string {
	switch n := len(s.stages[k].Matches); {
	case k == len(s.stages)-1:
		return "Final"
	case k == 0 && 2*n != len(s.agents):
		return "First round"
	case n == 2:
		return "Semi-final"
	case n == 4:
		return "Quarter-final"
	default:
		return fmt.Sprintf("Round of %d", 2*n)
	}
}

var knockoutColumns = []grid.Head{
	{Key: "round", Title: "Round", Left: true}, {Key: "winner", Title: "Winner", Left: true},
	{Key: "winner_seed", Title: "Seed"}, {Key: "result", Title: "Result"}, {Key: "loser", Title: "Loser", Left: true},
	{Key: "loser_seed", Title: "Seed"}, {Key: "decided_by", Title: "Decided by", Left: true},
}

// knockout returns the bracket.
func (s *schedule) knockout(labels map[string]string) table.Schedule {
	t := &grid.Table{Title: "Knock-out", Columns: knockoutColumns, Tree: s.bracket(labels)}
	for k := range s.begun() {
		for _, m := range s.stages[k].Matches {
			if m.Games == 0 {
				continue
			}
			m, score := winnerFirst(m)
			by := "points"
			switch {
			case m.Games < s.stages[k].Games:
				by = fmt.Sprintf("not decided: %d of %d games", m.Games, s.stages[k].Games)
			case m.Halves[0] == m.Halves[1]:
				by = "better seed, after a tie"
			}
			t.Add(s.roundName(k), s.name(labels, m.Agents[0]), m.Agents[0]+1, score, s.name(labels, m.Agents[1]),
				m.Agents[1]+1, by)
		}
	}
	final := s.stages[len(s.stages)-1]
	last, score := winnerFirst(final.Matches[0])
	if t.Result = "The knock-out is not decided yet."; last.Games == final.Games {
		t.Result = fmt.Sprintf("%s has won the knock-out, %s against %s in the final", s.name(labels, last.Agents[0]), score,
			s.name(labels, last.Agents[1]))
		if last.Halves[0] == last.Halves[1] {
			t.Result += ": a tie, which the better seed wins"
		}
		t.Result += "."
	}
	t.Notes = []string{"Seeds are the order of the players in the run; after a tie the better seed goes on."}
	return table.Schedule{Kind: string(s.format), Table: t}
}

// bracket draws the matches as a tree, the last one at its root. Each match stands above
// those that its players have won before.
func (s *schedule) bracket(labels map[string]string) []string {
	var lines []string
	seeded := func(agent int) string { return fmt.Sprintf("%s (%d)", s.name(labels, agent), agent+1) }
	drawn := make([][]bool, len(s.stages))
	for k := range s.stages {
		drawn[k] = make([]bool, len(s.stages[k].Matches))
	}
	var draw func(k, i int, head, below string)
	draw = func(k, i int, head, below string) {
		m, score := winnerFirst(s.stages[k].Matches[i])
		drawn[k][i] = true
		line := fmt.Sprintf("%s: %s %s %s", s.roundName(k), seeded(m.Agents[0]), score, seeded(m.Agents[1]))
		switch {
		case m.Games < s.stages[k].Games:
			line += fmt.Sprintf(", %d of %d games", m.Games, s.stages[k].Games)
		case m.Halves[0] == m.Halves[1]:
			line += ", tie: better seed"
		}
		lines = append(lines, head+line)
		var before [][2]int
		for _, agent := range m.Agents {
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
	for k := len(s.stages) - 1; k >= 0; k-- { // the final, or in an unfinished run whatever came last
		for i, m := range s.stages[k].Matches {
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
		for i, m := range s.stages[r].Matches {
			if m.Games > 0 && (m.Agents[0] == agent || m.Agents[1] == agent) {
				return r, i
			}
		}
	}
	return -1, -1
}
