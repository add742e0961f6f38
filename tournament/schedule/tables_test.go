package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/ratings/table"
)

// event is a schedule of players A, B … with one game pair a match, whose pairings are those of the
// games added.
type event struct {
	*Schedule
	t require.TestingT
}

func newEvent(t require.TestingT, format Name, players, rounds int) event {
	return event{Recorded(format.Format(), Size{Players: players, Rounds: rounds, Pairs: 1, RuleSets: 1}), t}
}

// play adds games of a pair, by the half points of the first player in each. It has South in the
// first game.
func (e event) play(pair int64, players string, halves ...int) {
	for i, n := range halves {
		south, north := int(players[i%2]-'A'), int(players[1-i%2]-'A')
		require.NoError(e.t, e.Add(pair, south, north, []int{n, 2 - n}[i%2]))
	}
}

// tables returns the tables of the event.
func (e event) tables(names ...string) []table.Standings {
	for i := len(names); i < e.Players; i++ {
		names = append(names, string(rune('A'+i)))
	}
	return e.Format.Tables(e.Schedule, names, false)
}

// swissOfSeven is four rounds of seven players with a bye in each.
func swissOfSeven(t *testing.T) event {
	s := newEvent(t, "swiss", 7, 4)
	for i, m := range []struct {
		players string
		halves  int // of the first player in each game
	}{
		{"AE", 2}, {"FB", 0}, {"CD", 2}, {"BA", 1}, {"GC", 2}, {"DF", 2}, {"AG", 0}, {"CB", 2}, {"ED", 0}, {"GD", 2},
		{"BE", 0}, {"FC", 2},
	} {
		s.play(int64(i), m.players, m.halves, m.halves)
	}
	return s
}

// placesAfter returns the places in a Swiss tournament after its first rounds.
func placesAfter(s *Schedule, n int) []place { return ranking(rounds(s.Players, s.Stages[:n]), true) }

// The points of the matches are those of a tournament of single games, whose Buchholz of B, C and
// D, who had no bye, is 8.5, 9.5 and 10, and Sonneborn-Berger 3.25, 3.5 and 4; with two games a
// match all is twice as much. A bye counts as won against an opponent with as many points as one's
// own: that of A adds 2.5 to 7.5 and to 2.75.
func TestSwissStandings(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range placesAfter(swissOfSeven(t).Schedule, 4) {
		got = append(got, fmt.Sprintf("%d %c %v %v %v", p.rank, 'A'+p.player,
			float64(p.halves)/4, float64(p.buchholz)/4, p.sberger/4))
	}
	require.Equal(t, []string{
		"1 G 4 10.5 10.5", "2 A 2.5 10 5.25", "3 D 2 10 4", "4 C 2 9.5 3.5", "5 E 2 8 3.5", "6 F 2 7.5 4", "7 B 1.5 8.5 3.25",
	}, got)
}

// cells returns the rows as people see them.
func cells(s table.Standings) (texts [][]string) {
	for _, row := range s.Titled().Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, c.Text)
		}
		texts = append(texts, cells)
	}
	return texts
}

func TestSwissText(t *testing.T) {
	t.Parallel()
	tables := swissOfSeven(t).tables("A", "B", "C", "D", "E", "F", "label")
	require.Len(t, tables, 4)
	require.Equal(t, "Swiss, standings after round 1 of 4", tables[0].Title)
	require.Equal(t, "Swiss, final table after 4 rounds", tables[3].Title)
	require.Equal(t, "label has won the Swiss tournament with 8.0 points.", tables[3].Result)
	require.Equal(t, []string{"1", "label", "8.0", "21.0", "21.00", "2.0-0.0", "D"}, cells(tables[3])[0])
	require.Equal(t, []string{"2", "A", "5.0", "20.0", "10.50", "bye", ""}, cells(tables[3])[1])

	part := newEvent(t, "swiss", 5, 2)
	part.play(0, "AB", 1, 1)
	part.play(1, "CD", 2)
	tables = part.tables()
	require.Equal(t, "Swiss, round 1 of 2, 3 of 4 games played", tables[0].Title)
	require.Equal(t, "A, B share the first place of the Swiss tournament with 1.0 points.", tables[0].Result)
	for _, row := range cells(tables[0]) {
		require.NotContains(t, row[5], "bye", "the round is not over")
	}
	part.play(1, "DC", 2)
	require.Equal(t, "E leads the Swiss tournament with 2.0 points.", part.tables()[0].Result)
}

// With every two players having met once, all have the same Buchholz but for their own points.
// Points of all add up to the games played and the byes; the standings don't depend on the order in
// which games are counted.
func TestSwissProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "players")
		rounds := rapid.IntRange(1, n-1).Draw(t, "rounds")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		type game struct {
			pair                 int64
			south, north, halves int
		}
		var games []game
		for r := range rounds {
			order := rng.Perm(n)
			for i := range n / 2 {
				a, b, pair := order[2*i], order[2*i+1], int64(r*(n/2)+i)
				games = append(games, game{pair, a, b, rng.IntN(3)}, game{pair, b, a, rng.IntN(3)})
			}
		}
		count := func() *Schedule {
			s := newEvent(t, "swiss", n, rounds).Schedule
			for _, g := range games {
				require.NoError(t, s.Add(g.pair, g.south, g.north, g.halves))
			}
			return s
		}
		first := placesAfter(count(), rounds)
		byes := int64(n % 2 * rounds)
		var sum, buchholz, squares int64
		for _, p := range first {
			sum, buchholz, squares = sum+p.halves, buchholz+p.buchholz, squares+int64(rounds)*p.halves
		}
		require.Equal(t, 2*int64(len(games))+4*byes, sum)
		require.Equal(t, squares, buchholz, "every player is an opponent in each round, in a bye its own")
		for i := 1; i < n; i++ {
			require.GreaterOrEqual(t, first[i-1].halves, first[i].halves)
			require.LessOrEqual(t, first[i].sberger, float64(first[i].buchholz))
		}
		rng.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		require.Equal(t, ranks(first), ranks(placesAfter(count(), rounds)))
	})
}

// ranks are the places by player and rank.
func ranks(places []place) map[int]int {
	m := map[int]int{}
	for _, p := range places {
		m[p.player] = p.rank
	}
	return m
}

// Five players: one match in the first round, then semi-finals and the final. The match
// of 2 and 3 is a tie, which the better seed wins.
func TestKnockoutBracket(t *testing.T) {
	t.Parallel()
	s := newEvent(t, "knockout", 5, 0)
	s.play(0, "DE", 0, 0)
	s.play(1, "AE", 2, 1)
	s.play(2, "BC", 1, 1)
	s.play(3, "AB", 0)
	require.Equal(t, "The knock-out is not decided yet.", s.tables()[0].Result)
	s.play(3, "BA", 0)
	last := s.tables()[0]
	require.Equal(t, "A has won the knock-out, 1.0-1.0 against B in the final: a tie, which the better seed wins.", last.Result)
	require.Equal(t, [][]string{
		{"First round", "E", "5", "2.0-0.0", "D", "4", "points"},
		{"Semi-final", "A", "1", "1.5-0.5", "E", "5", "points"},
		{"Semi-final", "B", "2", "1.0-1.0", "C", "3", "better seed"},
		{"Final", "A", "1", "1.0-1.0", "B", "2", "better seed"},
	}, cells(last))
}

// Two players with as many points: the one that scored against the stronger opponent comes first.
func TestRoundRobinBySonnebornBerger(t *testing.T) {
	t.Parallel()
	s := event{Recorded(RoundRobin.Format(), Size{Players: 4, Pairs: 1, RuleSets: 2}), t}
	for i, players := range strings.Fields("AB AC DA BC BD CD") { // the first wins
		s.play(int64(i), players, 2)
	}
	tables := s.tables()
	require.Equal(t, "Round-robin, 6 of 24 games played, 2 rule sets together", tables[0].Title)
	require.Equal(t, "A leads the round-robin with 2.0 points.", tables[0].Result)
	var order []string
	for _, row := range cells(tables[0]) {
		order = append(order, row[1])
	}
	require.Equal(t, []string{"A", "B", "D", "C"}, order)
}

// Games that the schedule can't have are refused.
func TestForeignGames(t *testing.T) {
	t.Parallel()
	for name, game := range map[string][3]int{
		"other opponent": {0, 0, 2}, "itself": {1, 0, 0}, "too many": {0, 0, 1}, "before the first": {-1, 2, 3},
	} {
		s := newEvent(t, "swiss", 4, 2)
		s.play(0, "AB", 1, 1)
		require.Error(t, s.Add(int64(game[0]), game[1], game[2], 2), name)
	}
}
