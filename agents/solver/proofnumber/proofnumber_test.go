package proofnumber

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/internal/agenttest"
	"gyges/agents/solver/strategy"
	"gyges/rules"
)

func evaluator(t testing.TB, r *rules.Rules) *eval.Evaluator {
	e, err := eval.ForRules(r)
	require.NoError(t, err)
	return e
}

// prove returns a proof of the position of g within some plies and nodes, nil if none is found.
func prove(t *testing.T, s *Prover, g *rules.Game, plies int, nodes int64) *strategy.Strategy {
	t.Helper()
	win, _, err := s.Prove(t.Context(), g, evaluator(t, g.Rules()), plies, nodes)
	require.NoError(t, err)
	return win
}

// requireWins plays a strategy of South without the program's check.
func requireWins(t *testing.T, g *rules.Game, win *strategy.Strategy) {
	t.Helper()
	require.NotNil(t, win)
	require.Equal(t, rules.South, win.Winner)
	require.True(t, agenttest.Wins(g, rules.South, win.Answer, win.Roots[0].Plies))
}

// Set-ups of the simplified rules that South wins, also with a table that is far too small.
func TestProofOfASetup(t *testing.T) {
	for _, c := range []struct {
		rules, position string
		megabytes       int
		nodes           int64
	}{
		{"italian-simplified", "312312/000000/000000/000000/000000/332121 s", 8, 200_000},
		{"simplified", "213132/000000/000000/000000/000000/213231 s", 1, 1_000_000},
	} {
		g, prover := agenttest.Game(t, rules.MustParse(c.rules), c.position), New(c.megabytes)
		win := prove(t, prover, g, 31, c.nodes)
		requireWins(t, g, win)
		require.Equal(t, win, prove(t, prover, g, 31, c.nodes), "the same search gives the same proof")
	}
	g := agenttest.Game(t, rules.MustParse("italian-simplified"), "312312/000000/000000/000000/000000/332121 s")
	none, nodes, err := New(1).Prove(t.Context(), g, evaluator(t, g.Rules()), 31, 100)
	require.NoError(t, err)
	require.Nil(t, none)
	require.InDelta(t, 200, nodes, 100, "for each side")
}

// A search looks ahead as far as it may, and no further than the game lasts.
func TestProofDepth(t *testing.T) {
	r := rules.MustParse("italian-simplified")
	s := New(DefaultMegabytes(100_000))
	short := agenttest.Game(t, r, "000300/000000/110000/020220/323100/013000 s")
	require.Nil(t, prove(t, s, short, 3, 100_000))
	require.NotNil(t, prove(t, s, short, MaxDepth+1, 100_000))
	long := agenttest.Game(t, r, "213132/000000/000000/000000/000000/321231 s")
	win := prove(t, s, long, 61, 100_000)
	requireWins(t, long, win)
	require.Greater(t, win.Roots[0].Plies, prove(t, s, long, 31, 100_000).Roots[0].Plies)
	for plies, proven := range map[string]bool{"5": true, "4": false} {
		r := rules.MustParse("italian-simplified:max_plies=" + plies)
		g := agenttest.Game(t, r, "232101/030000/000000/000100/003001/230200 s") // won in 5
		require.Equal(t, proven, prove(t, s, g, 31, 10_000) != nil)
	}
}

func TestProofErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	r := rules.MustParse("simplified")
	g := agenttest.Game(t, r, "312312/000000/000000/000000/000000/332121 s")
	moved := rules.NewGame(r, g.Position())
	moved.PlayLegal(moved.Legal().At(0))
	for _, c := range []struct {
		ctx  context.Context
		game *rules.Game
		want error
	}{{t.Context(), rules.NewGame(r, r.Start()), ErrSetup}, {t.Context(), moved, ErrHistory}, {cancelled, g, context.Canceled}} {
		_, _, err := New(1).Prove(c.ctx, c.game, evaluator(t, r), 31, 1_000_000)
		require.ErrorIs(t, err, c.want)
	}
}

// Under superko a strategy is refused in which a move may bring back a position with the
// other side to move, and another one is found. It wins games with their whole history.
func TestProofUnderSuperko(t *testing.T) {
	const nodes = 1_000_000
	free, superko := rules.MustParse("italian-simplified"), rules.MustParse("simplified")
	g := agenttest.Game(t, superko, "231132/000000/000000/000000/000000/112233 s")
	p := g.Position()
	s := New(DefaultMegabytes(nodes))
	s.rules, s.eval, s.ctx, s.maxPlies, s.maxNodes = free, evaluator(t, free), t.Context(), 31, nodes
	require.True(t, s.search(p, rules.South))
	_, unsafe, err := strategy.Play(free, rules.South, []rules.Position{p}, s.answer)
	require.NoError(t, err)
	require.Empty(t, unsafe)
	_, unsafe, err = strategy.Play(superko, rules.South, []rules.Position{p}, s.answer)
	require.NoError(t, err)
	require.NotEmpty(t, unsafe)

	win := prove(t, s, g, 31, 2*nodes)
	requireWins(t, g, win)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		playStrategy(t, rules.NewGame(superko, p), win, rng)
	}
}

// playStrategy plays South's strategy against a random North. After each of the moves that North
// has, too, the strategy's answer must be legal.
func playStrategy(t *testing.T, g *rules.Game, win *strategy.Strategy, rng *rand.Rand) {
	t.Helper()
	answer := func() rules.Move {
		m, planned := win.Answer(g.Position())
		if !planned {
			m = g.Rules().GoalMove(g.Position(), rules.South)
		}
		require.True(t, g.Legal().Contains(m))
		return m
	}
	for o := rules.Undecided; o == rules.Undecided; o, _ = g.Outcome() {
		if g.Position().Side() == rules.South {
			g.PlayLegal(answer())
			continue
		}
		var replies rules.MoveSet
		g.LegalMoves(&replies)
		for m := range replies.All() {
			g.PlayLegal(m)
			answer()
			g.Undo()
		}
		g.PlayLegal(replies.At(rng.IntN(replies.Len())))
	}
	o, _ := g.Outcome()
	require.Equal(t, rules.SouthWins, o)
	require.LessOrEqual(t, len(g.Moves()), win.Roots[0].Plies)
}
