package solver

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func evaluator(t testing.TB, r *rules.Rules) *eval.Evaluator {
	e, err := eval.ForRules(r)
	require.NoError(t, err)
	return e
}

// wins plays a strategy in a game against every reply, without the program's check: it
// reports whether winner reaches the goal within n plies in every line.
func wins(g *rules.Game, winner rules.Side, moves map[rules.Position]Answer, n int) bool {
	if o, _ := g.Outcome(); o != rules.Undecided || n == 0 {
		return o == rules.WinFor(winner)
	}
	p := g.Position()
	m, planned := moves[p]
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	any, all := false, true
	for next := range ms.All() {
		if p.Side() == winner && (planned && next != m.Move || !planned && !next.IsGoal()) {
			continue
		}
		g.PlayLegal(next)
		won := wins(g, winner, moves, n-1)
		g.Undo()
		any, all = any || won, all && won
	}
	return any && all
}

// shortest is how many plies a win takes at least, by the result of a search of the given number of plies.
func shortest(result, depth int) int {
	if result == 0 {
		return depth + 1
	}
	return max(result, -result)
}

// Short wins and losses are proven for the right side, and nothing is where brute force
// finds the other side to win.
func TestProofsAgreeWithSearch(t *testing.T) {
	t.Parallel()
	exits := false
	for _, c := range []struct {
		rules, goals string
		games        int
		least        int // games with a result within four plies that there must be
	}{
		{"italian-simplified", "", 30, 8},
		{"italian", "", 30, 8},
		{"turkish-basic", "", 30, 8},
		{"italian-kang", " 2-2 ", 30, 8},
		{"italian-kang", " 1-2 ", 30, 5},
		{"kang:relocation=false", " 2-1 ", 30, 8},
		{"kang:relocation=false", " 1-1 ", 60, 0},
	} {
		text := c.rules
		r := rules.MustParse(text)
		e, s, prover := evaluator(t, r), New(1), NewProver(DefaultProofMegabytes(100_000))
		rng := rand.New(rand.NewPCG(7, uint64(len(text))))
		proven := 0
		for range c.games {
			g := withGoals(t, agenttest.RandomGame(r, rng, 6+rng.IntN(14)), c.goals)
			if r.SettingUp(g.Position()) {
				continue
			}
			known := solve(t, s, g, 4)
			nodes := int64(100_000)
			if known.Plies == 0 {
				nodes = 2000
			}
			win, _, err := prover.Prove(t.Context(), rules.NewGame(r, g.Position()), e, 9, nodes)
			require.NoError(t, err)
			at := text + ": " + r.FormatPosition(g.Position())
			if win != nil {
				start, plies := rules.NewGame(r, g.Position()), win.Plies
				require.Len(t, win.Line, plies)
				exits = exits || slices.ContainsFunc(slices.Collect(maps.Values(win.Moves)), func(a Answer) bool { return a.Move.IsGoal() })
				require.True(t, wins(start, win.Winner, win.Moves, plies), at)
				require.False(t, wins(start, win.Winner, win.Moves, plies-1), "the longest game: %s", at)
				require.GreaterOrEqual(t, plies, shortest(known.Plies, 4), at)
			}
			if known.Plies == 0 {
				continue
			}
			proven++
			require.NotNil(t, win, at)
			winner := g.Position().Side()
			if known.Plies < 0 {
				winner = winner.Other()
			}
			require.Equal(t, winner, win.Winner, at)
		}
		require.GreaterOrEqual(t, proven, c.least, text)
	}
	require.True(t, exits, "no strategy has a goal before the last")
}

// Set-ups of the simplified rules that South wins, also with a table that is far too small.
func TestProofOfASetup(t *testing.T) {
	for _, c := range []struct {
		rules, position  string
		megabytes, nodes int
	}{
		{"italian-simplified", "312312/000000/000000/000000/000000/332121 s", 8, 200_000},
		{"simplified", "213132/000000/000000/000000/000000/213231 s", 1, 1_000_000},
	} {
		g, prover := agenttest.Game(t, rules.MustParse(c.rules), c.position), NewProver(c.megabytes)
		var wons [2]*Win
		for i := range wons {
			var err error
			wons[i], _, err = prover.Prove(t.Context(), g, evaluator(t, g.Rules()), MaxDepth, int64(c.nodes))
			require.NoError(t, err)
			require.NotNil(t, wons[i])
		}
		require.Equal(t, wons[0], wons[1], "the same search gives the same proof")
		require.Equal(t, rules.South, wons[0].Winner)
		require.True(t, wins(g, rules.South, wons[0].Moves, wons[0].Plies))
	}
	r := rules.MustParse("italian-simplified")
	g := agenttest.Game(t, r, "312312/000000/000000/000000/000000/332121 s")
	prover := NewProver(1)
	none, nodes, err := prover.Prove(t.Context(), g, evaluator(t, r), MaxDepth, 100)
	require.NoError(t, err)
	require.Nil(t, none)
	require.InDelta(t, 200, nodes, 100, "for each side")
}

// A search looks ahead as far as it may, further than the solver's own search does.
func TestProofDepth(t *testing.T) {
	r := rules.MustParse("italian-simplified")
	prove := func(g *rules.Game, plies int) *Win {
		win, _, err := NewProver(DefaultProofMegabytes(100_000)).Prove(t.Context(), g, evaluator(t, r), plies, 100_000)
		require.NoError(t, err)
		return win
	}
	short := agenttest.Game(t, r, "000300/000000/110000/020220/323100/013000 s")
	require.Nil(t, prove(short, 3))
	require.NotNil(t, prove(short, MaxProofDepth+1))
	long := agenttest.Game(t, r, "213132/000000/000000/000000/000000/321231 s")
	win := prove(long, 61)
	require.NotNil(t, win)
	require.Greater(t, win.Plies, prove(long, MaxDepth).Plies)
	require.True(t, wins(long, rules.South, win.Moves, win.Plies))
}

// The game's length bounds a proof.
func TestProofWithinTheGamesLength(t *testing.T) {
	for plies, proven := range map[string]bool{"5": true, "4": false} {
		r := rules.MustParse("italian-simplified:max_plies=" + plies)
		g := agenttest.Game(t, r, "232101/030000/000000/000100/003001/230200 s") // won in 5
		win, _, err := NewProver(1).Prove(t.Context(), g, evaluator(t, r), MaxDepth, 10_000)
		require.NoError(t, err)
		require.Equal(t, proven, win != nil)
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
	}{{t.Context(), rules.NewGame(r, r.Start()), ErrSetup}, {t.Context(), moved, ErrProofHistory}, {cancelled, g, context.Canceled}} {
		_, _, err := NewProver(1).Prove(c.ctx, c.game, evaluator(t, r), MaxDepth, 1_000_000)
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
	s := NewProver(DefaultProofMegabytes(nodes))
	s.rules, s.eval, s.ctx, s.maxPlies, s.maxNodes = free, evaluator(t, free), t.Context(), MaxDepth, nodes
	require.True(t, s.search(p, rules.South))
	_, _, err := strategy{free, rules.South, s.proven}.check(p)
	require.NoError(t, err)
	_, _, err = strategy{superko, rules.South, s.proven}.check(p)
	require.ErrorContains(t, err, "superko might forbid the move")

	win, _, err := s.Prove(t.Context(), g, evaluator(t, superko), MaxDepth, 2*nodes)
	require.NoError(t, err)
	require.NotNil(t, win)
	require.Equal(t, rules.South, win.Winner)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		playStrategy(t, rules.NewGame(superko, p), win, rng)
	}
}

// playStrategy plays South's strategy against a random North. After each of the moves that North
// has, too, the strategy's answer must be legal.
func playStrategy(t *testing.T, g *rules.Game, win *Win, rng *rand.Rand) {
	t.Helper()
	answer := func() rules.Move {
		a, planned := win.Moves[g.Position()]
		m := a.Move
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
	require.LessOrEqual(t, len(g.Moves()), win.Plies)
}

// A strategy that doesn't win is refused, whatever is wrong with it.
func TestStrategyCheck(t *testing.T) {
	r := rules.MustParse("italian-simplified")
	g := agenttest.Game(t, r, "232101/030000/000000/000100/003001/230200 s")
	p := g.Position()
	win, _, err := NewProver(DefaultProofMegabytes(10_000)).Prove(t.Context(), g, evaluator(t, r), 5, 10_000)
	require.NoError(t, err)
	good := win.Moves
	check := func(moves map[rules.Position]Answer) error {
		_, _, err := strategy{r, rules.South, moves}.check(p)
		return err
	}
	changed := func(at rules.Position, m rules.Move) map[rules.Position]Answer {
		c := map[rules.Position]Answer{at: {Move: m}}
		for q, n := range good {
			if q != at {
				c[q] = n
			}
		}
		return c
	}
	require.NoError(t, check(good))
	require.ErrorContains(t, check(nil), "it has no move")
	require.ErrorContains(t, check(changed(p, good[p].Move.Rotate())), "is not legal")
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	for m := range ms.All() {
		if m == good[p].Move {
			continue
		}
		if err := check(changed(p, m)); err == nil { // it wins, too
			win, _, err := strategy{r, rules.South, changed(p, m)}.check(p)
			require.NoError(t, err)
			require.True(t, wins(g, rules.South, win.Moves, 5))
		}
	}
	_, _, err = strategy{rules.MustParse("italian-simplified:max_plies=4"), rules.South, good}.check(p)
	require.ErrorContains(t, err, "it takes 5 plies, and a game ends after 4")
	_, _, err = strategy{r, rules.North, good}.check(p)
	require.ErrorContains(t, err, "it has no move")
}
