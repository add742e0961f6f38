package standings

import (
	"fmt"

	"gyges/ratings/table"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// maxRoundRobin is the number of agents up to which the table of a round-robin is made.
const maxRoundRobin = 1000

// newRoundRobin adds the counts of a round-robin of three agents or more to the schedule, under all rule sets together.
func (s *schedule) newRoundRobin(m *tournament.ManifestConfig) {
	n := len(m.Agents)
	if m.Schedule != tournament.RoundRobin && m.Schedule != "" || n < 3 || n > maxRoundRobin {
		return
	}
	s.met = map[[2]int]roundResult{}
	s.ruleSets, s.games = len(m.Rules), int64(n*(n-1)*m.Pairs*len(m.Rules))
}

// addMet counts a game of a round-robin for both players.
func (s *schedule) addMet(south, north string, result string) {
	a, okA := s.index[south]
	b, okB := s.index[north]
	if !okA || !okB || a == b {
		s.misfit = true
		return
	}
	for side, key := range [2][2]int{{a, b}, {b, a}} {
		r := s.met[key]
		r.won += int64(record.HalfPoints(result, rules.Side(side)))
		r.halves += 2
		s.met[key] = r
	}
	s.played++
}

// roundRobin returns the table of a round-robin: points, and Sonneborn-Berger for those who have as many.
func (s *schedule) roundRobin(labels map[string]string) table.Schedule {
	places := make([]place, len(s.agents))
	for i := range places {
		places[i].agent = i
		for j := range places {
			places[i].halves += s.met[[2]int{i, j}].won
		}
	}
	games := make([]int64, len(places))
	for i := range places {
		for j := range places {
			if m := s.met[[2]int{i, j}]; m.halves > 0 {
				games[i] += m.halves / 2
				places[i].against(m, places[j].halves)
			}
		}
		places[i].buchholz = 0 // decides nothing where everybody meets everybody
	}
	rank(places)
	ended := s.ended || s.played == s.games
	over := fmt.Sprintf("Round-robin, final table of %s", textfmt.Plural(len(s.agents), "player"))
	if !ended {
		over = fmt.Sprintf("Round-robin, %d of %d games played", s.played, s.games)
	}
	if s.ruleSets > 1 {
		over += fmt.Sprintf(", %d rule sets together", s.ruleSets)
	}
	t := table.Schedule{
		Kind: string(tournament.RoundRobin), Title: over, Alone: s.ruleSets < 2,
		Columns: grid.Cells([]grid.CellColumn{
			{Key: "rank", Title: "#"}, {Key: "player", Title: "Player", Left: true}, {Key: "games", Title: "Games"},
			{Key: "points", Title: "Points"}, {Key: "sonneborn_berger", Title: "S-B"},
		}),
	}
	for _, p := range places {
		t.Rows = append(t.Rows, []any{
			p.rank, s.name(labels, p.agent), games[p.agent], float64(p.halves) / 2, grid.Fixed(p.sberger/2, 2),
		})
	}
	t.Result = s.first(labels, places, "round-robin", ended)
	t.Notes = []string{t.Result, "Order: points; S-B (Sonneborn-Berger), the sum of each opponent's points times the " +
		"share of the points won against it."}
	return t
}
