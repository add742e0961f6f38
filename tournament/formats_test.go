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

// imagine runs a schedule with results from a source of chance, draws among
// them, and returns the pairings of each stage.
func imagine(t *testing.T, c *Config, rng *rand.Rand) [][][2]int {
	s := newSchedule(c)
	for i := range s.len() {
		select {
		case <-s.known(i):
		default:
			require.Fail(t, "not known in time")
		}
		for game := range int64(2) {
			s.note(&record.Game{Game: 2*i + game, Result: []string{"1-0", "0-1", "1/2-1/2"}[rng.IntN(3)]})
		}
	}
	var all [][][2]int
	for _, st := range s.stages {
		all = append(all, pairingsOf(st))
	}
	return all
}

// pairingsOf returns the pairings of a stage.
func pairingsOf(st Stage) [][2]int {
	var list [][2]int
	for _, m := range st.Matches {
		list = append(list, m.Agents)
	}
	return list
}

// In every round of a Swiss tournament each plays once, nobody meets an old
// opponent or sits out twice, for many sizes.
func TestSwiss(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{2, 3, 5, 8, 13, 60, 61, 101} {
		c := formatConfig(t, Swiss, n)
		met, byes := map[[2]int]bool{}, map[int]bool{}
		stages := imagine(t, &c, rng)
		require.Len(t, stages, c.swissRounds())
		for _, pairings := range stages {
			played := map[int]bool{}
			require.Len(t, pairings, n/2)
			for _, p := range pairings {
				require.False(t, played[p[0]] || played[p[1]] || p[0] == p[1])
				played[p[0]], played[p[1]] = true, true
				key := [2]int{min(p[0], p[1]), max(p[0], p[1])}
				require.False(t, met[key], "%d agents: %v meet again", n, p)
				met[key] = true
			}
			for i := range n {
				if !played[i] {
					require.False(t, byes[i])
					byes[i] = true
				}
			}
		}
	}
	c := formatConfig(t, Swiss, 60)
	require.Equal(t, 6, c.swissRounds())
	require.EqualValues(t, 6*30*2*2, c.Games())
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
}

// In the first round the top half meets the bottom half, in the order given. With an odd number the last has the bye.
func TestSwissFirstRound(t *testing.T) {
	for n := 8; n <= 9; n++ {
		c := formatConfig(t, Swiss, n)
		require.Equal(t, [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, pairingsOf(newSchedule(&c).stages[0]))
	}
}

// The bye goes to the lowest, by points and then the order given, that has had none, and counts as a won match.
func TestSwissByes(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range 10 {
		c := formatConfig(t, Swiss, 9)
		s := newSchedule(&c)
		for g := range 2 * s.len() {
			s.note(&record.Game{Game: g, Result: []string{"1-0", "0-1", "1/2-1/2"}[rng.IntN(3)]})
		}
		points, had := make([]int64, 9), make([]bool, 9)
		for k := range s.stages {
			lowest := -1
			for agent := range 9 {
				if !had[agent] && (lowest < 0 || points[agent] <= points[lowest]) {
					lowest = agent
				}
			}
			require.Equal(t, []int{lowest}, s.stages[k].Byes(9))
			had[lowest] = true
			points[lowest] += 8
			for _, m := range s.stages[k].Matches {
				points[m.Agents[0]] += m.Halves[0]
				points[m.Agents[1]] += m.Halves[1]
			}
		}
	}
}

// A knock-out has one match less than players; who has lost a match plays no
// more, and the last match decides.
func TestKnockout(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for n := 2; n <= 33; n++ {
		c := formatConfig(t, Knockout, n)
		require.EqualValues(t, (n-1)*2*2, c.Games())
		stages, matches := imagine(t, &c, rng), 0
		left := n
		for _, pairings := range stages {
			matches += len(pairings)
			left -= len(pairings)
			require.Equal(t, left&(left-1), 0, "a power of 2 is left")
		}
		require.Equal(t, n-1, matches)
		require.Len(t, stages[len(stages)-1], 1)
	}
	c := formatConfig(t, Knockout, 6)
	s := newSchedule(&c)
	require.Equal(t, [][2]int{{2, 5}, {3, 4}}, pairingsOf(s.stages[0]))
	for i := range int64(8) { // 5 beats 2; 3 and 4 draw
		result := "1/2-1/2"
		if s.job(i / 2).Agents[0] == 2 {
			result = []string{"0-1", "1-0"}[i%2]
		}
		s.note(&record.Game{Game: i, Result: result})
	}
	require.Equal(t, [][2]int{{0, 5}, {1, 3}}, pairingsOf(s.stages[1]))
}

func TestGauntlet(t *testing.T) {
	c := formatConfig(t, Gauntlet, 4)
	require.Equal(t, [][2]int{{0, 1}, {0, 2}, {0, 3}}, pairingsOf(newSchedule(&c).stages[0]))
	require.EqualValues(t, 3*2*2, c.Games())
}

func TestLadder(t *testing.T) {
	c := formatConfig(t, Ladder, 4)
	require.Equal(t, [][2]int{{0, 1}, {1, 2}, {2, 3}}, pairingsOf(newSchedule(&c).stages[0]))
	require.EqualValues(t, 3*2*2, c.Games())
	m := c.Manifest()
	require.Len(t, m.Stages()[0].Matches, 3)
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

func TestValidateFormats(t *testing.T) {
	for message, change := range map[string]func(*Config){
		"schedule: expected round-robin, gauntlet, ladder, swiss, knockout or self-play, found \"x\"": func(c *Config) {
			c.Schedule = "x"
		},
		"rounds: only a swiss tournament has them": func(c *Config) { c.Rounds = 2 },
		"rounds: expected 1 or more and fewer than the 3 agents, found 3": func(c *Config) {
			c.Schedule,
				c.Rounds = Swiss, 3
		},
		"sprt: expected two agents, found 3": func(c *Config) { c.SPRT = sprt.Default() },
		"sprt: expected none in self-play": func(c *Config) {
			c.SPRT,
				c.Schedule = sprt.Default(), SelfPlay
		},
		"until_error: expected none with the schedule swiss": func(c *Config) { c.Schedule, c.UntilError = Swiss, 20 },
		"until_error: expected none beside sprt": func(c *Config) {
			c.Agents, c.SPRT, c.UntilError = c.Agents[:2], sprt.Default(), 20
		},
		"until_error: expected a number from 0 (never) to 1000, found -1": func(c *Config) { c.UntilError = -1 },
		"sprt: expected elo0 below elo1":                                  func(c *Config) { c.SPRT = sprt.Default(); c.SPRT.Elo1 = -1 },
	} {
		c := formatConfig(t, RoundRobin, 3)
		change(&c)
		require.ErrorContains(t, c.Validate(testRegistry(nil)), message)
	}
}

// In self-play everybody meets everybody and himself; the two sides of a game
// are two agents, and the same games come whatever the workers.
func TestSelfPlay(t *testing.T) {
	c := formatConfig(t, SelfPlay, 3)
	require.Equal(t, [][][2]int{{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}},
		imagine(t, &c, rand.New(rand.NewPCG(1, 1))))

	var made []*loner
	registry := agents.NewRegistry(agents.Kind{Name: "loner", New: func(agents.Values) (agents.Agent, error) {
		a := &loner{}
		made = append(made, a)
		return a, nil
	}})
	c = testConfig(t)
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

func (a *loner) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	if g.Position().Side() != a.side {
		return agents.Decision{}, errors.New("not my side")
	}
	return a.picker.Choose(ctx, g, lim)
}
