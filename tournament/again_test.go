package tournament

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// mended is the registry in which the agent "error" plays.
func mended() *agents.Registry {
	return withKind(agents.Kind{Name: "error", New: func(agents.Config) (agents.Agent, error) {
		return &picker{Scored: true}, nil
	}})
}

// againConfig is a run in which "error" is suspended after 5 games.
func againConfig(t *testing.T) Config {
	c := testConfig(t, "random", "error", "scored", "random:id=1")
	c.Rules, c.Pairs, c.Suspend, c.Workers = []*rules.Rules{rules.MustParse("simplified")}, 10, 5, 2
	return c
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// plays reports whether an agent plays a game.
func plays(g *record.Record, agent string) bool {
	return g.South.Agent == agent || g.North.Agent == agent
}

// The games of an agent that was suspended are played anew, those of the others stay, and the
// records are those of a run whose agent was right from the beginning. So it is where the run was
// stopped, at any game, and stopped again.
func TestAgain(t *testing.T) {
	t.Parallel()
	c := againConfig(t)
	_, err := Run(t.Context(), c, mended(), nil)
	require.NoError(t, err)
	want := timeless(t, c.Out)
	for _, stop := range []int64{1, 7, 30, 1000} {
		c.Out, c.Again = t.TempDir(), nil
		_, _ = stopAfter(t, c, stop)
		before := readGames(t, c.Out)
		c.Again = []int{1}
		kept := int64(0)
		c.OnBegin = func(games int64, _ func(int64) bool) { kept = games }
		_, err = Run(canceled(t), c, mended(), nil) // stopped at once
		c.OnBegin = nil
		require.Error(t, err)
		others := slices.DeleteFunc(slices.Clone(before), func(g *record.Record) bool { return plays(g, "error") })
		require.EqualValues(t, len(others), kept)
		c.Again = nil
		_, err = Run(t.Context(), c, mended(), nil)
		require.NoError(t, err)
		require.Equal(t, want, timeless(t, c.Out))

		after := readGames(t, c.Out)
		for _, g := range others {
			require.Equal(t, g, after[g.Game], "it was not played again")
		}
		set, err := os.ReadFile(filepath.Join(c.Out, "replaced-1.jsonl"))
		if len(others) == len(before) {
			require.ErrorIs(t, err, os.ErrNotExist)
			continue
		}
		require.NoError(t, err)
		taken := len(before) - len(others)
		require.Equal(t, taken, strings.Count(string(set), "\n"))
		require.Equal(t, taken, strings.Count(string(set), `"agent":"error"`))
	}

	// Of a finished run: again all of them, to another file.
	c.Again = []int{1}
	s, err := Run(t.Context(), c, mended(), nil)
	require.NoError(t, err)
	require.EqualValues(t, 60, s.Played-s.Kept)
	require.Equal(t, want, timeless(t, c.Out))
	require.FileExists(t, filepath.Join(c.Out, "replaced-2.jsonl"))
}

// A program that is killed while it sets games aside leaves the run as it was, until games.jsonl is
// replaced.
func TestKilledWhileGamesAreSetAside(t *testing.T) {
	t.Parallel()
	c := againConfig(t)
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	want := timeless(t, c.Out)
	whole, err := os.ReadFile(filepath.Join(c.Out, GamesFile))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	games := filepath.Join(c.Out, GamesFile)
	// The run was killed: some games wait behind a gap.
	gap := strings.Join(lines[:40], "")
	require.NoError(t, os.WriteFile(games, []byte(gap), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, aheadFile), []byte(strings.Join(lines[60:90], "")), 0o644))
	again := c
	again.Again = []int{1}
	m := newManifest(Running, c.inputs(nil), time.Now())
	require.NoError(t, setAside(&again, *m))
	left, err := os.ReadFile(games)
	require.NoError(t, err)
	require.NotContains(t, string(left), `"error"`)
	require.NoFileExists(t, filepath.Join(c.Out, aheadFile))
	// Killed just before that, the file has all games, with a gap.
	all := gap + strings.Join(lines[60:90], "")
	require.NoError(t, os.WriteFile(games, []byte(all), 0o644))
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	played := int64(strings.Count(all, "\n") - strings.Count(strings.Join(lines[60:90], ""), `"reason":"suspended"`))
	require.Equal(t, played, s.Kept)
}

func TestAgainRefuses(t *testing.T) {
	c := againConfig(t)
	require.NoError(t, c.SetAgain([]string{"error", "random:id=1"}))
	require.Equal(t, []int{1, 3}, c.Again)
	require.ErrorContains(t, c.SetAgain([]string{"eror"}),
		`expected one of the players random, error, scored, random:id=1, found "eror"`)
	for _, f := range []schedule.Name{"swiss", "knockout"} {
		c.Schedule = f
		require.ErrorContains(t, c.SetAgain([]string{"error"}), "whose pairings follow the results")
		require.NoError(t, c.SetAgain(nil))
	}
	c.Schedule, c.Extend = "", true
	require.ErrorContains(t, c.SetAgain([]string{"error"}), "expected none beside --extend")

	c.Extend, c.Again, c.Out = false, []int{1}, filepath.Join(c.Out, "none")
	_, err := Run(t.Context(), c, mended(), nil)
	require.ErrorContains(t, err, "expected the folder of a run some of whose games are to be played anew, found none")
	require.NoDirExists(t, c.Out)
}
