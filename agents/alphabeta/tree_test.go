package alphabeta

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// Every position that a search visits is as likely to be in the sample, and the search finds what
// it does without one.
func TestSearchTree(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("simplified")
	g := agenttest.Game(t, r, "213132/000000/000000/000000/000000/112233 s")
	const spec = "alphabeta:depth=2,hash=1"
	want := agenttest.Choose(t, agenttest.New(t, Kind(), spec, g), g, agents.Limits{})
	a := agenttest.New(t, Kind(), spec, g)
	search := func(n int) []rules.Position {
		require.NoError(t, a.NewGame(context.Background(), agents.Setup{Rules: r, Seed: uint64(n)}))
		d := agenttest.Ask(t, a, g, agents.Request{Sample: n})
		positions := d.Sample
		d.Sample = nil
		require.Equal(t, want, d)
		return positions
	}
	all := search(100_000)
	require.Less(t, int64(len(all)), want.Nodes)
	require.Greater(t, len(all), 30)
	visits, drawn := map[rules.Position]int{}, map[rules.Position]int{}
	for _, p := range all {
		visits[p]++
		require.False(t, r.CanWin(p, p.Side()))
	}
	const n = 10
	for seed := range 2000 {
		require.NoError(t, a.NewGame(context.Background(), agents.Setup{Rules: r, Seed: uint64(seed)}))
		d := agenttest.Ask(t, a, g, agents.Request{Sample: n})
		require.Len(t, d.Sample, n)
		for _, p := range d.Sample {
			drawn[p]++
		}
	}
	for p, k := range visits { // the chance of a fault is about one in ten million a position
		mean := float64(2000*n*k) / float64(len(all))
		require.InDelta(t, mean, float64(drawn[p]), 5.5*math.Sqrt(mean)+1, r.FormatPosition(p))
	}
	require.Empty(t, search(0))
}
