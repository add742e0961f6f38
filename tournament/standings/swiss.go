package standings

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// place is a row of the standings of a Swiss tournament or a round-robin.
type place struct {
	agent    int
	rank     int // those who are equal in all have the same
	last     roundResult
	games    int64 // byes included
	halves   int64
	buchholz int64   // in half points
	sberger  float64 // in half points
}

// roundResult is the match of an agent in a round, from its view. Without an opponent it is
// a bye, once the round is over.
type roundResult struct {
	opponent    int   // -1: none
	won, halves int64 // half points of the agent, and of both
}

// roundResults returns the matches of all agents in round k.
func (s *schedule) roundResults(k int) []roundResult {
	list := make([]roundResult, len(s.agents))
	for i := range list {
		list[i].opponent = -1
	}
	round := &s.stages[k]
	for _, m := range round.Matches {
		if m.Games > 0 {
			for side, agent := range m.Agents {
				list[agent] = roundResult{m.Agents[1-side], m.Halves[side], 2 * m.Games}
			}
		}
	}
	if games, all := round.Played(); games == all {
		for _, agent := range round.Byes(len(list)) {
			list[agent].won, list[agent].halves = 2*round.Games, 2*round.Games
		}
	}
	return list
}

// standings returns the table after some rounds, or while the last one goes on: the places by points, Buchholz if that
// counts, and Sonneborn-Berger.
func standings(rounds [][]roundResult, buchholz bool) []place {
	places := make([]place, len(rounds[0]))
	for _, round := range rounds {
		for i, m := range round {
			places[i].agent, places[i].last = i, m
			places[i].halves += m.won
			places[i].games += m.halves / 2
		}
	}
	for i := range places {
		p := &places[i]
		for _, round := range rounds {
			if m := round[i]; m.halves > 0 {
				opponent := p.halves // a bye is a match against an opponent with as many points as one's own
				if m.opponent >= 0 {
					opponent = places[m.opponent].halves
				}
				if buchholz {
					p.buchholz += opponent
				}
				p.sberger += float64(opponent) * float64(m.won) / float64(m.halves)
			}
		}
	}
	order := func(a, b place) int {
		return cmp.Or(cmp.Compare(b.halves, a.halves), cmp.Compare(b.buchholz, a.buchholz),
			cmp.Compare(b.sberger, a.sberger))
	}
	slices.SortStableFunc(places, order)
	for i := range places {
		places[i].rank = i + 1
		if i > 0 && order(places[i-1], places[i]) == 0 {
			places[i].rank = places[i-1].rank
		}
	}
	return places
}

var swissColumns = []grid.Head{
	{Key: "round"}, {Key: "rank", Title: "#"}, {Key: "player", Title: "Player", Left: true},
	{Key: "points", Title: "Points"}, {Key: "buchholz", Title: "Buchholz"}, {Key: "sonneborn_berger", Title: "S-B"},
	{Key: "result", Title: "Result"}, {Key: "opponent", Title: "Against", Left: true},
}

// swiss returns the standings after each round that has begun.
func (s *schedule) swiss(labels map[string]string) []table.Schedule {
	var list []table.Schedule
	var rounds [][]roundResult
	n := s.begun()
	for k := range n {
		games, all := s.stages[k].Played()
		t := &grid.Table{Title: s.roundTitle(k), Columns: swissColumns}
		rounds = append(rounds, s.roundResults(k))
		places := standings(rounds, true)
		for _, p := range places {
			var against, result any
			switch {
			case p.last.opponent >= 0:
				against = s.name(labels, p.last.opponent)
				result = points(p.last.won) + "-" + points(p.last.halves-p.last.won)
			case p.last.halves > 0:
				result = "bye"
			}
			t.Add(k+1, p.rank, s.name(labels, p.agent), float64(p.halves)/2, float64(p.buchholz)/2,
				grid.Fixed(p.sberger/2, 2), result, against)
		}
		if k == n-1 {
			t.Result = s.first(labels, places, "Swiss tournament", games == all && n == len(s.stages))
			t.Notes = []string{"Order: points; Buchholz, the sum of the opponents' points; " +
				"S-B (Sonneborn-Berger), the sum of each opponent's points times the share of the points won against it."}
		}
		list = append(list, table.Schedule{Kind: string(s.format), Table: t})
	}
	return list
}

// roundTitle is the title of the standings after a round of a Swiss tournament.
func (s *schedule) roundTitle(k int) string {
	games, all := s.stages[k].Played()
	switch {
	case games < all:
		return fmt.Sprintf("Swiss, round %d of %d, %d of %d games played", k+1, len(s.stages), games, all)
	case k == len(s.stages)-1:
		return fmt.Sprintf("Swiss, final table after %s", textfmt.Plural(k+1, "round"))
	}
	return fmt.Sprintf("Swiss, standings after round %d of %d", k+1, len(s.stages))
}

// first is a sentence on who leads, or if it is over has won, by places in their order.
func (s *schedule) first(labels map[string]string, places []place, format string, over bool) string {
	var first []string
	for _, p := range places {
		if p.rank == 1 {
			first = append(first, s.name(labels, p.agent))
		}
	}
	verb := "leads"
	if over {
		verb = "has won"
	}
	line := fmt.Sprintf("%s %s the %s", first[0], verb, format)
	if len(first) > 1 {
		line = fmt.Sprintf("%s share the first place of the %s", textfmt.List(first, 8), format)
	}
	line += fmt.Sprintf(" with %s points", points(places[0].halves))
	if len(first) == 1 && len(places) > 1 && places[1].halves == places[0].halves {
		line += ", by " + tieBreak(places[0], places[1])
	}
	return line + "."
}

// tieBreak names what puts a place above another one with as many points.
func tieBreak(first, second place) string {
	if first.buchholz != second.buchholz {
		return fmt.Sprintf("Buchholz (%s to %s)", points(first.buchholz), points(second.buchholz))
	}
	return fmt.Sprintf("Sonneborn-Berger (%.2f to %.2f)", first.sberger/2, second.sberger/2)
}
