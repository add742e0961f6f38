package alphabeta

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func TestBoundsAreKept(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	for _, nodes := range []int64{1, 2, 100, 1000, 5000} {
		a := agenttest.New(t, Kind(), fmt.Sprintf("alphabeta:nodes=%d", nodes), g)
		d := agenttest.Choose(t, a, g, agents.Limits{})
		// The moves of one node are evaluated and counted together.
		require.LessOrEqual(t, d.Nodes, nodes+600)
		again := agenttest.New(t, Kind(), "alphabeta:depth=60", g)
		require.Equal(t, d, agenttest.Choose(t, again, g, agents.Limits{Nodes: nodes}), "the tighter bound counts")
	}
	d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta:depth=3", g), g, agents.Limits{Depth: 1})
	require.Equal(t, 1, d.Depth)
	d = agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta", g), g, agents.Limits{})
	require.Equal(t, defaultDepth, d.Depth)
	for _, limit := range []time.Duration{time.Microsecond, 20 * time.Millisecond} { // either ends the search
		agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta", g), g, agents.Limits{MoveTime: limit})
	}
}

func TestCancellation(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(t, Kind(), "alphabeta:depth=20", g)
	for _, n := range []int{0, 1} { // before the first result
		_, err := a.Choose(agenttest.CancelAfter(n), g, agents.Request{})
		require.ErrorIs(t, err, context.Canceled, n)
	}
	d, err := a.Choose(agenttest.CancelAfter(100), g, agents.Request{})
	require.NoError(t, err)
	require.NoError(t, g.Check(d.Move))
	require.True(t, d.Scored)
	require.Less(t, d.Nodes, int64(100*(pollEvery+600)))
}
