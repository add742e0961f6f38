// Package random is the agent that plays any legal move.
package random

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/rules"
)

// Kind returns the kind of agent that draws every move uniformly from the legal ones.
func Kind() agents.Kind {
	return agents.Kind{
		Name:  "random",
		Doc:   "plays a legal move drawn uniformly",
		Light: func(agents.Config) bool { return true },
		New:   func(agents.Config) (agents.Agent, error) { return &player{}, nil },
	}
}

type player struct {
	agents.Base
	rng *rand.Rand
}

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	a.rng = s.Rand()
	return nil
}

func (a *player) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	if err := q.Check(a.Capabilities()); err != nil {
		return agents.Decision{}, err
	}
	if err := ctx.Err(); err != nil {
		return agents.Decision{}, err
	}
	m, err := Move(g, a.rng)
	return agents.Decision{Move: m}, err
}

// Move draws a legal move of g uniformly. Drawn so move by move, a set-up is distributed uniformly
// over all that the rules allow. The error is [rules.ErrOver] when the game is over.
func Move(g *rules.Game, rng *rand.Rand) (rules.Move, error) {
	moves := g.Legal()
	if moves.Len() == 0 {
		return rules.NoMove, rules.ErrOver
	}
	return moves.At(rng.IntN(moves.Len())), nil
}
