package lookahead

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/rules"
)

// Prologue handles the decisions that need no search: a random one during the
// set-up, and a move that wins at once. Where there is no such move, decided is
// false, l is the empty line at g's position, and ms holds the legal moves. The
// error is ctx's, or [rules.ErrOver] where there is no legal move.
func (l *Line) Prologue(
	ctx context.Context, g *rules.Game, rng *rand.Rand, ms *rules.MoveSet,
) (d agents.Decision, decided bool, err error) {
	if err := ctx.Err(); err != nil {
		return d, false, err
	}
	p := g.Position()
	if g.Rules().SettingUp(p) {
		d.Move, err = random.Move(g, rng)
		return d, true, err
	}
	g.LegalMoves(ms)
	if ms.Len() == 0 {
		return d, false, rules.ErrOver
	}
	l.Begin(g)
	m := l.WinningMove(p, ms)
	if m == rules.NoMove {
		return d, false, nil
	}
	return agents.Decision{Move: m, Scored: true, Score: agents.WinIn(1), Depth: 1, Nodes: 1, PV: []rules.Move{m}}, true, nil
}
