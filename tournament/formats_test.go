package tournament

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament/schedule"
)

// formatConfig has n players that all play at random.
func formatConfig(t *testing.T, f schedule.Name, n int) Config {
	c := testConfig(t)
	for i := range n {
		c.Agents = append(c.Agents, agents.Spec{Kind: "random", Params: []agents.Param{{Name: "id", Value: fmt.Sprint(i)}}})
	}
	c.Rules, c.Schedule, c.Pairs = []*rules.Rules{rules.MustParse("simplified"),
		rules.MustParse("standard:max_plies=10")}, f, 1
	return c
}

// All formats give the same records for any number of workers, and after an interruption.
func TestFormatsRunAndResume(t *testing.T) {
	t.Parallel()
	for _, f := range schedule.Name("").Choices() {
		c := formatConfig(t, schedule.Name(f.Name), 7)
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

// A run ends after the first round looked at in which every interval is narrow enough under each
// rule set, whatever the number of workers and wherever it was stopped before, and goes on from
// there to a smaller error.
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
	s := play(one, 36, 1)

	var results [2]ratings.Data
	const round = 2 * 3 * 2 // games
	games, look := readGames(t, one), 1
	require.EqualValues(t, len(games), s.Played)
	require.Zero(t, len(games)%round)
	for i := 0; i < len(games); i += 2 {
		a, b := games[i].Short(), games[i+1].Short()
		results[i%round/(round/2)].AddPairs(a.South, a.North, a.Result, b.Result, 1)
		if i+2 != look*round {
			continue
		}
		look += max(1, look/20)
		narrow := true
		for k := range results {
			r, err := ratings.Fit(t.Context(), &results[k], ratings.Options{})
			require.NoError(t, err)
			for _, p := range r.Players {
				narrow = narrow && p.Error <= 36 && p.Games() >= 100 && r.Prior == ratings.Prior{}
			}
		}
		require.Equal(t, i+2 == len(games), narrow, "after %d of %d games", i+2, len(games))
	}
	require.Greater(t, len(games), 40*round, "the last looks are more than a round apart")

	c.Out, c.UntilError, c.Workers = many, 36, 5
	_, err := stopAfter(t, c, 101)
	require.Error(t, err)
	for range 2 { // resumed, and finished already
		play(many, 36, 5)
		require.Equal(t, timeless(t, one), timeless(t, many))
	}

	c.UntilError = 34
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorAs(t, err, new(*ExtendError))
	c.Extend = true
	play(many, 34, 5)
	c.Extend = false
	play(one+"/new", 34, 2)
	require.Equal(t, timeless(t, one+"/new"), timeless(t, many))
	c.Extend, c.UntilError = true, 60
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "until_error was 34, now 60")
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
	c.Agents, c.Schedule, c.Pairs, c.Workers = []agents.Spec{{Kind: "loner"}}, schedule.SelfPlay, 5, 1
	s, err := Run(t.Context(), c, registry, nil)
	require.NoError(t, err)
	require.EqualValues(t, 30, s.Played)
	require.Len(t, made, 3, "one to check the config, two to play")
	for _, g := range readGames(t, c.Out) {
		require.Nil(t, g.Fault, "both sides of a game were one agent")
	}
}

// Self-play goes on while an agent is left that meets itself, and what two agents scored against
// each other is counted without the games of each with itself, and those that were not played.
func TestSelfPlayOfOneThatIsLeft(t *testing.T) {
	c := testConfig(t, "random", "error")
	c.Rules, c.Schedule, c.Pairs, c.Suspend = c.Rules[:1], schedule.SelfPlay, 6, 2
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.EqualValues(t, 2*3*6, s.Played)
	require.EqualValues(t, 1, s.Pairs.N())
	for _, g := range readGames(t, c.Out) {
		left := g.South.Agent == "random" && g.North.Agent == "random"
		require.Equal(t, g.Game >= 4 && !left, g.NotPlayed(), g.Game)
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

// A run that the results end stops when all pairs of many rounds repeat earlier ones, and no
// sooner, at the same pair for any number of workers and when it goes on.
func TestStopsWhenNoNewGameComes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agents    []string
		pairs     int
		exhausted int64 // games; 0: all are played
	}{
		{[]string{"first", "first:id=1"}, 400, 2 * (2 + maxRepeated)},
		{[]string{"first", "first:id=1", "first:id=2"}, 400, 3 * 2 * (2 + maxRepeated)},
		{[]string{"first", "random"}, 60, 0},
		{[]string{"first", "seldom"}, 250, 0},
		{[]string{"first", "first:id=1", "random"}, 60, 0},
	} {
		config := testConfig(t, c.agents...)
		config.Rules, config.Pairs, config.UntilError = []*rules.Rules{rules.MustParse("simplified")}, c.pairs, 1e-6
		if len(c.agents) == 2 {
			config.UntilError, config.SPRT = 0, sprt.Test{Elo0: 0, Elo1: 1, Alpha: 1e-9, Beta: 1e-9, Model: sprt.Logistic}
		}
		config.Openings = schedule.Openings{Policy: schedule.FileOpenings, File: "two", Positions: []string{
			"123123/000000/000000/000000/000000/123123 s", "112233/000000/000000/000000/000000/123123 s",
		}}
		workers := []int{1, 4}
		if c.exhausted == 0 { // most games
			workers = workers[1:]
		}
		for _, workers := range workers {
			config.Workers, config.Out = workers, t.TempDir()
			for range 2 { // again when it has ended
				s, err := Run(t.Context(), config, testRegistry(nil), nil)
				require.NoError(t, err)
				want := cmp.Or(c.exhausted, s.Scheduled)
				require.Equal(t, []any{Finished, c.exhausted > 0, want}, []any{s.Status, s.Exhausted, s.Played}, c.agents)
			}
		}
	}
}
