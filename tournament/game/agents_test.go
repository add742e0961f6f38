package game

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// picker plays uniformly at random. Every third of its decisions has a score, so that records have
// nulls.
type picker struct {
	agents.Base
	rng    *rand.Rand
	ms     rules.MoveSet
	scored bool
	n      int
}

func (a *picker) NewGame(_ context.Context, s agents.Setup) error {
	a.rng, a.n = s.Rand(), 0
	return nil
}

func (a *picker) Choose(_ context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	g.LegalMoves(&a.ms)
	a.n++
	d := agents.Decision{Move: a.ms.At(a.rng.IntN(a.ms.Len()))}
	if a.scored {
		d.Scored, d.Score, d.Depth, d.Nodes = a.n%3 == 0, agents.Score(a.n), q.Limits.Depth, int64(a.n)
	}
	return d, nil
}

// faulty plays at random until its game's move number after, and then does something wrong.
type faulty struct {
	picker
	after int
	wrong func(ctx context.Context, g *rules.Game) (agents.Decision, error)
}

func (a *faulty) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if a.n >= a.after {
		return a.wrong(ctx, g)
	}
	return a.picker.Choose(ctx, g, q)
}

// brokenStart can't begin a game.
type brokenStart struct{ picker }

func (*brokenStart) NewGame(context.Context, agents.Setup) error { return errors.New("no engine") }

var errTest = errors.New("out of ideas")

// wrongs are things agents may do, by name.
func wrongs() map[string]func(context.Context, *rules.Game) (agents.Decision, error) {
	return map[string]func(context.Context, *rules.Game) (agents.Decision, error){
		"nomove": func(context.Context, *rules.Game) (agents.Decision, error) { return agents.Decision{}, nil },
		"illegal": func(context.Context, *rules.Game) (agents.Decision, error) {
			return agents.Decision{Move: rules.Pass}, nil
		},
		"error": func(context.Context, *rules.Game) (agents.Decision, error) { return agents.Decision{}, errTest },
		"panic": func(_ context.Context, g *rules.Game) (agents.Decision, error) {
			return agents.Decision{Move: g.Moves()[:0:0][len(g.Moves())]}, nil
		},
		"panicvalue": func(context.Context, *rules.Game) (agents.Decision, error) { panic(errTest) },
		"change": func(_ context.Context, g *rules.Game) (agents.Decision, error) {
			var ms rules.MoveSet
			g.LegalMoves(&ms)
			g.PlayLegal(ms.At(0))
			return agents.Decision{Move: ms.At(0)}, nil
		},
		"block": func(ctx context.Context, _ *rules.Game) (agents.Decision, error) {
			<-ctx.Done()
			return agents.Decision{}, ctx.Err()
		},
	}
}

func decideBy(choose func(g *rules.Game) rules.Move) func(context.Context, *rules.Game) (agents.Decision, error) {
	return func(_ context.Context, g *rules.Game) (agents.Decision, error) {
		return agents.Decision{Move: choose(g)}, nil
	}
}

// newTestGame returns a game of two agents from a random set-up, or four random plies of Kang,
// after which it goes on.
func newTestGame(t require.TestingT, r *rules.Rules, seed uint64, south, north agents.Agent) *Task {
	rng, g := rand.New(rand.NewPCG(seed, 0)), rules.NewGame(r, r.Start())
	for r.SettingUp(g.Position()) || r.Options().Kang && g.Ply() < 4 {
		moves := g.Legal()
		require.NoError(t, g.Play(moves.At(rng.IntN(moves.Len()))))
	}
	return &Task{
		Number: 3, Pair: 1, Rules: r, Opening: g.Position(),
		Settings: Settings{Openings: schedule.Openings{Policy: "random"}},
		Seats:    [2]Seat{{Name: "s", Seed: seed, Agent: south}, {Name: "n", Seed: seed + 1, Agent: north}},
	}
}

func presetNames() []string {
	var names []string
	for _, p := range rules.Presets() {
		names = append(names, p.Name)
	}
	return names
}
