package training

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/tuning/spsa"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// smallSPSA is a run of three steps.
func smallSPSA(t *testing.T) SPSA {
	c := DefaultSPSA()
	c.Rules = rules.MustParse("simplified")
	c.Openings.ForMatch(c.Rules)
	c.Agent = spec(t, "alphabeta:depth=1,hash=1")
	c.Out = filepath.Join(t.TempDir(), "run")
	c.Method.Steps, c.Method.Pairs = 3, 3
	c.Method.Params = []spsa.Param{{Name: "lmp_move_count", Start: 60, Min: 5, Max: 200, C: 10, Whole: true}}
	return c
}

// Each step has openings of its own, and a step always the same.
func TestStepsDiffer(t *testing.T) {
	t.Parallel()
	env := testEnv(Observer{})
	config := smallSPSA(t)
	require.NoError(t, os.MkdirAll(config.Out, 0o755))
	c := &spsaRun{SPSA: &config, env: &env, settings: config.Method, names: []string{"weight.mobility", "lmp_move_count"}}
	better, worse := c.with([]float64{90, 60}), c.with([]float64{-900, 60})
	openings := map[string]bool{}
	for k := 1; k <= 2; k++ {
		score, err := c.score(t.Context(), k, better, worse)
		require.NoError(t, err)
		require.Positive(t, score, "the better weight wins")
		back, err := c.score(t.Context(), k+10, worse, better)
		require.NoError(t, err)
		require.Negative(t, back)
		f, err := os.Open(filepath.Join(config.Out, stepFolder(k), tournament.GamesFile))
		require.NoError(t, err)
		g, err := record.NewReader(f, f.Name()).Read()
		require.NoError(t, errors.Join(err, f.Close()))
		openings[g.Opening] = true
	}
	require.Len(t, openings, 2)
}

// The manifest says how a run stands: in progress, stopped by its user, and finished.
func TestTuningStatus(t *testing.T) {
	t.Parallel()
	config := smallSPSA(t)
	status := func() tournament.Status { return manifestOf(t, config.Out).Status }
	ctx, cancel := context.WithCancel(t.Context())
	_, err := config.Run(ctx, testEnv(Observer{Step: func([]Line) {
		require.Equal(t, tournament.Running, status())
		cancel()
	}}))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, tournament.Interrupted, status())
	_, err = config.Run(t.Context(), testEnv(Observer{Step: func([]Line) { require.Equal(t, tournament.Running, status()) }}))
	require.NoError(t, err)
	require.Equal(t, tournament.Finished, status())
}
