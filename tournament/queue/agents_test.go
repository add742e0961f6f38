package queue

import (
	"context"
	"flag"
	"math"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
)

func TestMain(m *testing.M) {
	ugitest.Main()
	if os.Getenv(workerURL) != "" {
		workerProcess()
		return
	}
	if os.Getenv(coordinatorOut) != "" {
		coordinatorProcess()
		return
	}
	// Most tests wait for servers and processes, not for the processor.
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
		_ = p.Value.Set("12") // it is a number
	}
	// The library's goroutine misses the end of a connection that is very short.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

// wrapped plays at random, after something has been done.
type wrapped struct {
	agents.Agent
	before func(ctx context.Context, ply int) error
}

func (a *wrapped) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if err := a.before(ctx, g.Ply()); err != nil {
		return agents.Decision{}, err
	}
	return a.Agent.Choose(ctx, g, q)
}

func wrap(before func(ctx context.Context, ply int) error) (agents.Agent, error) {
	a, err := random.Kind().New(agents.Config{})
	return &wrapped{a, before}, err
}

// crashKind brings its process down, if that is a worker of a test.
func crashKind() agents.Kind {
	return agents.Kind{Name: "crash", New: func(agents.Config) (agents.Agent, error) {
		return wrap(func(context.Context, int) error {
			if os.Getenv(workerURL) != "" {
				os.Exit(3)
			}
			return nil
		})
	}}
}

// slowKind takes its time for each move.
func slowKind() agents.Kind {
	return agents.Kind{
		Name: "slow",
		Params: agents.ParamsOf(&struct {
			Sleep time.Duration `param:"sleep" default:"10ms" check:"0s..10s"`
		}{}),
		New: func(c agents.Config) (agents.Agent, error) {
			d, err := time.ParseDuration(c.Values["sleep"])
			if err != nil {
				return nil, err
			}
			return wrap(func(ctx context.Context, _ int) error {
				select {
				case <-time.After(d):
				case <-ctx.Done():
				}
				return ctx.Err()
			})
		},
	}
}

// heldKind plays at random when hold returns, which is called before each move.
func heldKind(hold func(ctx context.Context, ply int) error) agents.Kind {
	return agents.Kind{Name: "held", New: func(agents.Config) (agents.Agent, error) { return wrap(hold) }}
}

// gate holds agents back: South and North don't move at these plies and later ones.
type gate struct{ south, north atomic.Int64 }

// kind plays at random as far as the gate lets it.
func (g *gate) kind() agents.Kind {
	return heldKind(func(ctx context.Context, ply int) error {
		plies := &g.south
		if ply%2 == 1 {
			plies = &g.north
		}
		for int64(ply) >= plies.Load() {
			if !sleep(ctx, 10*time.Millisecond) {
				return ctx.Err()
			}
		}
		return nil
	})
}

// open lets all games end.
func (g *gate) open() {
	g.south.Store(math.MaxInt64)
	g.north.Store(math.MaxInt64)
}

// otherKind plays at random under another name.
func otherKind() agents.Kind {
	k := random.Kind()
	k.Name = "other"
	return k
}
