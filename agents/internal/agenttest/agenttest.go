// Package agenttest holds what the tests of several agents share.
package agenttest

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
)

// New makes the agent that a spec of the given kind names and prepares it for a game as the side to
// move in g.
func New(t testing.TB, kind agents.Kind, spec string, g *rules.Game) agents.Agent {
	t.Helper()
	s, err := agents.ParseSpec(spec)
	require.NoError(t, err)
	a, err := agents.NewRegistry(kind).New(s)
	require.NoError(t, err)
	require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 1)))
	return a
}

// Choose returns what a chooses in g, which must be legal, the expected line from first to last.
func Choose(t testing.TB, a agents.Agent, g *rules.Game, lim agents.Limits) agents.Decision {
	t.Helper()
	d := Ask(t, a, g, agents.Request{Limits: lim})
	for i, m := range d.PV {
		require.NoError(t, g.Play(m), "move %d of the expected line %v", i+1, d.PV)
	}
	for range d.PV {
		g.Undo()
	}
	return d
}

// Ask returns what a chooses in g at a request, which must be legal.
func Ask(t testing.TB, a agents.Agent, g *rules.Game, q agents.Request) agents.Decision {
	t.Helper()
	d, err := a.Choose(t.Context(), g, q)
	require.NoError(t, err)
	require.NoError(t, g.Check(d.Move))
	return d
}

// Game starts a game in a position given as text.
func Game(t testing.TB, r *rules.Rules, position string) *rules.Game {
	t.Helper()
	p, err := r.ParsePosition(position)
	require.NoError(t, err)
	return rules.NewGame(r, p)
}

// RandomGame plays at random from a random set-up, up to the given number of plies, and stops
// before the game is over.
func RandomGame(r *rules.Rules, rng *rand.Rand, plies int) *rules.Game {
	g := rules.NewGame(r, r.RandomSetup(rng))
	var ms rules.MoveSet
	for range plies {
		g.LegalMoves(&ms) // some, as the game isn't over
		g.PlayLegal(ms.At(rng.IntN(ms.Len())))
		if o, _ := g.Outcome(); o != rules.Undecided {
			g.Undo()
			break
		}
	}
	return g
}

// Wins plays a strategy in a game against every reply, without the program's check: it reports
// whether winner reaches the goal within n plies in every line. Where answer has no move, each move
// to the goal must win.
func Wins(
	g *rules.Game, winner rules.Side, answer func(rules.Position) (rules.Move, bool), n int,
) bool {
	if o, _ := g.Outcome(); o != rules.Undecided || n == 0 {
		return o == rules.WinFor(winner)
	}
	p := g.Position()
	planned, ok := answer(p)
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	tried := false
	for m := range ms.All() {
		if p.Side() == winner {
			wanted := m.IsGoal()
			if ok {
				wanted = m == planned
			}
			if !wanted {
				continue
			}
		}
		tried = true
		g.PlayLegal(m)
		won := Wins(g, winner, answer, n-1)
		g.Undo()
		if !won {
			return false
		}
	}
	return tried
}

// WinsNow are positions, published by others, in which the side to move wins at once under the
// standard rules.
var WinsNow = []string{
	// J. Zago, "Help gyges", pbmserv-users, 2001, after Claude Leroy's rules.
	"000020/302201/102303/001010/300000/000000 n", // by bounces
	"000000/201320/302110/302300/100000/000000 s", // by a course over the start square
	"000000/220200/003113/003000/002300/000101 n", // the end of a printed game
}

// CancelAfter returns a context that is cancelled after n calls of Err.
func CancelAfter(n int) context.Context { return &cancelAfter{context.Background(), n} }

type cancelAfter struct {
	context.Context
	n int
}

func (c *cancelAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}
