package play

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
)

// visit is a search of a client: it comes after so many seconds and lasts for some, unless its client gives up.
type visit struct {
	client       string
	comes, lasts int
	givesUp      int // seconds after it came; 0: never
}

// Whoever waits comes after at most share searches of each other client, and at once while no client may hold all slots.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	attack := slices.Repeat([]visit{{client: "a", lasts: 10}}, 6)
	for name, c := range map[string]struct {
		slots, share int
		visits       []visit
		began        []int // in which second; -1: never
	}{
		"one slot":            {1, 1, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 13, 23, 33, 43, 53, 10}},
		"a slot for others":   {2, 1, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 10, 20, 30, 40, 50, 1}},
		"no slot for others":  {2, 2, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 0, 10, 13, 20, 23, 10}},
		"more than two":       {1, 1, []visit{{"a", 0, 5, 0}, {"b", 1, 1, 0}, {"b", 1, 1, 0}, {"c", 2, 1, 0}, {"d", 3, 1, 0}}, []int{0, 5, 8, 6, 7}},
		"two who attack":      {2, 1, append(attack, visit{"b", 0, 10, 0}, visit{"b", 0, 10, 0}, visit{"c", 1, 3, 0}), []int{0, 10, 20, 30, 40, 50, 0, 13, 10}},
		"who gives up":        {1, 1, []visit{{"a", 0, 9, 2}, {"a", 0, 9, 1}, {"b", 1, 9, 0}}, []int{0, -1, 2}},
		"who gives up queued": {1, 1, []visit{{"a", 0, 9, 0}, {"b", 0, 9, 1}, {"b", 1, 1, 0}}, []int{0, -1, 9}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPool(nil, c.slots, c.share)
			began, start := make([]int, len(c.visits)), time.Now()
			var work sync.WaitGroup
			for i, v := range c.visits {
				work.Go(func() {
					time.Sleep(time.Duration(v.comes)*time.Second + time.Duration(i)) // one after another
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if v.givesUp > 0 {
						time.AfterFunc(time.Duration(v.givesUp)*time.Second, cancel)
					}
					_, end, err := p.turn(ctx, v.client)
					defer end()
					if began[i] = -1; err != nil {
						return
					}
					began[i] = int(time.Since(start).Seconds())
					select {
					case <-time.After(time.Duration(v.lasts) * time.Second):
					case <-ctx.Done():
					}
				})
			}
			work.Wait()
			require.Equal(t, c.began, began, name)
			require.Zero(t, p.busy())
			require.Empty(t, p.clients, "none is kept")
		})
	}
}

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
