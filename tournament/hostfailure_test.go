package tournament

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

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
