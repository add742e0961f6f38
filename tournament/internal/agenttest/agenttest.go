// Package agenttest has agents that play at random, and ones that do something wrong, for tests.
package agenttest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"

	"gyges/agents"
	"gyges/rules"
)

// Picker plays uniformly at random. If it is Scored, every third of its decisions has a score, so
// that records have nulls.
type Picker struct {
	agents.Base
	Scored bool

	Rand      *rand.Rand
	Moves     rules.MoveSet // that were legal when it was asked last
	Decisions int           // in this game
}

// NewGame implements [agents.Agent].
func (a *Picker) NewGame(_ context.Context, s agents.Setup) error {
	a.Rand = s.Rand()
	a.Decisions = 0
	return nil
}

// Choose implements [agents.Agent].
func (a *Picker) Choose(
	_ context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	g.LegalMoves(&a.Moves)
	a.Decisions++
	d := agents.Decision{Move: a.Moves.At(a.Rand.IntN(a.Moves.Len()))}
	if a.Scored {
		d.Scored = a.Decisions%3 == 0
		d.Score = agents.Score(a.Decisions)
		d.Depth = q.Limits.Depth
		d.Nodes = int64(a.Decisions)
	}
	return d, nil
}

// Faulty plays at random until its game's move number After, and then does something wrong.
type Faulty struct {
	Picker
	After int
	Wrong func(ctx context.Context, g *rules.Game) (agents.Decision, error)
}

// Choose implements [agents.Agent].
func (a *Faulty) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	if a.Decisions >= a.After {
		return a.Wrong(ctx, g)
	}
	return a.Picker.Choose(ctx, g, q)
}

// BrokenStart can't begin a game.
type BrokenStart struct{ Picker }

// NewGame implements [agents.Agent].
func (*BrokenStart) NewGame(context.Context, agents.Setup) error { return errors.New("no engine") }

// ErrTest is the error of agents that return one.
var ErrTest = errors.New("out of ideas")

// Wrongs are things that agents may do wrong, by name.
var Wrongs = map[string]func(context.Context, *rules.Game) (agents.Decision, error){
	"nomove": func(context.Context, *rules.Game) (agents.Decision, error) {
		return agents.Decision{}, nil
	},
	"illegal": func(context.Context, *rules.Game) (agents.Decision, error) {
		return agents.Decision{Move: rules.Pass}, nil
	},
	"error": func(context.Context, *rules.Game) (agents.Decision, error) {
		return agents.Decision{}, ErrTest
	},
	"panic": func(_ context.Context, g *rules.Game) (agents.Decision, error) {
		return agents.Decision{Move: g.Moves()[:0:0][len(g.Moves())]}, nil
	},
	"panicvalue": func(context.Context, *rules.Game) (agents.Decision, error) { panic(ErrTest) },
	"change": func(_ context.Context, g *rules.Game) (agents.Decision, error) {
		m := g.Legal().At(0)
		g.PlayLegal(m)
		return agents.Decision{Move: m}, nil
	},
	"block": func(ctx context.Context, _ *rules.Game) (agents.Decision, error) {
		<-ctx.Done()
		return agents.Decision{}, ctx.Err()
	},
	"goexit": func(context.Context, *rules.Game) (agents.Decision, error) {
		runtime.Goexit()
		return agents.Decision{}, nil
	},
}
