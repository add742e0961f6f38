package ugi

import (
	"slices"
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
	require.False(t, program.hasEnded())

	// These aren't kept.
	other := third.proc
	restarted := start("good", ",restart=game")
	require.Same(t, program, restarted.proc)
	require.NoError(t, restarted.Close())
	require.True(t, program.hasEnded())
	busy := start("good", "")
	require.Same(t, other, busy.proc)
	busy.pending.ready = true
	require.NoError(t, busy.Close())
	require.True(t, other.hasEnded())

	last := start("good", "")
	program = last.proc
	require.NoError(t, last.Close())
	require.False(t, program.hasEnded())
	require.NoError(t, registry.End())
	require.True(t, program.hasEnded())
}

// A program that goes on as the next agent is told the limits of its moves again where the options
// of the spec may have replaced them. One that is started anew to take a limit back isn't kept
// beside, and one that has ended meanwhile is started anew.
func TestKeptProgramsAreUsedOnce(t *testing.T) {
	t.Parallel()
	registry := testRegistry().Keeping()
	start := func(more string) *host {
		s, err := agents.ParseSpec(ugitest.Spec(t, "good", more))
		require.NoError(t, err)
		agent, err := registry.Start(t.Context(), s)
		require.NoError(t, err)
		return agent.(*host)
	}
	r := rules.MustParse("italian")
	g := rules.NewGame(r, opening(r))
	move := func(h *host, limits agents.Limits) {
		require.NoError(t, h.NewGame(t.Context(), agents.SetupOf(g, 1)))
		_, err := h.Choose(t.Context(), g, agents.Request{Limits: limits})
		require.NoError(t, err)
	}

	first := start(",opt.maxNodes=3000")
	program := first.proc
	move(first, agents.Limits{Nodes: 1000})
	require.NoError(t, first.Close())
	second := start(",opt.maxNodes=2000")
	require.Same(t, program, second.proc)
	move(second, agents.Limits{Nodes: 1000})
	trace := second.Trace()
	set := slices.Index(trace, "> setoption maxNodes 2000")
	require.Positive(t, set)
	require.Contains(t, trace[set:], "> setoption maxNodes 1000")

	// The limit is taken back.
	move(second, agents.Limits{})
	require.True(t, program.hasEnded())
	other := start("")
	require.NotSame(t, second.client, other.client)

	// The engine ends while nobody uses it.
	require.NoError(t, second.Close())
	require.NoError(t, second.proc.killRunning())
	require.True(t, second.proc.exitsWithin(killingTime))
	third := start("")
	require.Same(t, second.client, third.client)
	move(third, agents.Limits{})
	require.NoError(t, third.Close())
	require.NoError(t, other.Close())
	require.NoError(t, registry.End())
}
