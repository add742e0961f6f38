package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings/table"
	"gyges/rules"
)

// small is the size of a schedule of n players with one game pair of each match under each of two
// rule sets.
func small(n int) Size { return Size{Players: n, Pairs: 1, RuleSets: 2} }

// imagine returns a schedule that has been run with results from a source of chance, draws among
// them.
func imagine(t *testing.T, f Format, z Size, rng *rand.Rand) *Schedule {
	return played(t, f, z, func() int { return rng.IntN(3) })
}

// played returns a schedule that has been run, by the half points of South in each game.
func played(t *testing.T, f Format, z Size, halves func() int) *Schedule {
	s := New(f, z)
	for i := range s.Len() {
		select {
		case <-s.Known(i):
		default:
			require.Fail(t, "not known in time")
		}
		players, _, _ := s.Pair(i)
		require.NoError(t, s.Add(i, players[0], players[1], halves()))
		require.NoError(t, s.Add(i, players[1], players[0], halves()))
	}
	return s
}

// everyFormat calls f with each format, in sizes of 2 to 11 players, and with every number of
// rounds that a config may choose, 0 among them.
func everyFormat(t *testing.T, check func(t *testing.T, f Format, z Size)) {
	for _, f := range formats {
		t.Run(f.About().Name, func(t *testing.T) {
			for n := 2; n < 12; n++ {
				most := 0
				if f.About().MostRounds != nil {
					most = f.About().MostRounds(n)
				}
				for rounds := range most + 1 {
					z := small(n)
					z.Rounds = rounds
					check(t, f, z)
				}
			}
		})
	}
}

// pairings returns the pairings of stage k.
func (s *Schedule) pairings(k int) (list [][2]int) {
	for _, m := range s.Stages[k].Matches {
		list = append(list, m.Players)
	}
	return list
}

// Each format is found by its name, and has half a sentence about it.
func TestFormats(t *testing.T) {
	require.Equal(t, RoundRobin, Name(Name("").Format().About().Name))
	require.Equal(t, RoundRobin, Name(formats[0].About().Name))
	require.True(t, SelfPlay.Format().About().Alone)
	var names []string
	for _, choice := range Name("").Choices() {
		require.Equal(t, choice.Name, Name(choice.Name).Format().About().Name)
		require.NotContains(t, names, choice.Name)
		require.NotEmpty(t, choice.Doc)
		names = append(names, choice.Name)
	}
	other := Name("of another version").Format()
	require.Zero(t, small(3).Games(other))
	require.Zero(t, New(other, small(3)).Len())
}

// A schedule has as many pairings as its format announces, each of two players that there are, and
// tables.
func TestFormatsHaveTheirMatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	everyFormat(t, func(t *testing.T, f Format, z Size) {
		s := imagine(t, f, z, rng)
		require.Equal(t, 2*s.Len(), z.Games(f))
		require.True(t, s.Len() > 0 || z.Players < 11, "a format may need more players than some")
		stages := f.Stages(z.Players, z.Rounds)
		require.Len(t, s.Stages, len(stages))
		if z.Rounds > 0 {
			require.Len(t, stages, z.Rounds, "the config chose")
		}
		for k, matches := range stages {
			require.Len(t, f.Pairings(z.Players, s.Stages[:k]), matches, "stage %d of %+v", k, z)
			for _, p := range s.pairings(k) {
				require.Subset(t, listed(z.Players), p)
				require.True(t, p[0] != p[1] || f.About().Alone)
			}
		}
		names := make([]string, z.Players)
		f.Tables(New(f, z), names, false) // before the first game
		f.Tables(s, names, true)
	})
}

// Who meets whom depends on results in the formats that say so, and in no other one: whether a run
// may be extended, and what its ratings assume, follows from that.
func TestAdaptiveFormatsSaySo(t *testing.T) {
	follow := map[string]bool{}
	rng := rand.New(rand.NewPCG(10, 10))
	everyFormat(t, func(t *testing.T, f Format, z Size) {
		first := played(t, f, z, func() int { return 1 })
		for range 5 {
			second := imagine(t, f, z, rng)
			for k := range first.Stages {
				if !slices.Equal(first.pairings(k), second.pairings(k)) {
					follow[f.About().Name] = true
				}
			}
		}
	})
	for _, f := range formats {
		about := f.About()
		require.Equal(t, follow[about.Name], about.Adaptive, "Adaptive of the format %s", about.Name)
	}
}

// pauses has stages without matches at the beginning, in the middle and at the end, and two players
// in all others.
type pauses struct{ Facts }

func (pauses) Stages(int, int) []int { return []int{0, 1, 0, 0, 2, 0} }

func (f pauses) Pairings(players int, before []Stage) [][2]int {
	return [][2]int{{0, 1}, {1, 2}}[:f.Stages(players, 0)[len(before)]]
}

func (pauses) Tables(*Schedule, []string, bool) []table.Standings { return nil }

// A stage without matches ends as it begins.
func TestStagesWithoutMatches(t *testing.T) {
	s := imagine(t, pauses{}, small(3), rand.New(rand.NewPCG(11, 11)))
	require.EqualValues(t, 3*2, s.Len())
	for k := range s.Stages {
		<-s.known[k]
	}
	require.Equal(t, [][2]int{{0, 1}, {1, 2}}, s.pairings(4))
	require.Error(t, s.Add(s.Len(), 0, 1, 2), "no stage has it")
	require.Error(t, s.Add(-1, 0, 1, 2))
}

// Who meets whom in the first stage, and how many matches there are. In the first round of a Swiss
// tournament the top half meets the bottom half; with an odd number of players the last one has the
// bye.
func TestPairings(t *testing.T) {
	for _, test := range []struct {
		format   Name
		players  int
		pairings [][2]int
		matches  int64 // of all stages
	}{
		{RoundRobin, 3, [][2]int{{0, 1}, {0, 2}, {1, 2}}, 3},
		{"gauntlet", 4, [][2]int{{0, 1}, {0, 2}, {0, 3}}, 3},
		{"ladder", 4, [][2]int{{0, 1}, {1, 2}, {2, 3}}, 3},
		{SelfPlay, 3, [][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}, 6},
		{"swiss", 8, [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 3 * 4},
		{"swiss", 9, [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 4 * 4},
		{"knockout", 6, [][2]int{{2, 5}, {3, 4}}, 5},
	} {
		s := New(test.format.Format(), small(test.players))
		require.Equal(t, test.pairings, s.pairings(0), test.format)
		require.Equal(t, test.matches*2, s.Len(), test.format)
	}
}

// In every round of a Swiss tournament each plays once, and nobody meets an old opponent. The bye
// goes to the lowest, by points and then the order given, that has had none, and counts as a won
// match.
func TestSwiss(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{2, 3, 5, 8, 9, 9, 9, 13, 60, 61, 101} {
		met, points, had := map[[2]int]bool{}, make([]int64, n), make([]bool, n)
		s := imagine(t, swiss, small(n), rng)
		for k := range s.Stages {
			lowest, played := -1, map[int]bool{}
			for player := range n {
				if n%2 == 1 && !had[player] && (lowest < 0 || points[player] <= points[lowest]) {
					lowest = player
				}
			}
			require.Len(t, s.Stages[k].Matches, n/2)
			for _, m := range s.Stages[k].Matches {
				p := m.Players
				require.False(t, played[p[0]] || played[p[1]] || p[0] == p[1])
				played[p[0]], played[p[1]] = true, true
				key := [2]int{min(p[0], p[1]), max(p[0], p[1])}
				require.False(t, met[key], "%d players: %v meet again", n, p)
				met[key] = true
				points[p[0]] += m.Halves[0]
				points[p[1]] += m.Halves[1]
			}
			if lowest >= 0 {
				require.False(t, played[lowest])
				had[lowest] = true
				points[lowest] += 8
			}
		}
	}
}

// Three players can play three rounds, and five five, whatever the results of one game pair each:
// each has a bye once, and nobody meets anybody twice. With more players or pairs some may have to
// meet again in the last rounds, but each still has one bye.
func TestSwissWithARoundForEachBye(t *testing.T) {
	// extend tries all results of the next round of a tournament of n players, which may be any of
	// some half points of 4.
	var extend func(n int, before []Stage, results []int64)
	extend = func(n int, before []Stage, results []int64) {
		if len(before) == n {
			met, byes := map[[2]int]bool{}, make([]int, n)
			for _, round := range before {
				playing := make([]bool, n)
				for _, m := range round.Matches {
					p := m.Players
					key := [2]int{min(p[0], p[1]), max(p[0], p[1])}
					require.False(t, met[key] && round.Games == 1, "%d players: %v", n, before)
					require.False(t, playing[p[0]] || playing[p[1]], "%d players: %v", n, before)
					met[key], playing[p[0]], playing[p[1]] = true, true, true
				}
				byes[slices.Index(playing, false)]++
			}
			require.Equal(t, slices.Repeat([]int{1}, n), byes)
			return
		}
		pairings := swiss.Pairings(n, before)
		tries := 1
		for range pairings {
			tries *= len(results)
		}
		for try := range tries {
			round := Stage{Games: 1}
			for _, players := range pairings {
				halves := results[try%len(results)]
				round.Matches = append(round.Matches, Match{Players: players, Games: 2, Halves: [2]int64{halves, 4 - halves}})
				try /= len(results)
			}
			extend(n, append(slices.Clip(before), round), results)
		}
	}
	extend(3, nil, []int64{0, 1, 2, 3, 4})
	extend(5, nil, []int64{0, 2, 4})
	rng := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		for _, n := range []int{5, 7, 9} { // with results of all kinds
			var before []Stage
			last := Stage{Games: 50}
			for range n - 1 {
				round := Stage{Games: 50}
				for _, players := range swiss.Pairings(n, before) {
					halves := rng.Int64N(201)
					round.Matches = append(round.Matches, Match{Players: players, Games: 100, Halves: [2]int64{halves, 200 - halves}})
				}
				before = append(before, round)
			}
			for _, players := range swiss.Pairings(n, before) {
				last.Matches = append(last.Matches, Match{Players: players})
			}
			extend(n, append(before, last), nil)
		}
	}
}

// With as many rounds as allow it, neighbours in the table have equal points where that can be.
func TestSwissPairsNeighbours(t *testing.T) {
	match := func(a, b int, halves, other int64) Match {
		return Match{Players: [2]int{a, b}, Halves: [2]int64{halves, other}, Games: 2}
	}
	before := []Stage{{Games: 2, Matches: []Match{match(0, 1, 0, 4), match(2, 5, 4, 0), match(3, 4, 2, 2)}}}
	require.Equal(t, [][2]int{{1, 2}, {3, 0}, {4, 5}}, swiss.Pairings(6, before), "3 and 4 have met")
	before = append(before, Stage{Games: 2, Matches: []Match{match(1, 2, 2, 2), match(3, 0, 2, 2), match(4, 5, 2, 2)}})
	require.Equal(t, [][2]int{{1, 3}, {2, 4}, {0, 5}}, swiss.Pairings(6, before), "1 and 2 have met")
	all := Stage{Games: 2}
	for a := range 6 {
		for b := a + 1; b < 6; b++ {
			all.Matches = append(all.Matches, match(a, b, 2, 2))
		}
	}
	require.Equal(t, [][2]int{{1, 2}, {3, 4}, {0, 5}}, swiss.Pairings(6, append(before, all)), "all meet again")
	odd := []Stage{{Games: 2, Matches: []Match{match(0, 1, 4, 0), match(2, 3, 2, 2)}}}
	require.Equal(t, [][2]int{{0, 2}, {4, 3}}, swiss.Pairings(5, odd), "a bye is a won match")
}

// A knock-out has one match less than players; who has lost a match plays no more, and the last
// match decides.
func TestKnockout(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for n := 2; n <= 33; n++ {
		s, matches, left := imagine(t, knockout, small(n), rng), 0, n
		for k := range s.Stages {
			matches += len(s.Stages[k].Matches)
			left -= len(s.Stages[k].Matches)
			require.Equal(t, left&(left-1), 0, "a power of 2 is left")
		}
		require.Equal(t, n-1, matches)
		require.Len(t, s.Stages[len(s.Stages)-1].Matches, 1)
	}
	s := New(Name("knockout").Format(), small(6))
	for i := range int64(4) { // 5 beats 2; 3 and 4 draw
		players, _, _ := s.Pair(i)
		halves := 1
		if players[0] == 2 {
			halves = 0
		}
		require.NoError(t, s.Add(i, players[0], players[1], halves))
		require.NoError(t, s.Add(i, players[1], players[0], 2-halves))
	}
	require.Equal(t, [][2]int{{0, 5}, {1, 3}}, s.pairings(1))
}

func TestLargeScheduleTakesNoMemory(t *testing.T) {
	s := New(RoundRobin.Format(), Size{Players: 100, Pairs: 1_000_000, RuleSets: 3})
	require.EqualValues(t, int64(1_000_000)*3*4950, s.Len())
	players, _, round := s.Pair(s.Len() - 1)
	require.EqualValues(t, 1_000_000-1, round)
	require.Equal(t, [2]int{98, 99}, players)
	require.Zero(t, testing.AllocsPerRun(10, func() { s.Pair(s.Len() / 2) }))
}

// Seeds are a promise to whoever repeats a run: these were worked out once and may never change.
func TestSeedsStay(t *testing.T) {
	require.Equal(t, uint64(0xaf63dc4c8601ec8c), hashText("a"), "FNV-1a of a, as published")
	require.Equal(t, uint64(0xe220a8397b1dcdaf), agents.MixSeed(0, 0), "first output of SplitMix64 from 0, as published")
	require.NotEqual(t, agents.MixSeed(1, 2, 3), agents.MixSeed(1, 3, 2))
	require.Equal(t, agents.MixSeed(1, 2, hashText("kang:max_plies=30"), hashText("random"), hashText("scored"), 3, 1, 1),
		Seed(1, "kang:max_plies=30", [2]string{"random", "scored"}, 3, 1, rules.North))
}
