package training

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/ranking"
	"gyges/rules"
)

// shortGames is self-play whose games are converted in several batches.
func shortGames(t *testing.T, pairs int) SelfPlay {
	c := selfPlayConfig(t)
	c.Tournament.Agents = []agents.Spec{spec(t, "greedy")}
	c.Tournament.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=12")}
	c.Tournament.Pairs, c.Explore.Temperature = pairs, 0
	return c
}

// All positions are searched with the weights that were there at the beginning.
func TestSearchesReadTheirFileOnce(t *testing.T) {
	t.Parallel()
	c := shortGames(t, 160)
	path := filepath.Join(t.TempDir(), "w.json")
	w := eval.Default(eval.Simplified)
	require.NoError(t, saveWeights(path, &w))
	c.Search = Search{Agent: spec(t, "alphabeta:nodes=50,hash=1,weights="+path), Share: 0.5}
	dir, _ := play(t, c)
	want := positionsIn(t, dir)
	replaced := false
	env := testEnv(Observer{Progress: func(done, _ int64, _ string) {
		if done == 1 {
			replaced = os.WriteFile(path, []byte("no weights"), 0o600) == nil
		}
	}})
	_, err := c.Extract(t.Context(), env, dir, c.Provenance("v1"))
	require.NoError(t, err)
	require.True(t, replaced)
	require.Equal(t, want, positionsIn(t, dir))
}

// Positions that other ones replace between two parts of a fit are noticed, and no weights are made of both.
func TestPositionsReplacedWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	c := shortGames(t, 40)
	dir, _ := play(t, c)
	fit := DefaultTexel()
	fit.Name, fit.Rules, fit.Data, fit.Parent = "fit", c.Tournament.Rules[0], []string{filepath.Join(dir, PositionsDir)},
		eval.Default(eval.Simplified)
	fit.Settings.Scale = 0.005
	fit.Policy = &ranking.Settings{Epochs: 1, Seed: 1}
	fit.Out = filepath.Join(t.TempDir(), "fit")
	_, err := fit.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)

	fit.Out = filepath.Join(t.TempDir(), "fit")
	c.Split.Validation += 20
	replaced := false
	env := testEnv(Observer{})
	env.Step = func([]Line) {
		if !replaced {
			replaced = true
			_, err := c.Extract(t.Context(), testEnv(Observer{}), dir, nil)
			require.NoError(t, err)
		}
	}
	_, err = fit.Run(t.Context(), env)
	require.ErrorContains(t, err, "positions: other positions were written while these were read")
	require.NoDirExists(t, fit.Out)
}

// A match that an earlier version of the program has begun goes on, though its weights would be written otherwise now.
func TestMatchesOfAnEarlierVersionGoOn(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	stopAt(t, &c, 185) // in the match of the first generation
	path := c.path(1, WeightsFile)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	for k := 1; k <= 2; k++ { // the match may have been over before the stop took hold
		require.NoError(t, os.RemoveAll(c.path(k, generationFile)))
	}
	env := testEnv(Observer{})
	env.Version = "v2"
	_, err = c.Run(t.Context(), env)
	require.NoError(t, err)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(before), `"version":"v1"`)
	require.Contains(t, string(after), `"version":"v1"`)
}
