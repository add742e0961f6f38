package solver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/internal/agenttest"
	"gyges/agents/solver/proofnumber"
	"gyges/rules"
)

// brute is an independent solver: it plays all moves in a game and knows nothing else. It returns whether the side to
// move wins within n plies (odd n), or loses within n (even n).
func brute(g *rules.Game, n int) bool {
	if o, _ := g.Outcome(); o != rules.Undecided {
		return false
	}
	side := g.Position().Side()
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	for m := range ms.All() {
		g.PlayLegal(m)
		o, _ := g.Outcome()
		won := o == rules.WinFor(side)
		if n%2 == 1 {
			won = won || n > 1 && o == rules.Undecided && brute(g, n-1)
		} else {
			won = won || o != rules.Undecided || !bruteUpTo(g, n-1)
		}
		g.Undo()
		if won {
			return n%2 == 1
		}
	}
	return n%2 == 0
}

// bruteUpTo reports whether the side to move wins within n plies, an odd number.
func bruteUpTo(g *rules.Game, n int) bool { return n > 0 && (bruteUpTo(g, n-2) || brute(g, n)) }

// bruteResult returns Result.Plies.
func bruteResult(g *rules.Game, depth int) int {
	for n := 1; n <= depth; n++ {
		switch {
		case !brute(g, n):
		case n%2 == 1:
			return n
		default:
			return -n
		}
	}
	return 0
}

func solve(t testing.TB, s *Solver, g *rules.Game, depth int) Result {
	t.Helper()
	before := g.Position()
	r, err := s.Solve(context.Background(), g, depth)
	require.NoError(t, err)
	require.Equal(t, before, g.Position())
	checkLine(t, g, r)
	return r
}

// checkLine plays the line of a result.
func checkLine(t testing.TB, g *rules.Game, r Result) {
	t.Helper()
	require.Len(t, r.Line, max(r.Plies, -r.Plies))
	if r.Plies == 0 {
		return
	}
	winner := g.Position().Side()
	if r.Plies < 0 {
		winner = winner.Other()
	}
	line := rules.NewGame(g.Rules(), g.Start())
	for _, m := range append(append([]rules.Move(nil), g.Moves()...), r.Line...) {
		require.NoError(t, line.Play(m))
	}
	o, _ := line.Outcome()
	require.Equal(t, rules.WinFor(winner), o)
}

// shuffled plays a game in which players choose among few moves, so that
// positions come near to those that stood before.
func shuffled(r *rules.Rules, start rules.Position, rng *rand.Rand, plies int) *rules.Game {
	g := rules.NewGame(r, start)
	var ms rules.MoveSet
	for range plies {
		g.LegalMoves(&ms)
		g.PlayLegal(ms.At(rng.IntN(min(ms.Len(), 4))))
		if o, _ := g.Outcome(); o != rules.Undecided {
			g.Undo()
			break
		}
	}
	return g
}

func TestAgreesWithBruteForce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules, goals string
		depth, games int
		least        int // wins, losses and others that there must be of each
	}{
		{"standard", "", 3, 150, 10},
		{"simplified", "", 4, 400, 40},
		{"simplified:repetition=none", "", 4, 200, 15},
		{"simplified:max_plies=14", "", 4, 200, 5},
		{"kang", " 2-2 ", 3, 100, 2},
		{"kang", " 1-2 ", 3, 60, 1},
		{"kang:relocation=false", " 2-1 ", 4, 150, 2},
		{"kang:relocation=false", " 1-2 ", 4, 150, 2},
		{"kang:kang_entry=optional", " 2-2 ", 3, 120, 2},
		{"turkish-basic:null_move=allow", "", 4, 150, 10},
		{"standard:door_rule=directed", "", 2, 100, 5},
	} {
		t.Run(c.rules+c.goals, func(t *testing.T) {
			t.Parallel()
			s := New(1)
			r := rules.MustParse(c.rules)
			rng := rand.New(rand.NewPCG(1, uint64(len(c.rules))))
			var seen [3]int
			for range c.games {
				g := withGoals(t, agenttest.RandomGame(r, rng, rng.IntN(19)), c.goals)
				if rng.IntN(2) == 0 {
					g = shuffled(r, g.Position(), rng, 12)
				}
				if r.SettingUp(g.Position()) {
					continue
				}
				want := bruteResult(g, c.depth)
				got := solve(t, s, g, c.depth)
				require.Equal(t, want, got.Plies, "%s after %v", r.FormatPosition(g.Position()), g.Moves())
				seen[1+min(max(want, -1), 1)]++
			}
			for i := range seen {
				require.GreaterOrEqual(t, seen[i], c.least, "%v", seen)
			}
		})
	}
}

// withGoals starts a game in the position of g, with other goals under Kang.
func withGoals(t *testing.T, g *rules.Game, goals string) *rules.Game {
	t.Helper()
	if goals == "" {
		return g
	}
	text := []byte(g.Rules().FormatPosition(g.Position()))
	copy(text[51:], goals)
	return agenttest.Game(t, g.Rules(), string(text))
}

// Positions are drawn near those that stood before, until there are some whose
// result the repetition rule changes, and the solver must know which.
func TestHistoryMatters(t *testing.T) {
	s := New(1)
	r := rules.MustParse("simplified")
	rng := rand.New(rand.NewPCG(5, 5))
	const depth = 4
	changed := 0
	for games := 0; changed < 10; games++ {
		require.Less(t, games, 5000)
		start := agenttest.RandomGame(r, rng, 4+rng.IntN(12)).Position()
		g := shuffled(r, start, rng, 24)
		fresh := rules.NewGame(r, g.Position())
		with, without := solve(t, s, g, depth), solve(t, s, fresh, depth)
		if with.Plies != without.Plies {
			changed++
			require.Equal(t, bruteResult(g, depth), with.Plies, "%s after %v", r.FormatPosition(g.Position()), g.Moves())
			require.Equal(t, bruteResult(fresh, depth), without.Plies)
		}
	}
}

func TestKnownResults(t *testing.T) {
	s := New(1)
	for _, c := range []struct {
		rules, position string
		plies           int
	}{
		{"standard", "200000/200200/003113/003000/002300/000101 s", -2},
		{"standard", "210201/002300/000030/000000/000003/130102 n", 3},
		{"standard", "000003/001023/000200/302000/210013/000100 n", 3},
		{"standard", "120000/000003/000301/031022/000000/030201 s", -4},
		{"standard", "000100/300002/330230/101000/200000/002100 s", 5},
		{"simplified", "000002/010201/033203/000000/103201/000000 n", 3},
		{"simplified", "000023/022001/002000/010330/000300/110000 n", -4},
		{"simplified", "232101/030000/000000/000100/003001/230200 s", 5},
		{"kang", "000000/020000/220120/131133/000000/000300 s 000/000 2-0 -", 3},
	} {
		n := max(c.plies, -c.plies)
		r := rules.MustParse(c.rules)
		g := agenttest.Game(t, r, c.position)
		got := solve(t, s, g, n+1)
		require.Equal(t, c.plies, got.Plies, c.position)
		require.Equal(t, n, got.Depth)
		got = solve(t, s, g, n-1)
		require.Zero(t, got.Plies)
		require.Equal(t, n-1, got.Depth)

		// A game that ends before the goal is reached is drawn.
		for plies, want := range map[int]int{n - 1: 0, n: c.plies} {
			short := rules.MustParse(fmt.Sprintf("%s:max_plies=%d", c.rules, plies))
			got := solve(t, s, agenttest.Game(t, short, c.position), n+2)
			require.Equal(t, want, got.Plies, "%s, %d plies", c.position, plies)
		}
	}
	for _, c := range agenttest.WinsNow {
		require.Equal(t, 1, solve(t, s, agenttest.Game(t, rules.MustParse("standard"), c), 1).Plies)
	}
}

func TestCancellation(t *testing.T) {
	s := New(1)
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	for _, n := range []int{0, 1, 5, 100} {
		r, err := s.Solve(agenttest.CancelAfter(n), g, 9)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, r.Plies)
		require.LessOrEqual(t, r.Nodes, int64((n+1)*pollEvery))
	}
	r := solve(t, s, g, 3)
	require.Equal(t, 3, r.Depth, "usable afterwards")
}

func TestRefusals(t *testing.T) {
	s := New(0)
	r := rules.MustParse("standard")
	g := rules.NewGame(r, r.RandomSetup(rand.New(rand.NewPCG(1, 1))))
	for _, depth := range []int{-1, 0, MaxDepth + 1} {
		_, err := s.Solve(t.Context(), g, depth)
		require.ErrorContains(t, err, "depth: expected 1 to 31, found")
	}
	_, err := s.Solve(t.Context(), rules.NewGame(r, r.Start()), 3)
	require.ErrorIs(t, err, proofnumber.ErrSetup)
}

func TestNoAllocationPerPosition(t *testing.T) {
	s := New(1)
	g := agenttest.Game(t, rules.MustParse("standard"), "000100/300002/330230/101000/200000/002100 s")
	var nodes int64
	allocs := testing.AllocsPerRun(3, func() {
		r, err := s.Solve(context.Background(), g, 5)
		require.NoError(t, err)
		nodes = r.Nodes
	})
	require.Greater(t, nodes, int64(50))
	require.Less(t, allocs, 30.0, "a few for the line")
}

// shortest is how many plies a win takes at least, by the result of a search of the given number of plies.
func shortest(result, depth int) int {
	if result == 0 {
		return depth + 1
	}
	return max(result, -result)
}

// Short wins and losses are proven for the right side, and nothing is where brute force finds the other side to win.
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
		e, err := eval.ForRules(r)
		require.NoError(t, err)
		s, prover := New(1), proofnumber.New(proofnumber.DefaultMegabytes(100_000))
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
				start, plies := rules.NewGame(r, g.Position()), win.Roots[0].Plies
				require.Len(t, win.Line(g.Position()), plies)
				for _, m := range win.All() {
					exits = exits || m.IsGoal()
				}
				require.True(t, agenttest.Wins(start, win.Winner, win.Answer, plies), at)
				require.False(t, agenttest.Wins(start, win.Winner, win.Answer, plies-1), "the longest game: %s", at)
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

// The solutions of a list come in its order, whoever finds them first, until an error.
func TestList(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("simplified")
	rng := rand.New(rand.NewPCG(2, 2))
	games := make([]*rules.Game, 12)
	for i := range games {
		games[i] = rules.NewGame(r, agenttest.RandomGame(r, rng, 2*i).Position())
	}
	full := errors.New("disk full")
	for _, s := range []Search{{Depth: 3}, {Depth: 5, Nodes: 200, MoveTime: time.Minute}} {
		for _, most := range []int{len(games), 4} {
			found := 0
			err := s.List(t.Context(), r, games, 3, func(solution Solution) error {
				if found == most {
					return full
				}
				require.Same(t, games[found], solution.Game)
				found++
				return nil
			})
			require.Equal(t, most, found, "%v", err)
			require.Equal(t, most < len(games), errors.Is(err, full))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Search{Depth: 3}.List(ctx, r, games, 3, nil), context.Canceled)
}
