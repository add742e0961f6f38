package schedule

import (
	"fmt"
	"math/bits"
	"slices"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
)

// knockout has rounds; the loser of a match is eliminated. The first players listed are seeded highest: they meet the
// lowest, have a bye in the first round where the number of players isn't a power of 2, and go on after a tie.
var knockout = singleElimination{Facts{
	Name: "knockout", Doc: "seeded in the order given; the higher seed advances after a tie", Adaptive: true,
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

// Pairings: the best meet the worst, from the inside, since the best may have a bye.
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

// winner returns which player goes on, 0 or 1: the one with more points, or after a tie the one that is listed first.
func (m *Match) winner() int {
	if m.Halves[0] < m.Halves[1] || m.Halves[0] == m.Halves[1] && m.Players[0] > m.Players[1] {
		return 1
	}
	return 0
}

// decided is a match of a round with the player first that goes on, or while it is not over the one that leads.
type decided struct {
	Match
	round int
	score string // of both
	drawn bool
}

type bracket struct {
	*Schedule
	names   []string
	matches []decided // of which games were played, round by round
}

func (b *bracket) over(m decided) bool { return m.Games == b.Stages[m.round].Games }

func (m decided) tied() bool { return m.Halves[0] == m.Halves[1] }

// roundName is what round k is called: by the number of players in it, or by its own number if some of those have byes.
func (b *bracket) roundName(k int) string {
	switch n := len(b.Stages[k].Matches); {
	case k == len(b.Stages)-1:
		return "Final"
	case k == 0 && 2*n != b.Players:
		return "First round"
	case n == 2:
		return "Semi-final"
	case n == 4:
		return "Quarter-final"
	default:
		return fmt.Sprintf("Round of %d", 2*n)
	}
}

// Tables returns the matches, as text in a tree.
func (f singleElimination) Tables(s *Schedule, names []string, _ bool) []table.Standings {
	b := &bracket{Schedule: s, names: names}
	for k := range s.Stages {
		for _, m := range s.Stages[k].Matches {
			if m.Games > 0 {
				w := m.winner()
				m.Players, m.Halves = [2]int{m.Players[w], m.Players[1-w]}, [2]int64{m.Halves[w], m.Halves[1-w]}
				b.matches = append(b.matches, decided{Match: m, round: k, score: points(m.Halves[0]) + "-" + points(m.Halves[1])})
			}
		}
	}
	if len(b.matches) == 0 {
		return nil
	}
	t := standingsOf(f, "Knock-out", []grid.Column[decided]{
		{Key: "round", Title: "Round", Left: true, Value: func(m decided) any { return b.roundName(m.round) }},
		{Key: "winner", Title: "Winner", Left: true, Value: func(m decided) any { return names[m.Players[0]] }},
		{Key: "winner_seed", Title: "Seed", Value: func(m decided) any { return m.Players[0] + 1 }},
		{Key: "result", Title: "Result", Value: func(m decided) any { return m.score }},
		{Key: "loser", Title: "Loser", Left: true, Value: func(m decided) any { return names[m.Players[1]] }},
		{Key: "loser_seed", Title: "Seed", Value: func(m decided) any { return m.Players[1] + 1 }},
		{Key: "decided_by", Title: "Decided by", Left: true, Value: func(m decided) any {
			switch {
			case !b.over(m):
				return fmt.Sprintf("not decided: %d of %d games", m.Games, s.Stages[m.round].Games)
			case m.tied():
				return "better seed, after a tie"
			}
			return "points"
		}},
	}, b.matches)
	t.Caption, t.Tree, t.Result = "Matches, round by round", b.tree(), b.result()
	t.Notes = []string{"Seeds are the order of the players in the run; after a tie the better seed goes on."}
	return []table.Standings{t}
}

func (b *bracket) result() string {
	final := b.matches[len(b.matches)-1]
	if final.round < len(b.Stages)-1 || !b.over(final) {
		return "The knock-out is not decided yet."
	}
	text := fmt.Sprintf("%s has won the knock-out, %s against %s in the final", b.names[final.Players[0]], final.score,
		b.names[final.Players[1]])
	if final.tied() {
		text += ": a tie, which the better seed wins"
	}
	return text + "."
}

// tree draws the matches, the last one at the root. Each match stands above those that its players have won before.
func (b *bracket) tree() (lines []string) {
	for k := range slices.Backward(b.Stages) { // the final, or in an unfinished run whatever came last
		for i, m := range b.matches {
			if m.round == k && !m.drawn {
				lines = append(lines, b.draw(i, "", "")...)
			}
		}
	}
	return lines
}

// draw returns the lines of a match, after head, and of the matches before it, after below.
func (b *bracket) draw(i int, head, below string) []string {
	m := b.matches[i]
	b.matches[i].drawn = true
	seeded := func(player int) string { return fmt.Sprintf("%s (%d)", b.names[player], player+1) }
	line := fmt.Sprintf("%s%s: %s %s %s", head, b.roundName(m.round), seeded(m.Players[0]), m.score, seeded(m.Players[1]))
	switch {
	case !b.over(m):
		line += fmt.Sprintf(", %d of %d games", m.Games, b.Stages[m.round].Games)
	case m.tied():
		line += ", tie: better seed"
	}
	var before []int // the last match of each player
	for _, player := range m.Players {
		for j := i - 1; j >= 0; j-- {
			if b.matches[j].round < m.round && slices.Contains(b.matches[j].Players[:], player) {
				before = append(before, j)
				break
			}
		}
	}
	lines := []string{line}
	for n, j := range before {
		if n == len(before)-1 {
			lines = append(lines, b.draw(j, below+"└─ ", below+"   ")...)
		} else {
			lines = append(lines, b.draw(j, below+"├─ ", below+"│  ")...)
		}
	}
	return lines
}
