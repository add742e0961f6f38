package play

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
)

// closing is an agent that counts how often it is started and closed.
type closing struct {
	testAgent
	started, closed int
	start, close    func(context.Context) error // nil: nothing
}

func (a *closing) Start(ctx context.Context) error {
	a.started++
	if a.start == nil {
		return nil
	}
	return a.start(ctx)
}

func (a *closing) Close() error {
	a.closed++
	if a.close == nil {
		return nil
	}
	return a.close(context.Background())
}

// A slot keeps its agent for the next search of the same spec, unless a search has failed; one that is replaced is closed.
func TestSlotsKeepAgents(t *testing.T) {
	t.Parallel()
	var made []*closing
	kind := func(name string) agents.Kind {
		return agents.Kind{Name: name, New: func(agents.Config) (agents.Agent, error) {
			made = append(made, new(closing))
			return made[len(made)-1], nil
		}}
	}
	p := newPool(agents.NewRegistry(kind("one"), kind("two")), 1, 1)
	for _, c := range []struct {
		kind string
		err  error
		made int
	}{
		{"one", nil, 1}, {"one", errors.New("no"), 1}, {"one", nil, 2}, {"two", nil, 3}, {"two", nil, 3}, {"one", nil, 4},
	} {
		err := p.use(t.Context(), "", agents.Spec{Kind: c.kind}, func(_ context.Context, a agents.Agent) error {
			require.Same(t, made[c.made-1], a)
			return c.err
		})
		require.Equal(t, c.err, err)
		require.Len(t, made, c.made)
		for i, a := range made {
			require.Equal(t, 1, a.started)
			require.Equal(t, i < c.made-1, a.closed == 1, "agent %d of %d", i, c.made)
		}
	}
}

// An agent that can't be made is an error of the host, and leaves none behind: whoever comes next has its own agent.
func TestAgentsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	errNo := errors.New("no")
	fails := func(context.Context) error { return errNo }
	panics := func(context.Context) error { panic("boom") }
	waits := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, c := range map[string]struct {
		made agents.Agent
		err  error
		text string
	}{
		"error":           {err: errNo, text: "no"},
		"no agent":        {text: "panic"},
		"start fails":     {made: &closing{start: fails}, text: "no"},
		"start panics":    {made: &closing{start: panics}, text: "boom"},
		"start has ended": {made: &closing{start: waits}, text: "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good := &closing{close: panics} // which the agent that comes then must not pay for
			p := newPool(agents.NewRegistry(
				agents.Kind{Name: "good", New: func(agents.Config) (agents.Agent, error) { return good, nil }},
				agents.Kind{Name: "bad", New: func(agents.Config) (agents.Agent, error) { return c.made, c.err }},
			), 1, 1)
			use := func(ctx context.Context, kind string) (got agents.Agent, err error) {
				err = p.use(ctx, "", agents.Spec{Kind: kind}, func(_ context.Context, a agents.Agent) error {
					got = a
					return nil
				})
				return got, err
			}
			for range 2 {
				got, err := use(t.Context(), "good")
				require.NoError(t, err)
				require.Same(t, good, got)
				_, err = use(t.Context(), "bad") // closing the good one panics
				require.ErrorAs(t, err, new(*agents.HostFailure))
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(10*time.Millisecond, cancel)
				got, err = use(ctx, "bad")
				require.ErrorAs(t, err, new(*agents.HostFailure))
				require.ErrorContains(t, err, c.text)
				require.Nil(t, got)
			}
			require.Zero(t, p.busy())
		})
	}
}
