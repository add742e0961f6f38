package analysis

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/rules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testAgent is an agent that is a function.
type testAgent func(context.Context, *rules.Game) (agents.Decision, error)

func (testAgent) NewGame(context.Context, agents.Setup) error { return nil }

func (a testAgent) Choose(ctx context.Context, g *rules.Game, _ agents.Limits) (agents.Decision, error) {
	return a(ctx, g)
}

type closing struct {
	testAgent
	closed *atomic.Int64
}

func (c closing) Close() error {
	c.closed.Add(1)
	return nil
}

// standardGame is a game at its beginning.
func standardGame() *rules.Game {
	r := rules.MustParse("standard")
	return rules.NewGame(r, r.Start())
}

// choose lets an agent of the pool choose.
func choose(ctx context.Context, p *Pool, kind string) error {
	return p.Use(ctx, agents.Spec{Kind: kind}, func(ctx context.Context, a agents.Agent) error {
		_, err := a.Choose(ctx, standardGame(), agents.Limits{})
		return err
	})
}

// So many searches go on at a time and no more, and no more agents are kept.
func TestPoolIsBounded(t *testing.T) {
	t.Parallel()
	const searches, games = 3, 60
	var running, most, made, closed, mostAlive atomic.Int64
	raise := func(top *atomic.Int64, n int64) {
		for old := top.Load(); n > old && !top.CompareAndSwap(old, n); old = top.Load() {
		}
	}
	kind := func(name string) agents.Kind {
		return agents.Kind{Name: name, New: func(agents.Values) (agents.Agent, error) {
			raise(&mostAlive, made.Add(1)-closed.Load())
			used := false
			return closing{testAgent(func(_ context.Context, g *rules.Game) (agents.Decision, error) {
				raise(&most, running.Add(1))
				time.Sleep(time.Millisecond)
				running.Add(-1)
				if name == "bad" {
					if used {
						panic("an agent that has failed is asked again")
					}
					used = true
					return agents.Decision{}, errors.New("no")
				}
				return agents.Decision{Move: g.Legal().At(0)}, nil
			}), &closed}, nil
		}}
	}
	p := NewPool(agents.NewRegistry(kind("one"), kind("two"), kind("bad")), searches, 0, slog.New(slog.DiscardHandler))
	var work sync.WaitGroup
	for i := range games {
		work.Go(func() {
			_ = choose(t.Context(), p, []string{"one", "two", "bad"}[i%3])
		})
	}
	work.Wait()
	for range 2 { // one that has failed isn't asked again
		require.EqualError(t, choose(t.Context(), p, "bad"), "no")
	}
	require.EqualValues(t, searches, most.Load())
	require.LessOrEqual(t, mostAlive.Load(), int64(searches))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range searches {
		<-p.free
	}
	require.ErrorIs(t, choose(ctx, p, "one"), context.Canceled)
	for range searches {
		p.free <- struct{}{}
	}
	p.Close()
	require.Equal(t, made.Load(), closed.Load())
}

// A search that yields ends when one that doesn't finds no slot, and does not come before it.
func TestSearchesYield(t *testing.T) {
	t.Parallel()
	kind := agents.Kind{Name: "one", New: func(agents.Values) (agents.Agent, error) { return testAgent(nil), nil }}
	p := NewPool(agents.NewRegistry(kind), 1, 0, slog.New(slog.DiscardHandler))
	defer p.Close()
	spec := agents.Spec{Kind: "one"}
	hold := func(begun chan<- struct{}, causes chan<- error) func(context.Context, agents.Agent) error {
		return func(ctx context.Context, _ agents.Agent) error {
			close(begun)
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil
		}
	}
	var work sync.WaitGroup
	begun, causes := make(chan struct{}), make(chan error, 2)
	work.Go(func() { _ = p.UseYielding(t.Context(), spec, hold(begun, causes)) })
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan struct{})
	work.Go(func() { _ = p.UseYielding(ctx, spec, hold(second, causes)) }) // waits, or comes after the next
	require.NoError(t, p.Use(t.Context(), spec, func(context.Context, agents.Agent) error {
		require.ErrorIs(t, <-causes, ErrYielded)
		return nil
	}))
	<-second
	cancel()
	require.ErrorIs(t, <-causes, context.Canceled)
	work.Wait()
	require.Empty(t, p.Busy())
}

// Searches that yield take turns, of some seconds each.
func TestSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kind := agents.Kind{Name: "one", New: func(agents.Values) (agents.Agent, error) { return testAgent(nil), nil }}
		p := NewPool(agents.NewRegistry(kind), 1, time.Minute, slog.New(slog.DiscardHandler))
		defer p.Close()
		began := time.Now()
		var ends []time.Duration
		var work sync.WaitGroup
		for range 3 {
			work.Go(func() {
				_ = p.UseYielding(t.Context(), agents.Spec{Kind: "one"}, func(ctx context.Context, _ agents.Agent) error {
					<-ctx.Done()
					ends = append(ends, time.Since(began))
					return nil
				})
			})
		}
		work.Wait()
		require.Len(t, ends, 3)
		require.Equal(t, yieldTime, ends[0])
		require.LessOrEqual(t, ends[1], 2*yieldTime)
		require.Equal(t, ends[1]+time.Minute, ends[2])
	})
}
