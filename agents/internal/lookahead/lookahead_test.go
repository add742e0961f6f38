package lookahead

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// drawGame draws a rule set, short games among them, and a game in progress.
func drawGame(t *rapid.T) *rules.Game {
	name := rapid.SampledFrom([]string{
		"standard", "simplified", "kang", "russian", "turkish-basic", "turkish-advanced", "italian-kang", "cosmoludo",
		"simplified:max_plies=25", "kang:repetition=none",
	}).Draw(t, "rules")
	r := rules.MustParse(name)
	seed := rapid.Uint64().Draw(t, "seed")
	return agenttest.RandomGame(r, rand.New(rand.NewPCG(seed, 0)), rapid.IntRange(0, 40).Draw(t, "plies"))
}

func moves(ms *rules.MoveSet) []rules.Move {
	var list []rules.Move
	for m := range ms.All() {
		list = append(list, m)
	}
	return list
}

// A line agrees with a game of the same moves at each ply.
func TestLineAgreesWithGame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGame(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "line"), 0))
		var l Line
		l.Begin(g)
		start := g.Position()
		var inLine, inGame rules.MoveSet
		for n := 0; ; n++ {
			p := g.Position()
			require.Equal(t, n, l.Len())
			require.Equal(t, g.Rules().Options().MaxPlies-g.Ply(), l.Left())
			outcome, _ := g.Outcome()
			require.Equal(t, outcome, l.Outcome(p))
			if outcome != rules.Undecided || n == 12 {
				break
			}
			l.Moves(p, &inLine)
			g.LegalMoves(&inGame)
			require.Equal(t, moves(&inGame), moves(&inLine))
			// The shuffles of one piece bring the repetition rule into play.
			m := inLine.At(rng.IntN(min(inLine.Len(), 3)))
			l.Push(p)
			g.PlayLegal(m)
		}
		l.Rewind()
		require.Zero(t, l.Len())
		require.Equal(t, rules.Undecided, l.Outcome(start))
	})
}

func TestWinsNowAgreesWithTheMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGame(t)
		r, p := g.Rules(), g.Position()
		g = rules.NewGame(r, p) // without history, so without the rare exception
		winning := []rules.Move{}
		for m := range g.Legal().All() {
			if r.Outcome(r.Apply(p, m)) == rules.WinFor(p.Side()) {
				winning = append(winning, m)
			}
		}
		var l Line
		l.Begin(g)
		require.Equal(t, len(winning) > 0, l.WinsNow(p))
		if m := l.WinningMove(p, g.Legal()); m != rules.NoMove || len(winning) > 0 {
			require.Contains(t, winning, m)
			return
		}
		evasion := !l.Threatened(p)
		for m := range g.Legal().All() {
			next := r.Apply(p, m)
			evasion = evasion || !r.CanWin(next, next.Side())
		}
		var buffer rules.MoveSet
		require.Equal(t, evasion, l.HasEvasion(p, &buffer), r.FormatPosition(p))
	})
}
