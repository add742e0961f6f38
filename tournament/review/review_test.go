package review

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/tournament/record"
)

// replayed returns a game from a position after moves.
func replayed(t *testing.T, ruleSet, opening string, moves ...string) *rules.Game {
	t.Helper()
	r := rules.MustParse(ruleSet)
	start, err := r.ParsePosition(opening)
	require.NoError(t, err)
	g := rules.NewGame(r, start)
	for _, text := range moves {
		require.NoError(t, g.Play(parsed(t, g, text)))
	}
	return g
}

func parsed(t *testing.T, g *rules.Game, move string) rules.Move {
	t.Helper()
	m, err := g.Rules().ParseMove(g.Position(), move)
	require.NoError(t, err)
	return m
}

// played returns the record of a game from a position; the side that is to move after the moves resigns
// unless they end the game.
func played(t *testing.T, ruleSet, opening string, moves ...string) *record.Record {
	t.Helper()
	g := replayed(t, ruleSet, opening, moves...)
	rec := &record.Record{
		Rules: ruleSet, Opening: opening, Policy: "test", South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
		Moves: moves, Plies: g.Ply(), Reason: record.Resignation, Result: rules.WinFor(g.Position().Side().Other()).String(),
	}
	if o, reason := g.Outcome(); o != rules.Undecided {
		rec.Result, rec.Reason = o.String(), string(reason)
	}
	return rec
}

func reviewed(t *testing.T, rec *record.Record) *Review {
	t.Helper()
	g, err := New(5000).Game(t.Context(), rec, nil)
	require.NoError(t, err)
	require.Len(t, g.Moves, len(rec.Moves))
	return g
}

// only returns the only move of a game's review.
func only(t *testing.T, rec *record.Record) Move {
	t.Helper()
	return reviewed(t, rec).Moves[0]
}

// randomPosition returns a position after random moves in which the game goes on.
func randomPosition(r *rules.Rules, rng *rand.Rand) *rules.Game {
	for {
		g := rules.NewGame(r, r.RandomSetup(rng))
		for range 4 + rng.IntN(14) {
			if g.Legal().Len() > 0 {
				g.PlayLegal(g.Legal().At(rng.IntN(g.Legal().Len())))
			}
		}
		if o, _ := g.Outcome(); o == rules.Undecided {
			return rules.NewGame(r, g.Position())
		}
	}
}

// The exhaustive solver knows what a move did within a few plies; the review must say the same.
func TestAgreesWithSolver(t *testing.T) {
	s := solver.New(1)
	seen := map[string]int{}
	for _, name := range []string{"standard", "simplified", "kang"} {
		r, rng := rules.MustParse(name), rand.New(rand.NewPCG(1, 2))
		for range 30 {
			g := randomPosition(r, rng)
			made := g.Legal().At(rng.IntN(g.Legal().Len()))
			rec := played(t, name, r.FormatPosition(g.Position()), made.String())
			checkMove(t, s, g, made, only(t, rec), seen)
		}
	}
	for _, what := range []string{"missed goal", "allowed goal", "lost", "won", "held"} {
		require.Positive(t, seen[what], what)
	}
}

// checkMove compares a reviewed move with what the solver knows, and counts the cases.
func checkMove(t *testing.T, s *solver.Solver, g *rules.Game, made rules.Move, m Move, seen map[string]int) {
	t.Helper()
	text := g.Rules().String() + " " + g.Rules().FormatPosition(g.Position()) + " " + made.String()
	before, err := s.Solve(t.Context(), g, 4)
	require.NoError(t, err)
	only := g.Legal().Len() == 1
	g.PlayLegal(made)
	outcome, _ := g.Outcome()
	after, err := s.Solve(t.Context(), g, 2)
	require.NoError(t, err)
	g.Undo()
	loses := before.Plies != -2 && after.Plies == 1
	switch {
	case only:
		require.Equal(t, Forced, m.Mark, text)
	case outcome == rules.WinFor(g.Position().Side()) || after.Plies == -2:
		seen["won"]++
		require.Equal(t, 1.0, m.After, text)
		require.Zero(t, m.Loss, text)
	case before.Plies == 1 && loses:
		seen["missed goal"]++
		require.Equal(t, []any{MissedWin, MissedGoal, 1.0, 0.0}, []any{m.Mark, m.Kind, m.Before, m.After}, text)
		require.Equal(t, agents.WinIn(1), m.Best, text)
		require.Len(t, m.Line, 1, text)
	case before.Plies == 1:
		require.Equal(t, 1.0, m.Before, text)
	case loses:
		seen["allowed goal"]++
		require.Zero(t, m.After, text)
		require.Equal(t, -agents.WinIn(2), m.Score, text)
		if m.Loss >= Inaccurate {
			require.Equal(t, AllowedGoal, m.Kind, text)
		}
	case before.Plies < 0:
		seen["lost"]++
		require.Zero(t, m.Loss, text)
	default:
		seen["held"]++
	}
}

// documented returns the winning probability by the formula of the manual, with the scale in hundredths of a point.
func documented(s agents.Score, scale float64) float64 {
	switch plies, proven := s.Proven(); {
	case proven && plies > 0:
		return 1
	case proven:
		return 0
	}
	return 1 / (1 + math.Exp(-float64(s)/scale))
}

// What each move of whole games lost is computed again, from its scores by the formulas of the manual.
func TestLossAsDocumented(t *testing.T) {
	const rounding = 0.000_051
	r := New(500)
	for name, scale := range map[string]float64{"standard": 45, "simplified": 68, "kang": 135} {
		for _, rec := range randomGames(t, name, map[string]int{"standard": 6, "simplified": 8, "kang": 2}[name]) {
			g, err := r.Game(t.Context(), rec, nil)
			require.NoError(t, err)
			sums, judged := map[string]float64{}, map[string]int{}
			_, err = record.ReplayEach(rec, func(game *rules.Game, _ rules.Move) {
				m := g.Moves[len(game.Moves())]
				if !m.Judged() {
					return
				}
				at := name + " " + game.Rules().FormatPosition(game.Position()) + " " + m.Move
				require.InDelta(t, documented(m.Best, scale), m.Before, rounding, at)
				require.InDelta(t, documented(m.Score, scale), m.After, rounding, at)
				require.InDelta(t, max(0, m.Before-m.After), m.Loss, 1e-9, at)
				sums[m.Side] += min(max(103.1668*math.Exp(-4.354*m.Loss)-3.1669, 0), 100)
				judged[m.Side]++
			})
			require.NoError(t, err)
			for side, tally := range map[string]Tally{"south": g.SouthMoves, "north": g.NorthMoves} {
				require.Equal(t, judged[side], tally.Judged)
				if judged[side] > 0 {
					require.InDelta(t, sums[side]/float64(judged[side]), tally.Accuracy, rounding)
				}
			}
		}
	}
}

// The proof of a later position counts for the move that led to it.
func TestBackwards(t *testing.T) {
	s := solver.New(1)
	const position = "000100/300002/330230/101000/200000/002100 s"
	result, err := s.Solve(t.Context(), replayed(t, "standard", position), 5)
	require.NoError(t, err)
	require.Equal(t, 5, result.Plies)
	var moves []string
	for _, m := range result.Line {
		moves = append(moves, m.String())
	}
	g := reviewed(t, played(t, "standard", position, moves...))
	for _, m := range g.Moves {
		require.Zero(t, m.Loss, m.Move)
	}
	require.Zero(t, g.Decisive)
	require.Empty(t, g.Turning)
	require.InDelta(t, 100, g.SouthMoves.Accuracy, 0.001)
}

// A win in one is the best move, and has no better line. Where no search sees the end, proof numbers do: all of South's
// moves that keep the win lose nothing, and under Kang a win by the last goal is proven, too.
func TestProvenWins(t *testing.T) {
	for _, c := range []struct {
		rules, position, move string
		mark                  Mark
		kind                  Kind
	}{
		{"standard", "201030/013000/022000/000032/000000/031100 s", "c1-goal", Best, ""},
		// Won within 17 plies, see agents/README.md.
		{"simplified", "232113/000000/000000/000000/000000/332211 s", "f1-c3", Best, ""},
		// North may not take a piece out now.
		{"kang", "023000/001000/233322/110010/000000/000000 n 000/000 0-2 n", "b4xb3@e5", MissedWin, MissedProof},
	} {
		g, err := New(DefaultNodes).Game(t.Context(), played(t, c.rules, c.position, c.move), nil)
		require.NoError(t, err)
		m := g.Moves[0]
		require.Equal(t, []any{c.mark, c.kind, 1.0, c.mark == Best}, []any{m.Mark, m.Kind, m.Before, len(m.Line) == 0})
	}
}

// A proof that passes through a position of the game that may not return proves nothing.
func TestProofAndRepetition(t *testing.T) {
	rec := played(t, "standard", "201030/013000/022000/000032/000000/031100 s", "c1-d1")
	game, err := record.Replay(rec)
	require.NoError(t, err)
	before := game.Start()
	after := game.Position()
	require.NotEmpty(t, game.Forbidden())
	move := game.Moves()[0]
	forbidden := maps.All(map[rules.Position]rules.Move{before: move})
	require.True(t, repeats(game, forbidden))
	require.False(t, repeats(game, maps.All(map[rules.Position]rules.Move{after: game.Legal().At(0)})))
	require.False(t, repeats(rules.NewGame(game.Rules(), before), forbidden))
}

// Placements are not judged, nor moves that only repeat; the only legal move is forced, and counts for nothing.
func TestNotJudged(t *testing.T) {
	r := rules.MustParse("simplified")
	g := rules.NewGame(r, r.Start())
	var moves []string
	for range 12 {
		m := g.Legal().At(0)
		moves = append(moves, m.String())
		g.PlayLegal(m)
	}
	m := g.Legal().At(0)
	moves = append(moves, m.String())
	rec := played(t, "simplified", r.FormatPosition(r.Start()), moves...)
	got := reviewed(t, rec)
	for _, m := range got.Moves[:12] {
		require.Equal(t, []any{Placement, 0}, []any{m.Mark, m.Ply})
	}
	require.Equal(t, 1, got.Moves[12].Ply)
	require.True(t, got.Moves[12].Judged())
	require.Equal(t, 1, got.SouthMoves.Judged)
	require.Zero(t, got.NorthMoves.Judged)

	forced := reviewed(t, played(t, "simplified", "000001/002313/000002/012020/013000/300000 s", "f1-e1"))
	require.Equal(t, Forced, forced.Moves[0].Mark)
	require.Equal(t, forced.Moves[0].Before, forced.Moves[0].After)
	require.Equal(t, Tally{Accuracy: 100}, forced.SouthMoves)

	repeats := played(t, "standard", "000030/103020/000100/032000/000302/010201 s", "e1-a6")
	repeats.Moves, repeats.Plies, repeats.OnRepetition = append(repeats.Moves, "a6-e1"), 2, string(agents.Allow)
	repeats.Result = "0-1"
	require.Equal(t, Repetition, reviewed(t, repeats).Moves[1].Mark)
}

// Bad input is refused with the reason.
func TestRefused(t *testing.T) {
	r := New(100)
	const position = "201030/013000/022000/000032/000000/031100 s"
	for want, change := range map[string]func(*record.Record){
		"move 1":         func(g *record.Record) { g.Moves = []string{"a1-a9"} },
		"unknown":        func(g *record.Record) { g.Rules = "chess" },
		"opening":        func(g *record.Record) { g.Opening = "x" },
		"expected moves": func(g *record.Record) { g.Moves, g.Plies, g.Reason = []string{}, 0, record.Imported },
		"at most 4000":   func(g *record.Record) { g.Moves = make([]string, MaxPlies+1) },
	} {
		rec := played(t, "standard", position, "c1-goal")
		change(rec)
		_, err := r.Game(t.Context(), rec, nil)
		require.ErrorContains(t, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Game(ctx, played(t, "standard", position, "c1-d1"), nil)
	require.True(t, errors.Is(err, context.Canceled), err)
}

// A move is judged as in a review of a game that goes on with it, and the game is left as it was.
func TestJudge(t *testing.T) {
	t.Parallel()
	r := New(2000)
	const position = "013230/201000/100000/020000/000020/300013 s"
	g := replayed(t, "standard", position)
	judged, reply, err := r.Judge(t.Context(), g, parsed(t, g, "e1-f3"))
	require.NoError(t, err)
	require.Equal(t, only(t, played(t, "standard", position, "e1-f3")).Kind, judged.Kind)
	require.NotEmpty(t, reply)
	require.Equal(t, position, g.Rules().FormatPosition(g.Position()))
	require.Empty(t, g.Moves())
}

// A move that a search of the nodes asked for takes for a blunder or a missed win, and a deeper one
// finds good, is called neither.
func TestBlundersAreSearchedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ position, move string }{
		{"011202/003030/030000/011020/000000/020300 s", "f1-(e1)-d1-(d2)xc2@f1"},
		{"013232/000000/000100/000300/002000/001231 n", "d6-(d5)-d4-(c4-c3)xd3@c2"},
		{"213002/010030/000000/000000/000300/132120 n", "a6-b6-(b5-c5)-d5-(d4-d3)-d2"},
		{"121230/003000/010000/000000/000000/032123 s", "a1-b1-(b2)xb3@e5"},
		{"021230/003000/100000/000300/000020/020311 s", "c1-c2-(d2-d3)xd4@d5"},
		{"011220/001000/000020/300000/000030/031032 n", "e6-(d6-d5)-e5-(f5-f4)-e4"},
		{"013031/001000/201000/000000/030000/220302 n", "b6-(c6)-d6-(d5-c5)-b5-(b4-c4)-c3xc2@b2"},
	} {
		g := replayed(t, "standard", c.position)
		judged, _, err := New(DefaultNodes).Judge(t.Context(), g, parsed(t, g, c.move))
		require.NoError(t, err)
		require.Contains(t, []Mark{Best, Only, Good}, judged.Mark, c)
		require.Empty(t, judged.Kind, c)
	}
}
