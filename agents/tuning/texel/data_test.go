package texel

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
	"gyges/agents/internal/agenttest"
	"gyges/agents/tuning/dataset"
	"gyges/rules"
)

// drawPositions draws positions; after the last comes an error, if there is one.
func drawPositions(t testing.TB, n int, last error) (iter.Seq2[dataset.Position, error], []dataset.Position,
	*eval.Evaluator) {
	r := rules.MustParse("kang")
	e, err := eval.ForRules(r)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	list := make([]dataset.Position, n)
	for i := range list {
		p := agenttest.RandomGame(r, rng, rng.IntN(20)).Position()
		list[i] = dataset.Position{
			Rules: r, Position: p, Game: int64(i / 3), ToEnd: 1, Quiet: rng.IntN(2) == 0,
			Wins: rng.Int32N(3), Draws: 1, Losses: rng.Int32N(3), Scored: rng.IntN(2) == 0, Score: agents.Score(rng.IntN(100)),
		}
	}
	return func(yield func(dataset.Position, error) bool) {
		for _, p := range list {
			if !yield(p, nil) {
				return
			}
		}
		if last != nil {
			yield(dataset.Position{}, last)
		}
	}, list, e
}

func TestRead(t *testing.T) {
	t.Parallel()
	all, list, e := drawPositions(t, blockRows+100, nil)
	for _, choice := range []Choice{{}, {Quiet: true}, {Positions: 77}, {Quiet: true, Positions: 100}} {
		d, err := Read(t.Context(), all, e, choice)
		require.NoError(t, err)
		n := 0
		for _, p := range list {
			if choice.Quiet && !p.Quiet || choice.Positions > 0 && n == choice.Positions {
				continue
			}
			b, i := d.blocks[n/blockRows], n%blockRows
			n++
			var want, got eval.Vector
			e.Extract(p.Position, &want, new(inputs.List))
			for j, x := range (example{b, i}).features() {
				got[j] = float64(x)
			}
			require.Equal(t, want, got)
			require.InDelta(t, p.Result(), b.rows[i].result, 1e-6)
			require.EqualValues(t, p.Count(), b.rows[i].count)
			require.EqualValues(t, p.Game, b.rows[i].game)
			require.Equal(t, !p.Scored, math.IsNaN(float64(b.rows[i].score)))
			require.True(t, !p.Scored || float32(p.Score) == b.rows[i].score)
		}
		require.Equal(t, n, d.Len())
	}
	broken := errors.New("a broken shard")
	all, _, e = drawPositions(t, 10, broken)
	_, err := Read(t.Context(), all, e, Choice{})
	require.ErrorIs(t, err, broken)
	all, _, e = drawPositions(t, blockRows, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Read(ctx, all, e, Choice{})
	require.ErrorIs(t, err, context.Canceled)
}
