package solver

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

func shippedProofs(t *testing.T) *Proofs {
	t.Helper()
	p, err := Shipped()
	require.NoError(t, err)
	return p
}

// shippedRoots are the roots of the strategies, those of the mirror images included, and their plies.
func shippedRoots(t *testing.T) map[rules.Position]Win {
	t.Helper()
	roots := map[rules.Position]Win{}
	for _, s := range shippedProofs(t).strategies {
		for _, root := range s.roots {
			k := Win{Winner: s.winner, Plies: root.Plies}
			roots[root.Position], roots[root.Position.Mirror()] = k, k
		}
	}
	return roots
}

func TestLookupKnowsEveryRoot(t *testing.T) {
	roots := shippedRoots(t)
	require.GreaterOrEqual(t, len(roots), 270) // 137 and their mirror images, which of a few are the same
	for _, name := range []string{"simplified", "italian-simplified"} {
		r := rules.MustParse(name)
		for p, want := range roots {
			k, ok := shippedProofs(t).Lookup(rules.NewGame(r, p))
			require.True(t, ok, r.FormatPosition(p))
			require.Equal(t, want.Winner, k.Winner)
			require.Equal(t, want.Plies, k.Plies)
			require.Len(t, k.Line, k.Plies)
		}
	}
}

// TestLookupWins plays the winner's moves against random ones by the rules of the game alone, its history included.
func TestLookupWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"simplified", "italian-simplified"} {
		r := rules.MustParse(name)
		for p, root := range shippedRoots(t) {
			g := rules.NewGame(r, p)
			for left := root.Plies; ; left-- {
				if o, reason := g.Outcome(); o != rules.Undecided {
					require.Equal(t, rules.WinFor(root.Winner), o, reason)
					break
				}
				k, ok := shippedProofs(t).Lookup(g)
				require.True(t, ok, r.FormatPosition(g.Position()))
				require.LessOrEqual(t, k.Plies, left)
				m := k.Line[0]
				if left = k.Plies; g.Position().Side() != k.Winner {
					m = g.Legal().At(rng.IntN(g.Legal().Len()))
				}
				require.NoError(t, g.Play(m))
			}
		}
	}
}

// TestLookupAgreesWithTheSolver compares short wins with a search that uses no strategy.
func TestLookupAgreesWithTheSolver(t *testing.T) {
	r := rules.MustParse("italian-simplified")
	solver := New(1)
	compared := 0
	for p := range shippedRoots(t) {
		k, ok := shippedProofs(t).Lookup(rules.NewGame(r, p))
		require.True(t, ok)
		if k.Plies < 5 {
			continue
		}
		for _, m := range k.Line[:k.Plies-5] {
			p = r.Apply(p, m)
		}
		g := rules.NewGame(r, p)
		k, ok = shippedProofs(t).Lookup(g)
		require.True(t, ok)
		require.Equal(t, 5, k.Plies)
		found, err := solver.Solve(context.Background(), g, 5)
		require.NoError(t, err)
		require.Positive(t, found.Plies)
		require.Equal(t, p.Side(), k.Winner)
		compared++
	}
	require.GreaterOrEqual(t, compared, 250)
}

func TestLookupEndsWhereTheWinnerLeavesTheStrategy(t *testing.T) {
	p := rules.MustParse("simplified")
	start, err := p.ParsePosition("213132/000000/000000/000000/000000/123213 s")
	require.NoError(t, err)
	proofs := shippedProofs(t)
	left := 0
	for _, m := range legalMoves(p, start) {
		g := rules.NewGame(p, start)
		k, _ := proofs.Lookup(g)
		require.NoError(t, g.Play(m))
		_, known := proofs.Lookup(g)
		require.Equal(t, m == k.Line[0], known, m)
		if !known {
			left++
		}
	}
	require.Positive(t, left)
}

func legalMoves(r *rules.Rules, p rules.Position) (list []rules.Move) {
	for m := range rules.NewGame(r, p).Legal().All() {
		list = append(list, m)
	}
	return list
}

func TestLookupOfSetups(t *testing.T) {
	r := rules.MustParse("simplified")
	lookup := func(text string) (Win, bool) {
		p, err := r.ParsePosition(text)
		require.NoError(t, err)
		return shippedProofs(t).Lookup(rules.NewGame(r, p))
	}
	k, ok := lookup("112233/000000/000000/000000/000000/112323 s")
	require.True(t, ok)
	require.Equal(t, "South wins in at most 19 plies", k.Text())
	require.Empty(t, k.Line)
	mirrored, ok := lookup("332211/000000/000000/000000/000000/323211 s")
	require.True(t, ok)
	require.Equal(t, k, mirrored)
	k, ok = lookup("213132/000000/000000/000000/000000/123213 s")
	require.True(t, ok)
	require.Equal(t, "South wins in at most 15 plies", k.Text())
	_, ok = lookup("112233/000000/000000/000000/000000/112323 n") // no set-up: South begins
	require.False(t, ok)
}

func TestLookupIsOfItsRules(t *testing.T) {
	for name, want := range map[string]bool{
		"simplified": true, "italian-simplified": true, "simplified:max_plies=100": true, "standard": false, "kang": false,
		"simplified:null_move=allow": false, "turkish-basic": false, "simplified:max_plies=14": false,
	} {
		r := rules.MustParse(name)
		g := rules.NewGame(r, r.Start())
		if !r.Options().Kang {
			p, err := r.ParsePosition("213132/000000/000000/000000/000000/123213 s")
			require.NoError(t, err)
			g = rules.NewGame(r, p)
		}
		_, ok := shippedProofs(t).Lookup(g)
		require.Equal(t, want, ok, name)
	}
}

func TestWinText(t *testing.T) {
	require.Equal(t, "North wins in at most 1 ply", (&Win{Winner: rules.North, Plies: 1}).Text())
	require.Equal(t, "South wins in at most 25 plies", (&Win{Winner: rules.South, Plies: 25}).Text())
}
