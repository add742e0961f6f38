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
		m := s.met[key]
		s.met[key] = roundResult{key[1], m.won + int64(record.HalfPoints(result, rules.Side(side))), m.halves + 2}
	}
	s.played++
}

// roundRobin returns the table of a round-robin: points, and Sonneborn-Berger for those who have as many.
func (s *schedule) roundRobin(labels map[string]string) table.Schedule {
	rounds := make([][]roundResult, len(s.agents)) // against each agent
	for j := range rounds {
		for i := range s.agents {
			rounds[j] = append(rounds[j], s.met[[2]int{i, j}])
		}
	}
	places := standings(rounds, false) // Buchholz decides nothing where everybody meets everybody
	ended := s.ended || s.played == s.games
	over := fmt.Sprintf("Round-robin, final table of %s", textfmt.Plural(len(s.agents), "player"))
	if !ended {
		over = fmt.Sprintf("Round-robin, %d of %d games played", s.played, s.games)
	}
	if s.ruleSets > 1 {
		over += fmt.Sprintf(", %d rule sets together", s.ruleSets)
	}
	t := &grid.Table{Title: over, Columns: []grid.Head{
		{Key: "rank", Title: "#"}, {Key: "player", Title: "Player", Left: true}, {Key: "games", Title: "Games"},
		{Key: "points", Title: "Points"}, {Key: "sonneborn_berger", Title: "S-B"},
	}}
	for _, p := range places {
		t.Add(p.rank, s.name(labels, p.agent), p.games, float64(p.halves)/2, grid.Fixed(p.sberger/2, 2))
	}
	t.Result = s.first(labels, places, "round-robin", ended)
	t.Notes = []string{"Order: points; S-B (Sonneborn-Berger), the sum of each opponent's points times the " +
		"share of the points won against it."}
	return table.Schedule{Kind: string(tournament.RoundRobin), Table: t}
}
