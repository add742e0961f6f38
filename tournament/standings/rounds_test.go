package standings

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/tournament"
	"gyges/tournament/runs"
)

// event is a run's schedule with matches of one game a pair of half points, for tests:
// two games a match.
func event(format tournament.Format, rounds int, names ...string) *schedule {
	return newSchedule(&tournament.ManifestConfig{
		Name: "event", Schedule: format, Rounds: rounds, Pairs: 1, Rules: []string{"standard"}, Agents: names,
	})
}

// play adds the two games of a pair; halves are the half points of a in both.
func play(s *schedule, pair int64, a, b string, halves int) {
	results := [][2]string{{"0-1", "1-0"}, {"1/2-1/2", "1-0"}, {"1/2-1/2", "1/2-1/2"}, {"1-0", "1/2-1/2"}, {"1-0", "0-1"}}
	s.add(pair, a, b, results[halves][0])
	s.add(pair, b, a, results[halves][1])
}

// swissOfSeven is four rounds of seven players with a bye in each, by their matches and
// the half points of the first in two games.
func swissOfSeven() *schedule {
	s := event(tournament.Swiss, 4, "A", "B", "C", "D", "E", "F", "G")
	for i, m := range []struct {
		players string
		halves  int
	}{
		{"AE", 4}, {"FB", 0}, {"CD", 4}, {"BA", 2}, {"GC", 4}, {"DF", 4},
		{"AG", 0}, {"CB", 4}, {"ED", 0}, {"GD", 4}, {"BE", 0}, {"FC", 4},
	} {
		play(s, int64(i), m.players[:1], m.players[1:], m.halves)
	}
	return s
}

// standingsAfter returns the standings of a Swiss tournament after its first rounds.
func standingsAfter(s *schedule, rounds int) []place {
	var list [][]roundResult
	for k := range rounds {
		list = append(list, s.roundResults(k))
	}
	return standings(list, true)
}

// The points of the matches are those of a tournament of single games, whose Buchholz of
// B, C and D, who had no bye, is 8.5, 9.5 and 10, and Sonneborn-Berger 3.25, 3.5 and 4;
// with two games a match all is twice as much. A bye counts as won against an opponent
// with as many points as one's own: that of A adds 2.5 to 7.5 and to 2.75.
func TestSwissStandings(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range standingsAfter(swissOfSeven(), 4) {
		got = append(got, fmt.Sprintf("%d %c %v %v %v", p.rank, 'A'+p.agent,
			float64(p.halves)/4, float64(p.buchholz)/4, p.sberger/4))
	}
	require.Equal(t, []string{
		"1 G 4 10.5 10.5", "2 A 2.5 10 5.25", "3 D 2 10 4", "4 C 2 9.5 3.5", "5 E 2 8 3.5", "6 F 2 7.5 4", "7 B 1.5 8.5 3.25",
	}, got)
}

// cells returns the rows as people see them.
func cells(s table.Schedule) [][]string {
	var texts [][]string
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
	s := swissOfSeven()
	sheets := s.sheets(map[string]string{"G": "label"})
	require.Len(t, sheets, 4)
	require.Equal(t, "Swiss, standings after round 1 of 4", sheets[0].Title)
	require.Equal(t, "Swiss, final table after 4 rounds", sheets[3].Title)
	require.Equal(t, "label has won the Swiss tournament with 8.0 points.", sheets[3].Result)
	require.Equal(t, []string{"1", "label", "8.0", "21.0", "21.00", "2.0-0.0", "D"}, cells(sheets[3])[0])
	require.Equal(t, []string{"2", "A", "5.0", "20.0", "10.50", "bye", ""}, cells(sheets[3])[1])

	part := event(tournament.Swiss, 2, "A", "B", "C", "D", "E")
	play(part, 0, "A", "B", 2)
	part.add(1, "C", "D", "1-0")
	sheets = part.sheets(nil)
	require.Equal(t, "Swiss, round 1 of 2, 3 of 4 games played", sheets[0].Title)
	require.Equal(t, "A, B share the first place of the Swiss tournament with 1.0 points.", sheets[0].Result)
	for _, row := range cells(sheets[0]) {
		require.NotContains(t, row[5], "bye", "the round is not over")
	}
	part.add(1, "D", "C", "1-0")
	require.Equal(t, "E leads the Swiss tournament with 2.0 points.", part.sheets(nil)[0].Result)
}

// Equal points are decided by Buchholz, and that by Sonneborn-Berger.
func TestTieBreak(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Buchholz (3.5 to 3.0)", tieBreak(place{buchholz: 7}, place{buchholz: 6}))
	require.Equal(t, "Sonneborn-Berger (1.25 to 1.00)",
		tieBreak(place{buchholz: 6, sberger: 2.5}, place{buchholz: 6, sberger: 2}))
}

// With every two agents having met once, all have the same Buchholz but for their own
// points. Points of all add up to the games played and the byes; the standings don't
// depend on the order in which games are counted.
func TestSwissProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, rounds := rapid.IntRange(2, 9).Draw(t, "agents"), 0
		rounds = rapid.IntRange(1, n-1).Draw(t, "rounds")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("p", i))
		}
		type game struct {
			pair         int64
			south, north string
			result       string
		}
		var games []game
		for r := range rounds {
			order := rng.Perm(n)
			for i := range n / 2 {
				a, b, pair := names[order[2*i]], names[order[2*i+1]], int64(r*(n/2)+i)
				results := []string{"1-0", "0-1", "1/2-1/2"}
				games = append(games, game{pair, a, b, results[rng.IntN(3)]}, game{pair, b, a, results[rng.IntN(3)]})
			}
		}
		count := func() *schedule {
			s := event(tournament.Swiss, rounds, names...)
			for _, g := range games {
				s.add(g.pair, g.south, g.north, g.result)
			}
			return s
		}
		first := standingsAfter(count(), rounds)
		byes := int64(n % 2 * rounds)
		var sum, buchholz, squares int64
		for _, p := range first {
			sum, buchholz, squares = sum+p.halves, buchholz+p.buchholz, squares+int64(rounds)*p.halves
		}
		require.Equal(t, 2*int64(len(games))+4*byes, sum)
		require.Equal(t, squares, buchholz, "every agent is an opponent in each round, in a bye its own")
		for i := 1; i < n; i++ {
			require.GreaterOrEqual(t, first[i-1].halves, first[i].halves)
			require.LessOrEqual(t, first[i].sberger, float64(first[i].buchholz))
		}
		rng.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		require.Equal(t, ranks(first), ranks(standingsAfter(count(), rounds)))
	})
}

// ranks are the places by agent and rank.
func ranks(places []place) map[int]int {
	m := map[int]int{}
	for _, p := range places {
		m[p.agent] = p.rank
	}
	return m
}

// Five players: one match in the first round, then semi-finals and the final. The match
// of 2 and 3 is a tie, which the better seed wins.
func TestKnockoutBracket(t *testing.T) {
	t.Parallel()
	s := event(tournament.Knockout, 0, "A", "B", "C", "D", "E")
	play(s, 0, "D", "E", 0)
	play(s, 1, "A", "E", 3)
	play(s, 2, "B", "C", 2)
	s.add(3, "A", "B", "0-1")
	bracket := func() []string { return s.sheets(map[string]string{"A": "first"})[0].Tree }
	require.Equal(t, []string{
		"Final: B (2) 1.0-0.0 first (1), 1 of 2 games",
		"├─ Semi-final: B (2) 1.0-1.0 C (3), tie: better seed",
		"└─ Semi-final: first (1) 1.5-0.5 E (5)",
		"   └─ First round: E (5) 2.0-0.0 D (4)",
	}, bracket())
	require.Equal(t, "The knock-out is not decided yet.", s.sheets(nil)[0].Result)
	s.add(3, "B", "A", "0-1")
	require.Equal(t, "Final: first (1) 1.0-1.0 B (2), tie: better seed", bracket()[0])
	sheet := s.sheets(nil)[0]
	require.Equal(t, "A has won the knock-out, 1.0-1.0 against B in the final: a tie, which the better seed wins.", sheet.Result)
	require.Equal(t, [][]string{
		{"First round", "E", "5", "2.0-0.0", "D", "4", "points"},
		{"Semi-final", "A", "1", "1.5-0.5", "E", "5", "points"},
		{"Semi-final", "B", "2", "1.0-1.0", "C", "3", "better seed, after a tie"},
		{"Final", "A", "1", "1.0-1.0", "B", "2", "better seed, after a tie"},
	}, cells(sheet))
}

// Records that contradict the manifest give no table but a note, whatever they are.
func TestMisfit(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]func(*schedule){
		"other agent":    func(s *schedule) { s.add(1, "A", "x", "1-0") },
		"other opponent": func(s *schedule) { play(s, 0, "A", "B", 1); s.add(0, "A", "C", "1-0") },
		"itself":         func(s *schedule) { s.add(0, "A", "A", "1-0") },
		"too many":       func(s *schedule) { play(s, 0, "A", "B", 1); play(s, 0, "A", "B", 1) },
	} {
		s := event(tournament.Swiss, 2, "A", "B", "C", "D")
		wrong(s)
		require.True(t, s.misfit, name)
		require.Empty(t, s.sheets(nil), name)
		m := tournament.Manifest{Config: tournament.ManifestConfig{Name: "event", Schedule: tournament.Swiss}}
		notes := (&Standings{Runs: []*Run{{Games: 1, manifest: m, schedule: s}}}).Notes()
		require.Equal(t, []string{"the records of event don't fit its manifest: no swiss table"}, notes)
	}
	s := event(tournament.Swiss, 1_000_000_000, "A", "B")
	s.add(0, "A", "B", "1-0")
	require.Empty(t, s.sheets(nil), "more rounds than opponents")
}

// The tables are those of one run, also from its records read in parts; a gauntlet has its
// first player's table, unless games of something else are read as well.
func TestSchedulesInTables(t *testing.T) {
	t.Parallel()
	one := New()
	one.Begin(&tournament.Manifest{ID: "x", Config: tournament.ManifestConfig{
		Name: "g", Schedule: tournament.Gauntlet, Pairs: 5, Rules: []string{"standard"},
		Agents: []string{"greedy:name=g", "random", "alphabeta:depth=2"},
	}})
	r := new(runs.Reader)
	require.NoError(t, one.read(t, r, games(0, 30), "a"))
	fitted, err := one.Fit(t.Context(), ratings.Options{}, false)
	require.NoError(t, err)
	require.Equal(t, "g", fitted.All.Challenger)
	require.Len(t, fitted.All.Gauntlet().Rows, 2)
	data := one.Data().Renamed(map[string]string{"random": "others", "alphabeta:depth=2": "others"})
	merged, err := ratings.Fit(t.Context(), data, ratings.Options{})
	require.NoError(t, err)
	against, err := merged.Difference("g", "others")
	require.NoError(t, err)
	require.Equal(t, against, *fitted.All.Field)
	require.NotZero(t, against.Error)
	var text strings.Builder
	require.NoError(t, table.WriteSchedule(&text, grid.CSV, fitted))
	require.Equal(t, 3, strings.Count(text.String(), "\n"))

	one.Begin(nil)
	require.Equal(t, "g", one.challenger(), "the second run has no games yet")
	require.NoError(t, one.read(t, r, games(30, 60), "b"))
	require.Empty(t, one.challenger())
}
