package analysis

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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
	return p.Use(ctx, "", agents.Spec{Kind: kind}, func(ctx context.Context, a agents.Agent) error {
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
	p := NewPool(agents.NewRegistry(kind("one"), kind("two"), kind("bad")), searches, searches, 0, slog.New(slog.DiscardHandler))
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
		end, err := p.Turn(t.Context(), "")
		require.NoError(t, err)
		defer end()
	}
	require.ErrorIs(t, choose(ctx, p, "one"), context.Canceled)
	require.Len(t, p.waiting, 0)
	for _, s := range p.slots {
		p.closeAgent(s)
	}
	require.Equal(t, made.Load(), closed.Load())
}

// visit is a search of a client: it comes after so many seconds and lasts for some, unless its client gives up.
type visit struct {
	client       string
	comes, lasts int
	yields       bool
	givesUp      int // seconds after it came; 0: never
}

// play runs visits, and returns in which second each began, -1 for never, and ended.
func play(t *testing.T, slots, share int, visits []visit) (began, ended []int) {
	t.Helper()
	began, ended = make([]int, len(visits)), make([]int, len(visits))
	synctest.Test(t, func(t *testing.T) {
		kind := agents.Kind{Name: "one", New: func(agents.Values) (agents.Agent, error) { return testAgent(nil), nil }}
		p := NewPool(agents.NewRegistry(kind), slots, share, time.Hour, slog.New(slog.DiscardHandler))
		defer p.Close()
		start := time.Now()
		now := func() int { return int(time.Since(start).Seconds()) }
		var work sync.WaitGroup
		for i, v := range visits {
			began[i] = -1
			work.Go(func() {
				time.Sleep(time.Duration(v.comes)*time.Second + time.Duration(i)) // one after another
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if v.givesUp > 0 {
					time.AfterFunc(time.Duration(v.givesUp)*time.Second, cancel)
				}
				use := p.Use
				if v.yields {
					use = p.UseYielding
				}
				_ = use(ctx, v.client, agents.Spec{Kind: "one"}, func(ctx context.Context, _ agents.Agent) error {
					began[i] = now()
					select {
					case <-time.After(time.Duration(v.lasts) * time.Second):
					case <-ctx.Done():
						require.Equal(t, v.givesUp == 0, errors.Is(context.Cause(ctx), ErrYielded))
					}
					return nil
				})
				ended[i] = now()
			})
		}
		work.Wait()
		require.Empty(t, p.Busy())
		require.Empty(t, p.waiting)
	})
	return began, ended
}

// Whoever waits comes after at most one search of each other client, and at once while no client may hold all slots.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	attack := slices.Repeat([]visit{{client: "a", lasts: 10}}, 6)
	for name, c := range map[string]struct {
		slots, share int
		visits       []visit
		began        []int
	}{
		"one slot":               {1, 1, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 13, 23, 33, 43, 53, 10}},
		"a slot for others":      {2, 1, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 10, 20, 30, 40, 50, 1}},
		"no slot for others":     {2, 2, append(attack, visit{client: "b", comes: 1, lasts: 3}), []int{0, 0, 10, 13, 20, 23, 10}},
		"many of both":           {1, 1, []visit{{"a", 0, 1, false, 0}, {"a", 0, 1, false, 0}, {"a", 0, 1, false, 0}, {"b", 0, 1, false, 0}, {"b", 0, 1, false, 0}}, []int{0, 2, 4, 1, 3}},
		"a client after another": {1, 1, []visit{{"a", 0, 5, false, 0}, {"b", 1, 1, false, 0}, {"b", 1, 1, false, 0}, {"c", 2, 1, false, 0}, {"d", 3, 1, false, 0}}, []int{0, 5, 8, 6, 7}},
		"who gives up":           {1, 1, []visit{{"a", 0, 9, false, 2}, {"a", 0, 9, false, 1}, {"b", 1, 9, false, 0}}, []int{0, -1, 2}},
	} {
		began, _ := play(t, c.slots, c.share, c.visits)
		require.Equal(t, c.began, began, name)
	}
}

// A search that yields ends for others of its client at once, and for other clients after some seconds, unless these
// have their share. Those that yield take turns.
func TestSearchesYield(t *testing.T) {
	t.Parallel()
	const slice = int(yieldTime / time.Second)
	analysis := visit{client: "a", lasts: 60, yields: true}
	for name, c := range map[string]struct {
		slots, share int
		visits       []visit
		ended        []int
	}{
		"own move":       {1, 1, []visit{analysis, {"a", 1, 1, false, 0}}, []int{1, 2}},
		"other's move":   {1, 1, []visit{analysis, {"b", 1, 1, false, 0}}, []int{slice, slice + 1}},
		"later":          {1, 1, []visit{analysis, {"b", 20, 1, false, 0}}, []int{20, 21}},
		"free slot":      {2, 1, []visit{analysis, {"b", 1, 1, false, 0}}, []int{60, 2}},
		"had its share":  {2, 1, []visit{analysis, {"b", 1, 30, false, 0}, {"b", 1, 30, false, 0}}, []int{60, 31, 61}},
		"one is enough":  {2, 2, []visit{analysis, analysis, {"b", 10, 1, false, 0}}, []int{10, 60, 11}},
		"nobody waits":   {1, 1, []visit{analysis, {"b", 1, 1, false, 1}}, []int{60, 2}},
		"others, yield":  {1, 1, []visit{analysis, {"b", 0, 60, true, 0}, {"c", 0, 60, true, 0}}, []int{slice, 2 * slice, 2*slice + 60}},
		"own, yields":    {1, 1, []visit{analysis, {"a", 0, 60, true, 0}}, []int{slice, slice + 60}},
		"not own yields": {1, 1, []visit{{"a", 0, 9, false, 0}, analysis, {"a", 1, 1, false, 0}}, []int{9, 70, 10}},
	} {
		_, ended := play(t, c.slots, c.share, c.visits)
		require.Equal(t, c.ended, ended, name)
	}
}
