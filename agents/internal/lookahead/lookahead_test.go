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

// A move that leads to a position passed through is forbidden by superko whenever that was.
func TestRepetitionAlongTheLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for rule, forbidden := range map[string]bool{"superko": true, "none": false} {
		r := rules.MustParse("standard:repetition=" + rule)
		for range 50 {
			g := agenttest.RandomGame(r, rng, 6)
			p := g.Position()
			var ms rules.MoveSet
			g.LegalMoves(&ms)
			m := ms.At(rng.IntN(ms.Len()))
			if m.IsGoal() {
				continue // the game would be over
			}
			var l Line
			l.Begin(g)
			for turnsAgo := range 2 {
				if turnsAgo == 0 {
					l.Push(r.Apply(p, m))
				} else {
					l.Push(r.RandomSetup(rng))
				}
				l.Moves(p, &ms)
				require.Equal(t, !forbidden, ms.Contains(m), "%s, %d turns ago", rule, turnsAgo+1)
			}
		}
	}
}

func TestPlacementsDontCountAsTurns(t *testing.T) {
	r := rules.MustParse("standard:max_plies=7")
	g := rules.NewGame(r, r.Start())
	var ms rules.MoveSet
	var l Line
	for want := 7; want > 0; {
		l.Begin(g)
		require.Equal(t, want, l.Left())
		if !r.SettingUp(g.Position()) {
			want--
		}
		if g.LegalMoves(&ms); ms.Len() == 0 {
			break
		}
		g.PlayLegal(ms.At(0))
	}
}

func TestWinsNowAgreesWithTheMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := drawGame(t)
		g := rules.NewGame(drawn.Rules(), drawn.Position()) // without history, so without the rare exception
		checkWinsNow(t, g)
	})
}

func checkWinsNow(t require.TestingT, g *rules.Game) {
	p, side := g.Position(), g.Position().Side()
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	wins := false
	for m := range ms.All() {
		wins = wins || g.Rules().Outcome(g.Rules().Apply(p, m)) == rules.WinFor(side)
	}
	var l Line
	l.Begin(g)
	require.Equal(t, wins, l.WinsNow(p))
	m := l.WinningMove(p, &ms)
	require.Equal(t, wins, m != rules.NoMove)
	if wins {
		require.True(t, ms.Contains(m))
		require.Equal(t, rules.WinFor(side), g.Rules().Outcome(g.Rules().Apply(p, m)))
	}
}

// Under Kang an exit wins only if it is the last that is needed.
func TestAnExitIsNotYetAWin(t *testing.T) {
	r := rules.MustParse("kang")
	for goals, want := range map[string]bool{"0-2": false, "1-2": false, "2-2": true} {
		g := agenttest.Game(t, r, "000000/020000/220120/131133/000000/000300 s 000/000 "+goals+" -")
		p := r.Apply(r.Apply(g.Position(), parse(t, g, "b2xa3@c5")), parse(t, g, "pass"))
		var l Line
		l.Begin(rules.NewGame(r, p))
		require.True(t, r.CanReachGoal(p, p.Side()))
		require.Equal(t, want, l.WinsNow(p), goals)
	}
}

func parse(t *testing.T, g *rules.Game, text string) rules.Move {
	t.Helper()
	m, err := g.Rules().ParseMove(g.Position(), text)
	require.NoError(t, err)
	return m
}
