package ugi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
)

// A program that is kept goes on as the next agent, which tells it its options. One that is started
// for each game, that has failed or owes an answer isn't kept.
func TestKeepingPrograms(t *testing.T) {
	t.Parallel()
	registry := testRegistry().Keeping()
	start := func(habit, more string) *host {
		s, err := agents.ParseSpec(ugitest.Spec(t, habit, more))
		require.NoError(t, err)
		agent, err := registry.Start(t.Context(), s)
		require.NoError(t, err)
		return agent.(*host)
	}

	// The program of one that was closed is the next one's.
	first := start("good", ",opt.threads=1")
	program := first.proc
	require.NoError(t, first.Close())
	second := start("good", ",opt.threads=2")
	require.Same(t, program, second.proc)
	require.Contains(t, second.Trace(), "> setoption threads 2")
	third := start("good", "")
	require.NotSame(t, program, third.proc)
	r := rules.MustParse("italian")
	g := rules.NewGame(r, opening(r))
	require.NoError(t, second.NewGame(t.Context(), agents.SetupOf(g, 1)))
	_, err := second.Choose(t.Context(), g, agents.Request{})
	require.NoError(t, err)
	require.NoError(t, second.Close())
	require.NoError(t, third.Close())
	require.False(t, hasEnded(program))

	// These aren't kept.
	other := third.proc
	restarted := start("good", ",restart=game")
	require.Same(t, program, restarted.proc)
	require.NoError(t, restarted.Close())
	require.True(t, hasEnded(program))
	busy := start("good", "")
	require.Same(t, other, busy.proc)
	busy.pending.ready = true
	require.NoError(t, busy.Close())
	require.True(t, hasEnded(other))

	last := start("good", "")
	program = last.proc
	require.NoError(t, last.Close())
	require.False(t, hasEnded(program))
	require.NoError(t, registry.End())
	require.True(t, hasEnded(program))
}

func hasEnded(p *process) bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
