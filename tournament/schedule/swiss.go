package schedule

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// swiss has rounds in which players with equally many points meet, and no two a second time as long
// as that is possible. With an odd number of players the last in the table that has had none yet
// has a bye, which counts as a won match. Equal points are ordered as the players are listed. In
// the first round the top half meets the bottom half, as in FIDE's Dutch system: of eight 1 and 5,
// 2 and 6.
var swiss = swissSystem{Facts{
	Name: "swiss", Doc: "neighbours in the table", Adaptive: true, MostRounds: swissRounds,
}}

// swissRounds returns in how many rounds everybody can meet everybody: with an odd number of
// players each has a bye.
func swissRounds(players int) int { return players - 1 + players%2 }

type swissSystem struct{ Facts }

// Stages are, without rounds, as many as a knock-out has.
func (swissSystem) Stages(players, rounds int) []int {
	return slices.Repeat([]int{players / 2}, cmp.Or(rounds, bits.Len(uint(max(players-1, 0)))))
}

// Pairings pairs neighbours in the table, after the first round.
func (swissSystem) Pairings(players int, before []Stage) (list [][2]int) {
	if len(before) == 0 {
		for i := range players / 2 {
			list = append(list, [2]int{i, players/2 + i})
		}
		return list
	}
	met := map[[2]int]bool{}
	points := make([]int64, players)
	hadBye := make([]bool, players)
	for i, list := range rounds(players, before) {
		for _, m := range list {
			points[i] += m.won
			met[[2]int{i, m.opponent}] = true
			if m.opponent < 0 {
				hadBye[i] = true
			}
		}
	}
	order := listed(players)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(points[b], points[a]) })
	if players%2 == 1 { // a bye for the last one without
		i := players - 1
		for i > 0 && hadBye[order[i]] {
			i--
		}
		order = slices.Delete(order, i, i+1)
	}
	s := swissSearch{met: met, steps: swissSteps}
	if !s.pair(order) {
		s = swissSearch{steps: swissSteps} // players may meet again
		s.pair(order)
	}
	slices.Reverse(s.list)
	return s.list
}

// swissSteps bounds the search for pairings without a second meeting. It ends quickly unless nearly
// all have met.
const swissSteps = 100_000

// swissSearch pairs the first of an order with the nearest it can, so that the rest can be paired
// too.
type swissSearch struct {
	met   map[[2]int]bool // who must not meet
	steps int
	list  [][2]int
}

// pair appends the pairings of order to the list, the last first.
func (s *swissSearch) pair(order []int) bool {
	if len(order) == 0 {
		return true
	}
	a := order[0]
	for i := 1; i < len(order); i++ {
		s.steps--
		if s.steps < 0 {
			return false
		}
		b := order[i]
		if s.met[[2]int{a, b}] {
			continue
		}
		rest := slices.Delete(slices.Clone(order[1:]), i-1, i)
		if s.pair(rest) {
			s.list = append(s.list, [2]int{a, b})
			return true
		}
	}
	return false
}

// Tables returns the standings after each round that has begun.
func (f swissSystem) Tables(s *Schedule, names []string, _ bool) (list []table.Standings) {
	begun := 0
	for k := range s.Stages {
		if games, _ := s.Stages[k].Played(); games > 0 {
			begun = k + 1
		}
	}
	for k := range begun {
		places := ranking(rounds(s.Players, s.Stages[:k+1]), true)
		t := standingsOf(f, swissTitle(s, k), swissColumns(k, names), places)
		if k == begun-1 {
			games, all := s.Stages[k].Played()
			ended := games == all && begun == len(s.Stages)
			t.Result = leaders(places, names, "Swiss tournament", ended)
			t.Notes = []string{
				"Order: points; Buchholz, the sum of the opponents' points; " + sbergerNote,
			}
		}
		list = append(list, t)
	}
	return list
}

// rounds returns the meetings of each player, one for each round: with none it has a bye, once the
// round is over.
func rounds(players int, stages []Stage) [][]meeting {
	met := make([][]meeting, players)
	for k := range stages {
		games, all := stages[k].Played()
		for i, list := range stages[k].meetings(players) {
			if list == nil {
				bye := meeting{opponent: -1}
				if games == all { // it counts as won
					bye.halves = 2 * stages[k].Games
					bye.won = bye.halves
				}
				list = []meeting{bye}
			}
			met[i] = append(met[i], list...)
		}
	}
	return met
}

func swissColumns(k int, names []string) []grid.Column[place] {
	return []grid.Column[place]{
		{Key: "round", Value: func(place) any { return k + 1 }},
		rankColumn, playerColumn(names), pointsColumn, buchholzColumn, sbergerColumn,
		{Key: "result", Title: "Result", Value: func(p place) any {
			switch {
			case p.last.opponent >= 0:
				return points(p.last.won) + "-" + points(p.last.halves-p.last.won)
			case p.last.halves > 0:
				return "bye"
			}
			return nil
		}},
		{Key: "opponent", Title: "Against", Left: true, Value: func(p place) any {
			if p.last.opponent < 0 {
				return nil
			}
			return names[p.last.opponent]
		}},
	}
}

func swissTitle(s *Schedule, k int) string {
	games, all := s.Stages[k].Played()
	switch {
	case games < all:
		return fmt.Sprintf("Swiss, round %d of %d, %d of %d games played",
			k+1, len(s.Stages), games, all)
	case k == len(s.Stages)-1:
		return fmt.Sprintf("Swiss, final table after %s", textfmt.Plural(k+1, "round"))
	}
	return fmt.Sprintf("Swiss, standings after round %d of %d", k+1, len(s.Stages))
}
