package schedule

import (
	"fmt"
	"math/bits"
	"slices"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
)

// knockout has rounds; the loser of a match is eliminated. The first players listed are seeded
// highest: they meet the lowest, have a bye in the first round where the number of players isn't a
// power of 2, and go on after a tie.
var knockout = singleElimination{Facts{
	Name:     "knockout",
	Doc:      "seeded in the order given; the higher seed advances after a tie",
	Adaptive: true,
}}

type singleElimination struct{ Facts }

func (singleElimination) Stages(players, _ int) []int {
	half := 1 << (bits.Len(uint(max(players-1, 1))) - 1) // the largest power of 2 below
	sizes := []int{players - half}
	for half /= 2; half > 0; half /= 2 {
		sizes = append(sizes, half)
	}
	return sizes
}

// Pairings returns the best against the worst of those who are left, the pairs in the middle first:
// in the first round the best may have a bye.
func (f singleElimination) Pairings(players int, before []Stage) (list [][2]int) {
	out := make([]bool, players)
	for _, st := range before {
		for _, m := range st.Matches {
			out[m.Players[1-m.winner()]] = true
		}
	}
	in := slices.DeleteFunc(listed(players), func(player int) bool { return out[player] })
	count := f.Stages(players, 0)[len(before)]
	for i := range count {
		list = append(list, [2]int{in[len(in)-2*count+i], in[len(in)-1-i]})
	}
	return list
}

// winner returns which player goes on, 0 or 1: the one with more points, or after a tie the one
// that is listed first.
func (m *Match) winner() int {
	secondWins := m.Halves[0] < m.Halves[1]
	if m.tied() {
		secondWins = m.Players[0] > m.Players[1]
	}
	if secondWins {
		return 1
	}
	return 0
}

func (m *Match) tied() bool { return m.Halves[0] == m.Halves[1] }

// decided is a match of a round with the player first that goes on, or while it is not over the one
// that leads.
type decided struct {
	Match
	round string
	all   int64  // games
	score string // of both
}

func (m decided) over() bool { return m.Games == m.all }

const final = "Final"

// roundName is what round k is called: by the number of players in it, or by its own number if some
// of those have byes.
func (s *Schedule) roundName(k int) string {
	switch n := len(s.Stages[k].Matches); {
	case k == len(s.Stages)-1:
		return final
	case k == 0 && 2*n != s.Players:
		return "First round"
	case n == 2:
		return "Semi-final"
	case n == 4:
		return "Quarter-final"
	default:
		return fmt.Sprintf("Round of %d", 2*n)
	}
}

// Tables returns the bracket as the table of the matches.
func (f singleElimination) Tables(s *Schedule, names []string, _ bool) []table.Standings {
	var matches []decided // of which games were played
	for k, st := range s.Stages {
		for _, m := range st.Matches {
			if m.Games == 0 {
				continue
			}
			if m.winner() == 1 {
				slices.Reverse(m.Players[:])
				slices.Reverse(m.Halves[:])
			}
			score := points(m.Halves[0]) + "-" + points(m.Halves[1])
			matches = append(matches, decided{m, s.roundName(k), st.Games, score})
		}
	}
	if len(matches) == 0 {
		return nil
	}
	t := standingsOf(f, "Knock-out", []grid.Column[decided]{
		{Key: "round", Title: "Round", Left: true, Value: func(m decided) any { return m.round }},
		{Key: "winner", Title: "Winner", Left: true,
			Value: func(m decided) any { return names[m.Players[0]] }},
		{Key: "winner_seed", Title: "Seed", Drop: 1,
			Value: func(m decided) any { return m.Players[0] + 1 }},
		{Key: "result", Title: "Result", Value: func(m decided) any { return m.score }},
		{Key: "loser", Title: "Loser", Left: true,
			Value: func(m decided) any { return names[m.Players[1]] }},
		{Key: "loser_seed", Title: "Seed", Drop: 2,
			Value: func(m decided) any { return m.Players[1] + 1 }},
		{Key: "decided_by", Title: "Decided by", Left: true, Value: func(m decided) any {
			switch {
			case !m.over():
				return fmt.Sprintf("not yet: %d of %d games", m.Games, m.all)
			case m.tied():
				return "better seed"
			}
			return "points"
		}},
	}, matches)
	t.Caption = "Matches, round by round"
	t.Result = "The knock-out is not decided yet."
	last := matches[len(matches)-1]
	if last.round == final && last.over() {
		winner, loser := names[last.Players[0]], names[last.Players[1]]
		t.Result = fmt.Sprintf("%s has won the knock-out, %s against %s in the final",
			winner, last.score, loser)
		if last.tied() {
			t.Result += ": a tie, which the better seed wins"
		}
		t.Result += "."
	}
	t.Notes = []string{
		"Seeds are the order of the players in the run; after a tie the better seed goes on.",
	}
	return []table.Standings{t}
}
