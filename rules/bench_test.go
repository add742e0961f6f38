package rules

import (
	"math/rand/v2"
	"testing"
)

// benchBoards are the kinds of boards that benchmarks run over: 50 from random
// play each, and the published crowded one.
func benchBoards(b *testing.B) map[string][]benchBoard {
	boards := map[string][]benchBoard{}
	for _, name := range []string{"standard", "simplified", "kang"} {
		r := MustParse(name)
		rng := rand.New(rand.NewPCG(20, 26))
		for len(boards[name]) < 50 {
			g := NewGame(r, r.RandomSetup(rng))
			var ms MoveSet
			for range rng.IntN(40) {
				if g.LegalMoves(&ms); ms.Len() == 0 {
					break
				}
				g.PlayLegal(ms.At(rng.IntN(ms.Len())))
			}
			if o, _ := g.Outcome(); o == Undecided {
				boards[name] = append(boards[name], benchBoard{r, g.Position()})
			}
		}
	}
	r := MustParse("standard")
	boards["start"] = []benchBoard{{r, parse(b, r, startText)}}
	boards["crowded"] = []benchBoard{{r, parse(b, r, crowdedText)}}
	return boards
}

type benchBoard struct {
	r *Rules
	p Position
}

// benchEach runs work over the boards of every kind, one board an iteration.
func benchEach(b *testing.B, work func(bb benchBoard)) {
	for _, name := range []string{"start", "standard", "crowded", "simplified", "kang"} {
		boards := benchBoards(b)[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				work(boards[i%len(boards)])
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "boards/s")
		})
	}
}

// BenchmarkModes measures each way to ask for moves; evasions include finding the moves.
func BenchmarkModes(b *testing.B) {
	var ms MoveSet
	n := 0
	for name, work := range map[string]func(bb benchBoard){
		"Moves":        func(bb benchBoard) { bb.r.Moves(bb.p, &ms) },
		"Count":        func(bb benchBoard) { n += bb.r.Count(bb.p) },
		"Control":      func(bb benchBoard) { n += bb.r.Control(bb.p, South).Moves },
		"CanReachGoal": func(bb benchBoard) { bb.r.CanReachGoal(bb.p, bb.p.Side()) },
		"Evasions": func(bb benchBoard) {
			bb.r.Moves(bb.p, &ms)
			bb.r.Evasions(bb.p, &ms)
		},
		"QuickEvasions": func(bb benchBoard) {
			bb.r.Moves(bb.p, &ms)
			bb.r.QuickEvasions(bb.p, &ms)
		},
	} {
		b.Run(name, func(b *testing.B) { benchEach(b, work) })
	}
}

// BenchmarkPerft counts perft 3 of the published boards.
func BenchmarkPerft(b *testing.B) {
	r := MustParse("standard:null_move=allow,repetition=none")
	for name, text := range map[string]string{"start": startText, "midgame": midgameText, "crowded": crowdedText} {
		p := parse(b, r, text)
		b.Run(name, func(b *testing.B) {
			var n uint64
			for b.Loop() {
				n += perft(b, r, p, 3, 1)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
