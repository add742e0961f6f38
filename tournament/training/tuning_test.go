package training

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/spsa"
	"gyges/agents/tuning/tdleaf"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// Each step has openings of its own, and a step always the same.
func TestStepsDiffer(t *testing.T) {
	t.Parallel()
	env := testEnv(Observer{})
	config := DefaultTuning()
	config.Match.Rules = []*rules.Rules{rules.MustParse("simplified")}
	config.Match.Agents = []agents.Spec{spec(t, "alphabeta:depth=1,hash=1")}
	config.Match.Out = t.TempDir()
	weights, err := tuning.Weights(env.Registry, config.agent(), config.Match.Rules[0])
	require.NoError(t, err)
	e, err := eval.New(weights, config.Match.Rules[0])
	require.NoError(t, err)
	td := DefaultTD()
	td.Tuning, td.Games = config, 4
	r := &tdRun{tuner: tuner{Tuning: &config, env: &env}, td: &td, state: tdleaf.Start(weights.Values[:]), eval: e}
	games := func(step int) []tdleaf.Game {
		list, err := r.playGames(t.Context(), step)
		require.NoError(t, err)
		return list
	}
	first := games(1)
	require.Equal(t, first, games(1))
	for _, a := range first {
		for _, b := range games(2) {
			require.NotEqual(t, a, b)
		}
	}

	c := &spsaRun{tuner: r.tuner, settings: spsa.Settings{Pairs: 3}, names: []string{"weight.mobility", "lmp_move_count"}}
	better, worse := c.with([]float64{90, 60}), c.with([]float64{-900, 60})
	openings := map[string]bool{}
	for k := 1; k <= 2; k++ {
		score, err := c.score(t.Context(), k, better, worse)
		require.NoError(t, err)
		require.Positive(t, score, "the better weight wins")
		back, err := c.score(t.Context(), k+10, worse, better)
		require.NoError(t, err)
		require.Negative(t, back)
		f, err := os.Open(filepath.Join(config.Match.Out, stepFolder(k), tournament.GamesFile))
		require.NoError(t, err)
		g, err := record.NewReader(f, f.Name()).Read()
		require.NoError(t, errors.Join(err, f.Close()))
		openings[g.Opening] = true
	}
	require.Len(t, openings, 2)
}

// The leaf of a decision is worth what the search said of it: the score follows
// from its features, but where a result is proven.
func TestLeavesAreWorthTheScore(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	e, err := eval.Source{}.Evaluator(r)
	require.NoError(t, err)
	w, err := eval.Default(eval.Standard)
	require.NoError(t, err)
	for _, text := range []string{"greedy", "alphabeta:depth=1,hash=1", "alphabeta:depth=3,hash=1",
		"alphabeta:nodes=700,hash=1"} {
		checked, proven := 0, 0
		for k := range int64(4) {
			opening, err := tournament.Openings{Policy: tournament.RandomOpenings}.Opening(r, 5, k)
			require.NoError(t, err)
			m := tournament.Game{Rules: r, Opening: opening, OnMove: func(g *rules.Game, d agents.Decision) {
				if !d.Scored {
					return
				}
				leaf := leaf(e, g, d)
				mover := g.Position().Side().Other()
				if plies, ok := d.Score.Proven(); ok {
					proven++
					require.True(t, leaf.Proven)
					require.Equal(t, (plies > 0) == (mover == rules.South), leaf.Value == 1)
					return
				}
				checked++
				sum := leaf.Base
				for j, f := range leaf.Features {
					sum += w.Values[j] * f
				}
				if leaf.South != (mover == rules.South) {
					sum = -sum
				}
				require.InDelta(t, float64(d.Score), sum, 0.51, "%s: %s", text, r.FormatPosition(g.Position()))
			}}
			for side := range m.Seats {
				a, err := registry().New(spec(t, text))
				require.NoError(t, err)
				m.Seats[side] = tournament.Seat{Name: text, Agent: a}
			}
			_, err = tournament.PlayGame(t.Context(), &m)
			require.NoError(t, err)
		}
		require.Greater(t, checked, 10, text)
		require.Positive(t, proven, text)
	}
}

// The manifest says how a run stands: in progress, stopped by its user, and finished.
func TestTuningStatus(t *testing.T) {
	t.Parallel()
	config := DefaultTD()
	config.Match.Rules = []*rules.Rules{rules.MustParse("simplified")}
	config.Match.Agents = []agents.Spec{spec(t, "alphabeta:depth=1,hash=1")}
	config.Match.Out = filepath.Join(t.TempDir(), "run")
	config.Steps, config.Games = 3, 2
	status := func() tournament.Status {
		text, err := os.ReadFile(filepath.Join(config.Match.Out, ManifestFile))
		require.NoError(t, err)
		var m Manifest
		require.NoError(t, json.Unmarshal(text, &m))
		return m.Status
	}
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
