package tournament

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/rules"
	"gyges/tournament/record"
)

// A run whose tables don't fit into the machine's memory is refused before it
// begins.
func TestTablesFitIntoMemory(t *testing.T) {
	registry := builtin.Registry(explore.Kind(builtin.Registry()))
	// 96, 32 and 15 MB
	c := testConfig(t, "alphabeta:hash=64", "mcts:hash=32", "explore:agent=alphabeta:hash=10", "random")
	const mb = 1 << 20
	c.Workers = 3
	require.NoError(t, c.checkMemory(registry, 3*143*mb))
	require.NoError(t, c.checkMemory(registry, 0), "unknown")
	err := c.checkMemory(registry, 3*143*mb-100)
	require.EqualError(t, err,
		"workers: expected tables of at most 428 MB in all, the memory of this machine, found 429 MB: "+
			"3 workers with 143 MB each; lower workers or the agents' hash")
	c.Schedule = SelfPlay
	require.Error(t, c.checkMemory(registry, 5*143*mb))
	require.NoError(t, c.checkMemory(registry, 6*143*mb))
}

// lacking is an agent whose host runs out of something in its third game.
type lacking struct {
	picker
	games *int
}

var errLack = &agents.HostFailure{Err: errors.New("too many open files")}

func (a *lacking) NewGame(ctx context.Context, s agents.Setup) error {
	if *a.games++; *a.games == 3 {
		return errLack
	}
	return a.picker.NewGame(ctx, s)
}

// What the host lacks is no agent's fault: the run stops, records no game for it,
// and plays it when it goes on.
func TestHostFailureStopsTheRun(t *testing.T) {
	games := 0
	registry := agents.NewRegistry(
		agents.Kind{Name: "random", New: func(agents.Values) (agents.Agent, error) { return &picker{}, nil }},
		agents.Kind{Name: "lacking", New: func(agents.Values) (agents.Agent, error) { return &lacking{games: &games}, nil }},
	)
	c := testConfig(t, "random", "lacking")
	c.Rules = []*rules.Rules{rules.MustParse("simplified")}
	c.Workers = 1
	s, err := Run(t.Context(), c, registry, nil)
	require.ErrorIs(t, err, errLack)
	require.ErrorContains(t, err, `game 2 is dropped, agent "lacking": too many open files; the 2 games in `)
	require.Equal(t, Failed, s.Status)
	require.Zero(t, s.Faults)
	s, err = Run(t.Context(), c, registry, func(g *record.Game) { require.Nil(t, g.Fault) })
	require.NoError(t, err)
	require.EqualValues(t, []int64{4, 2}, []int64{s.Played, s.Kept})
}
