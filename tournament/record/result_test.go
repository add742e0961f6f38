package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sampleGame draws a record that the checks accept.
func sampleGame(t *rapid.T) *Game {
	text := rapid.StringN(1, 20, -1)
	moves := rapid.SliceOfN(text, 0, 4).Draw(t, "moves")
	if moves == nil {
		moves = []string{}
	}
	g := &Game{
		Game: rapid.Int64Range(0, 1<<40).Draw(t, "game"), Pair: rapid.Int64Range(0, 99).Draw(t, "pair"),
		Rules: text.Draw(t, "rules"), Opening: text.Draw(t, "opening"), Policy: "random",
		South: Player{text.Draw(t, "south"), 1}, North: Player{text.Draw(t, "north"), 2},
		Moves: moves, Result: rapid.SampledFrom(results[:]).Draw(t, "result"), Reason: "goal",
	}
	if rapid.Bool().Draw(t, "fault") {
		g.Reason, g.Result = rapid.SampledFrom([]string{"error", "suspended"}).Draw(t, "kind"), "0-1"
		g.Fault = &Fault{"south", FaultKind(g.Reason), text.Draw(t, "detail") + `],"result":"1-0"`}
	}
	return g
}

// The quick reader finds in any record what the whole reader does.
func TestOutcomesAgreeWithReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file []byte
		for range rapid.IntRange(0, 5).Draw(t, "games") {
			file = append(sampleGame(t).AppendJSON(file), '\n')
		}
		if rapid.Bool().Draw(t, "cut") && len(file) > 0 {
			file = file[:rapid.IntRange(0, len(file)-1).Draw(t, "at")]
		}
		whole, quick := NewReader(bytes.NewReader(file), "f"), NewResultReader(bytes.NewReader(file), "f")
		for {
			var o GameResult
			g, errWhole := whole.Read()
			errQuick := quick.Read(&o)
			if errWhole != nil {
				require.Error(t, errQuick)
				require.Equal(t, errWhole.Error(), errQuick.Error())
				return
			}
			require.NoError(t, errQuick)
			require.Equal(t, []any{g.Game, g.Pair, g.Rules, g.South.Agent, g.North.Agent, g.Result, g.NotPlayed()},
				[]any{o.Game, o.Pair, string(o.Rules), string(o.South), string(o.North), string(o.Result), o.NotPlayed})
			again, err := quick.Game()
			require.NoError(t, err)
			require.Equal(t, g, again)
		}
	})
}

func TestOutcomesGoOnAfterABadLine(t *testing.T) {
	g := &Game{Rules: "kang", Opening: "o", South: Player{"a", 1}, North: Player{"b", 2}, Moves: []string{}, Result: "1-0", Reason: "goal"}
	line := string(g.AppendJSON(nil)) + "\n"
	r := NewResultReader(strings.NewReader(line+"\nnonsense\n"+strings.Repeat("x", MaxLine+1)+"\n"+line), "f")
	var o GameResult
	require.NoError(t, r.Read(&o))
	for n, want := range []string{"an empty line", "expected a game record", "a longer line"} {
		err := r.Read(&o)
		var bad *LineError
		require.True(t, errors.As(err, &bad))
		require.Equal(t, n+2, bad.Line)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, r.Read(&o))
	require.Equal(t, "kang", string(o.Rules))
	require.ErrorIs(t, r.Read(&o), io.EOF)
}

// The quick way is taken for what a run writes; without it this test would pass
// as well, but slowly.
func TestOutcomesTakeTheQuickWay(t *testing.T) {
	g := &Game{Game: 7, Pair: 3, Rules: "standard", Opening: "o", South: Player{"a:x=1", 1}, North: Player{"b", 2},
		Moves: []string{"d1-c3"}, Scores: []Score{12}, Result: "0-1", Reason: "goal", Plies: 1}
	var o GameResult
	require.True(t, o.scan(g.AppendJSON(nil)))
	require.Equal(t, "7 3 standard a:x=1 b 0-1", fmt.Sprintf("%d %d %s %s %s %s", o.Game, o.Pair, o.Rules, o.South, o.North, o.Result))
}

func BenchmarkOutcomes(b *testing.B) {
	g := &Game{Rules: "standard", Opening: "321123/000000/000000/000000/000000/321123 s", Policy: "random",
		South: Player{"alphabeta:depth=3", 1}, North: Player{"mcts:iterations=200", 2}, Result: "1-0", Reason: "goal"}
	for range 23 {
		g.Moves, g.Scores = append(g.Moves, "d1xc3@e5"), append(g.Scores, 123)
		g.Nodes, g.Timing.MoveMS = append(g.Nodes, 12345), append(g.Timing.MoveMS, 1.234)
	}
	g.Plies = len(g.Moves)
	var file []byte
	for range 1000 {
		g.Game++
		file = append(g.AppendJSON(file), '\n')
	}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		r := NewResultReader(bytes.NewReader(file), "f")
		var o GameResult
		for r.Read(&o) == nil {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/game")
}

// What Read doesn't look at, Game does.
func TestOutcomesGameFindsMore(t *testing.T) {
	g := Game{Rules: "r", Opening: "o", South: Player{Agent: "a"}, North: Player{Agent: "b"}, Moves: []string{"pass"}, Result: "1-0", Reason: "goal", Plies: 2}
	file := append(g.AppendJSON(nil), '\n')
	r := NewResultReader(bytes.NewReader(file), "f")
	var o GameResult
	require.NoError(t, r.Read(&o))
	_, err := r.Game()
	require.EqualError(t, err, "f:1: game 0: expected plies from 0 to the 1 moves, found 2")
}
