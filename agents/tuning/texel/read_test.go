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
	"gyges/agents/internal/agenttest"
	"gyges/agents/tuning/sample"
	"gyges/rules"
)

// samples draws positions; after the last comes an error, if there is one.
func samples(t testing.TB, n int, last error) (iter.Seq2[sample.Sample, error], []sample.Sample, *eval.Evaluator) {
	r := rules.MustParse("kang")
	e, err := eval.Source{}.Evaluator(r)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	list := make([]sample.Sample, n)
	for i := range list {
		p := agenttest.RandomGame(r, rng, rng.IntN(20)).Position()
		list[i] = sample.Sample{
			Rules: r, Position: p, Game: int64(i / 3), ToEnd: 1, Quiet: rng.IntN(2) == 0,
			Wins: rng.Int32N(3), Draws: 1, Losses: rng.Int32N(3), Scored: rng.IntN(2) == 0, Score: agents.Score(rng.IntN(100)),
		}
	}
	return func(yield func(sample.Sample, error) bool) {
		for _, s := range list {
			if !yield(s, nil) {
				return
			}
		}
		if last != nil {
			yield(sample.Sample{}, last)
		}
	}, list, e
}

func TestSampled(t *testing.T) {
	all, list, e := samples(t, blockRows+100, nil)
	for _, choice := range []Choice{{}, {Quiet: true}, {Positions: 77}, {Quiet: true, Positions: 100}} {
		d, err := ReadData(t.Context(), all, e, choice)
		require.NoError(t, err)
		n := 0
		for _, s := range list {
			if choice.Quiet && !s.Quiet || choice.Positions > 0 && n == choice.Positions {
				continue
			}
			b, i := d.blocks[n/blockRows], n%blockRows
			n++
			var want, got [eval.NumFeatures]float64
			e.Extract(s.Position, &want, new(eval.Inputs))
			columns, values := b.row(i)
			for k, j := range columns {
				got[j] = float64(values[k])
			}
			require.Equal(t, want, got)
			require.InDelta(t, s.Result(), b.result[i], 1e-6)
			require.EqualValues(t, s.Count(), b.count[i])
			require.EqualValues(t, s.Game+1, b.game[i])
			require.Equal(t, !s.Scored, math.IsNaN(float64(b.score[i])))
			require.True(t, !s.Scored || float32(s.Score) == b.score[i])
		}
		require.Equal(t, n, d.Len())
	}
	broken := errors.New("a broken shard")
	all, _, e = samples(t, 10, broken)
	_, err := ReadData(t.Context(), all, e, Choice{})
	require.ErrorIs(t, err, broken)
	all, _, e = samples(t, blockRows, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ReadData(ctx, all, e, Choice{})
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkSampled(b *testing.B) {
	all, _, e := samples(b, 20000, nil)
	for b.Loop() {
		_, err := ReadData(b.Context(), all, e, Choice{})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20000, "ns/position")
}
