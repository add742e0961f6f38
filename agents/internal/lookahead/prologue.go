package lookahead

import (
	"cmp"
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/rules"
)

// Prologue makes the decisions of an agent that need no search: a random one during the set-up, and a move that wins at
// once. Where there is no such move, decided is false, l is the empty line at g's position, and ms holds the legal
// moves but for the excluded ones. The error is that of [agents.Request.Check], ctx's, or [rules.ErrOver] where no move
// is left.
func (l *Line) Prologue(
	ctx context.Context, a agents.Agent, g *rules.Game, q *agents.Request, rng *rand.Rand, ms *rules.MoveSet,
) (d agents.Decision, decided bool, err error) {
	if err := cmp.Or(q.Check(a.Capabilities()), ctx.Err()); err != nil {
		return d, false, err
	}
	g.LegalMoves(ms)
	for _, m := range q.Exclude {
		ms.Remove(m)
	}
	if ms.Len() == 0 {
		return d, false, rules.ErrOver
	}
	if g.Rules().SettingUp(g.Position()) {
		return agents.Decision{Move: ms.At(rng.IntN(ms.Len()))}, true, nil
	}
	l.Begin(g)
	m := l.WinningMove(g.Position(), ms)
	if m == rules.NoMove {
		return d, false, nil
	}
	d = agents.Decision{Move: m, Scored: true, Score: agents.WinIn(1), Depth: 1, Nodes: 1, PV: []rules.Move{m}}
	return d, true, nil
}
