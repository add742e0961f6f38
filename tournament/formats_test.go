package tournament

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament/record"
)

// formatConfig has n players that all play at random.
func formatConfig(t *testing.T, f Format, n int) Config {
	c := testConfig(t)
	for i := range n {
		c.Agents = append(c.Agents, agents.Spec{Kind: "random", Params: []agents.Param{{Name: "id", Value: fmt.Sprint(i)}}})
	}
	c.Rules, c.Schedule, c.Pairs = []*rules.Rules{rules.MustParse("simplified"),
		rules.MustParse("standard:max_plies=10")}, f, 1
	return c
}

// imagine returns a schedule that has been run with results from a source of chance, draws among them.
func imagine(t *testing.T, c *Config, rng *rand.Rand) *schedule {
	s := newSchedule(c)
	for i := range s.len() {
		select {
		case <-s.known(i):
		default:
			require.Fail(t, "not known in time")
		}
		for game := range int64(2) {
			s.note(&record.Record{Game: 2*i + game, Result: []string{"1-0", "0-1", "1/2-1/2"}[rng.IntN(3)]})
		}
	}
	return s
}

// pairings returns the pairings of stage k.
func (s *schedule) pairings(k int) (list [][2]int) {
	for _, m := range s.stages[k].Matches {
		list = append(list, m.Agents)
	}
	return list
}

// Who meets whom in the first stage, and how many games there are. In the first round of a Swiss tournament the top
// half meets the bottom half; with an odd number of agents the last one has the bye.
func TestPairings(t *testing.T) {
	for _, test := range []struct {
		format   Format
		agents   int
		pairings [][2]int
		matches  int64 // of all stages
	}{
		{RoundRobin, 3, [][2]int{{0, 1}, {0, 2}, {1, 2}}, 3},
		{Gauntlet, 4, [][2]int{{0, 1}, {0, 2}, {0, 3}}, 3},
		{Ladder, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}}, 3},
		{SelfPlay, 3, [][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}, 6},
		{Swiss, 8, [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 3 * 4},
		{Swiss, 9, [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 4 * 4},
		{Knockout, 6, [][2]int{{2, 5}, {3, 4}}, 5},
	} {
		c := formatConfig(t, test.format, test.agents)
		require.Equal(t, test.pairings, newSchedule(&c).pairings(0), test.format)
		require.Equal(t, test.matches*2*2, c.Games(), test.format)
		m := c.Manifest()
		require.Len(t, m.Stages()[0].Matches, len(test.pairings))
	}
}

// In every round of a Swiss tournament each plays once, and nobody meets an old opponent. The bye goes to the lowest, by
// points and then the order given, that has had none, and counts as a won match.
func TestSwiss(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{2, 3, 5, 8, 9, 9, 9, 13, 60, 61, 101} {
		c := formatConfig(t, Swiss, n)
		met, points, had := map[[2]int]bool{}, make([]int64, n), make([]bool, n)
		s := imagine(t, &c, rng)
		require.Len(t, s.stages, c.swissRounds())
		for k := range s.stages {
			lowest, played := -1, map[int]bool{}
			for agent := range n {
				if n%2 == 1 && !had[agent] && (lowest < 0 || points[agent] <= points[lowest]) {
					lowest = agent
				}
			}
			require.Len(t, s.stages[k].Matches, n/2)
			for _, m := range s.stages[k].Matches {
				p := m.Agents
				require.False(t, played[p[0]] || played[p[1]] || p[0] == p[1])
				played[p[0]], played[p[1]] = true, true
				key := [2]int{min(p[0], p[1]), max(p[0], p[1])}
				require.False(t, met[key], "%d agents: %v meet again", n, p)
				met[key] = true
				points[p[0]] += m.Halves[0]
				points[p[1]] += m.Halves[1]
			}
			if lowest >= 0 {
				require.Equal(t, []int{lowest}, s.stages[k].Byes(n))
				had[lowest] = true
				points[lowest] += 8
			}
		}
	}
}

// With as many rounds as allow it, neighbours in the table have equal points
// where that can be.
func TestSwissPairsNeighbours(t *testing.T) {
	match := func(a, b int, halves, other int64) Match {
		return Match{Agents: [2]int{a, b}, Halves: [2]int64{halves, other}, Games: 2}
	}
	before := []Stage{{Games: 2, Matches: []Match{match(0, 1, 0, 4), match(2, 5, 4, 0), match(3, 4, 2, 2)}}}
	require.Equal(t, [][2]int{{1, 2}, {3, 0}, {4, 5}}, swissPairings(6, before), "3 and 4 have met")
	before = append(before, Stage{Games: 2, Matches: []Match{match(1, 2, 2, 2), match(3, 0, 2, 2), match(4, 5, 2, 2)}})
	require.Equal(t, [][2]int{{1, 3}, {2, 4}, {0, 5}}, swissPairings(6, before), "1 and 2 have met")
	all := Stage{Games: 2}
	for a := range 6 {
		for b := a + 1; b < 6; b++ {
			all.Matches = append(all.Matches, match(a, b, 2, 2))
		}
	}
	require.Equal(t, [][2]int{{1, 2}, {3, 4}, {0, 5}}, swissPairings(6, append(before, all)), "all meet again")
	odd := []Stage{{Games: 2, Matches: []Match{match(0, 1, 4, 0), match(2, 3, 2, 2)}}}
	require.Equal(t, [][2]int{{0, 2}, {4, 3}}, swissPairings(5, odd), "a bye is a won match")
}

// A knock-out has one match less than players; who has lost a match plays no
// more, and the last match decides.
func TestKnockout(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for n := 2; n <= 33; n++ {
		c := formatConfig(t, Knockout, n)
		s, matches, left := imagine(t, &c, rng), 0, n
		for k := range s.stages {
			matches += len(s.stages[k].Matches)
			left -= len(s.stages[k].Matches)
			require.Equal(t, left&(left-1), 0, "a power of 2 is left")
		}
		require.Equal(t, n-1, matches)
		require.Len(t, s.stages[len(s.stages)-1].Matches, 1)
	}
	c := formatConfig(t, Knockout, 6)
	s := newSchedule(&c)
	for i := range int64(8) { // 5 beats 2; 3 and 4 draw
		result := "1/2-1/2"
		if s.job(i / 2).Agents[0] == 2 {
			result = []string{"0-1", "1-0"}[i%2]
		}
		s.note(&record.Record{Game: i, Result: result})
	}
	require.Equal(t, [][2]int{{0, 5}, {1, 3}}, s.pairings(1))
}

// Formats whose pairings depend on results give the same records for any
// number of workers, and after an interruption.
func TestFormatsRunAndResume(t *testing.T) {
	t.Parallel()
	for _, f := range []Format{Swiss, Knockout, Gauntlet, Ladder} {
		c := formatConfig(t, f, 7)
		c.Workers = 1
		_, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.NoError(t, err)
		want := timeless(t, c.Out)
		c.Out, c.Workers = t.TempDir(), 4
		for n := range int64(3) {
			_, _ = stopAfter(t, c, 5+6*n) // it may be through by then
		}
		requireResumes(t, c, want)
	}
}

// The pair that decides the test is the last one recorded, whatever the number
// of workers and wherever the run was stopped before.
func TestSPRTStopsInScheduleOrder(t *testing.T) {
	c := testConfig(t, "random", "illegal:after=4")
	c.Rules, c.Pairs = []*rules.Rules{rules.MustParse("simplified")}, 5000
	// Bounds so close that the decision takes more pairs than are ever under way.
	c.SPRT = sprt.Test{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic}
	c.Suspend = 0
	c.Workers = 1
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, Finished, s.Status)
	require.True(t, s.Decided)
	require.EqualValues(t, 2*s.Pairs.N(), s.Played)
	require.Less(t, s.Played, s.Scheduled)
	require.Greater(t, s.Pairs.N(), int64(2*localExecutor{workers: 5}.Window()),
		"see below: a stop after 7 games comes before the decision")
	require.Equal(t, sprt.AcceptH1, c.SPRT.Verdict(s.Pairs))
	want := timeless(t, c.Out)

	// The counts, and that no pair before decided it, from the records.
	var pairs sprt.Pairs
	games := readGames(t, c.Out)
	for i := 0; i < len(games); i += 2 {
		require.Equal(t, sprt.Undecided, c.SPRT.Verdict(pairs))
		half := 0
		for _, g := range games[i : i+2] {
			switch {
			case g.Result == "1/2-1/2":
				half++
			case g.Result == "1-0" && g.South.Agent == "random", g.Result == "0-1" && g.North.Agent == "random":
				half += 2
			}
		}
		pairs[half]++
	}
	require.Equal(t, s.Pairs, pairs)

	c.Out, c.Workers = t.TempDir(), 5
	_, err = stopAfter(t, c, 7)
	require.Error(t, err)
	for range 2 { // resumed, and finished already
		again, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.NoError(t, err)
		require.True(t, again.Decided)
		require.Equal(t, s.Pairs, again.Pairs)
		require.Equal(t, want, timeless(t, c.Out))
	}
}

// A run ends after the first round looked at in which every interval is narrow enough under each rule set, whatever
// the number of workers and wherever it was stopped before, and goes on from there to a smaller error.
func TestUntilError(t *testing.T) {
	c := testConfig(t, "random:name=a", "random:name=b", "random:name=c")
	c.Rules, c.Pairs, c.Suspend = c.Rules[:2], 5000, 0
	play := func(out string, goal float64, workers int) Summary {
		c.Out, c.UntilError, c.Workers = out, goal, workers
		s, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.NoError(t, err)
		require.True(t, s.Decided)
		return s
	}
	one, many := t.TempDir(), t.TempDir()
	s := play(one, 30, 1)

	var results [2]ratings.Data
	const round = 2 * 3 * 2 // games
	games, look := readGames(t, one), 1
	require.EqualValues(t, len(games), s.Played)
	require.Zero(t, len(games)%round)
	for i := 0; i < len(games); i += 2 {
		a, b := games[i].Short(), games[i+1].Short()
		results[i%round/(round/2)].AddPair(a.South, a.North, a.Result, b.Result)
		if i+2 != look*round {
			continue
		}
		look += max(1, look/20)
		narrow := true
		for k := range results {
			r, err := ratings.Fit(t.Context(), &results[k], ratings.Options{})
			require.NoError(t, err)
			for _, p := range r.Players {
				narrow = narrow && p.Error <= 30 && p.Games() >= 100 && r.Prior == ratings.Prior{}
			}
		}
		require.Equal(t, i+2 == len(games), narrow, "after %d of %d games", i+2, len(games))
	}
	require.Greater(t, len(games), 40*round, "the last looks are more than a round apart")

	c.Out, c.UntilError, c.Workers = many, 30, 5
	_, err := stopAfter(t, c, 101)
	require.Error(t, err)
	for range 2 { // resumed, and finished already
		play(many, 30, 5)
		require.Equal(t, timeless(t, one), timeless(t, many))
	}

	c.UntilError = 28
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorAs(t, err, new(*ExtendError))
	c.Extend = true
	play(many, 28, 5)
	c.Extend = false
	play(one+"/new", 28, 2)
	require.Equal(t, timeless(t, one+"/new"), timeless(t, many))
	c.Extend, c.UntilError = true, 60
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "until_error was 28, now 60")
}

// In self-play the two sides of a game are two agents.
func TestSelfPlay(t *testing.T) {
	var made []*loner
	registry := agents.NewRegistry(agents.Kind{Name: "loner", New: func(agents.Config) (agents.Agent, error) {
		a := &loner{}
		made = append(made, a)
		return a, nil
	}})
	c := testConfig(t)
	c.Agents, c.Schedule, c.Pairs, c.Workers = []agents.Spec{{Kind: "loner"}}, SelfPlay, 5, 1
	s, err := Run(t.Context(), c, registry, nil)
	require.NoError(t, err)
	require.EqualValues(t, 30, s.Played)
	require.Len(t, made, 3, "one to check the config, two to play")
	for _, g := range readGames(t, c.Out) {
		require.Nil(t, g.Fault, "both sides of a game were one agent")
	}
}

// loner fails when it is asked to play both sides of a game.
type loner struct {
	picker
	side rules.Side
}

func (a *loner) NewGame(ctx context.Context, s agents.Setup) error {
	a.side = s.Side
	return a.picker.NewGame(ctx, s)
}

func (a *loner) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if g.Position().Side() != a.side {
		return agents.Decision{}, errors.New("not my side")
	}
	return a.picker.Choose(ctx, g, q)
}
