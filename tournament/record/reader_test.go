package record

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/ratings/source"
	"gyges/rules/base/jsonl"
)

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A line without an end ends the reading after a bounded amount.
func TestLineWithoutEnd(t *testing.T) {
	const want = "f:1: expected a record of at most 16777216 bytes, found a longer line"
	_, err := NewReader(endless{}, "f").Read()
	require.EqualError(t, err, want)
	require.False(t, errors.As(err, new(*jsonl.LineError)))
	_, _, err = Find(endless{}, "f", 0)
	require.EqualError(t, err, want)
}

// anyGame draws a record that the checks accept, with or without each of its parts.
func anyGame(t *rapid.T) *Record {
	text := rapid.StringN(1, 20, -1)
	n := rapid.IntRange(0, 4).Draw(t, "n")
	g := &Record{
		Game: rapid.Int64Range(0, 1<<40).Draw(t, "game"), Pair: rapid.Int64Range(0, 99).Draw(t, "pair"),
		Rules: text.Draw(t, "rules"), Opening: text.Draw(t, "opening"), Policy: "random",
		South: Player{text.Draw(t, "south"), rapid.Uint64().Draw(t, "seed")}, North: Player{text.Draw(t, "north"), 2},
		Moves:  append([]string{}, rapid.SliceOfN(text, n, n).Draw(t, "moves")...),
		Result: rapid.SampledFrom(results[:]).Draw(t, "result"), Reason: "goal",
	}
	if rapid.Bool().Draw(t, "fault") {
		g.Reason, g.Result = rapid.SampledFrom([]string{"error", "suspended", "timeout"}).Draw(t, "kind"), "0-1"
		g.Fault = &Fault{"south", FaultKind(g.Reason), text.Draw(t, "detail") + `],"result":"1-0"`}
	}
	some := func(name string) bool { return n > 0 && rapid.Bool().Draw(t, name) }
	if some("scores") {
		g.Scores = rapid.SliceOfN(rapid.Map(rapid.Int32(), func(x int32) Score { return Score(x) }), n, n).Draw(t, "scores")
	}
	if some("depths") {
		g.Depths = rapid.SliceOfN(rapid.IntRange(0, 99), n, n).Draw(t, "depths")
	}
	if some("nodes") {
		g.Nodes = rapid.SliceOfN(rapid.Int64Range(0, 1<<50), n, n).Draw(t, "nodes")
	}
	if some("times") {
		ms := rapid.OneOf(rapid.Float64Range(0, 1e-9), rapid.Float64Range(0, 1e5))
		g.Timing.MoveMS = rapid.SliceOfN(ms, n, n).Draw(t, "times")
	}
	if rapid.Bool().Draw(t, "settings") {
		g.Limits, g.OnRepetition, g.Adjudication = Limits{2, 3, "1s", "1m0s+1s"}, "allow", "proven=3"
		g.Timing.OverrunMS, g.Timing.Trace = 1.5, []string{"> go", "a]b,c"}
	}
	g.Timing.Start = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "start"), 5).UTC()
	return g
}

// Whatever texts and numbers a record has, it is read back, and ReadResult finds in it what Read does.
func TestLinesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		games := rapid.SliceOfN(rapid.Custom(anyGame), 0, 5).Draw(t, "games")
		file, err := Lines(games...)
		require.NoError(t, err)
		if rapid.Bool().Draw(t, "cut") && len(file) > 0 {
			file = file[:rapid.IntRange(0, len(file)-1).Draw(t, "at")]
		}
		whole, quick := NewReader(bytes.NewReader(file), "f"), NewReader(bytes.NewReader(file), "f")
		for i := 0; ; i++ {
			var o source.Result
			g, errWhole := whole.Read()
			errQuick := quick.ReadResult(&o)
			if errWhole != nil {
				require.Equal(t, errWhole.Error(), errQuick.Error())
				return
			}
			require.NoError(t, errQuick)
			require.Equal(t, games[i], g)
			require.Equal(t, g.Short(), o)
			again, err := quick.Record()
			require.NoError(t, err)
			require.Equal(t, g, again)
		}
	})
}

// manyGames returns a file of a number of games, numbered from 0.
func manyGames(n int) []byte {
	var b []byte
	for i := range n {
		g := sample()
		g.Game = int64(i)
		text, err := Lines(&g)
		if err != nil {
			panic(err)
		}
		b = append(b, text...)
	}
	return b
}

func TestFind(t *testing.T) {
	text := manyGames(12)
	for i := range int64(12) {
		g, line, err := Find(bytes.NewReader(text), "f", i)
		require.NoError(t, err)
		require.Equal(t, []int64{i, i + 1}, []int64{g.Game, int64(line)})
	}
	for _, text := range [][]byte{text, nil} {
		_, _, err := Find(bytes.NewReader(text), "f", 12)
		require.ErrorIs(t, err, io.EOF)
	}
}

// A game behind a lost line end isn't one that was not recorded.
func TestFindAfterALostLineEnd(t *testing.T) {
	text := bytes.Replace(manyGames(4), []byte("\n"), nil, 1)
	for i := range int64(2) {
		_, _, err := Find(bytes.NewReader(text), "f", i)
		require.ErrorContains(t, err, "f:1: expected a game record: another one begins in byte 476")
	}
	_, line, err := Find(bytes.NewReader(text), "f", 2)
	require.NoError(t, err)
	require.Equal(t, 2, line)
}

// A line that is laid out otherwise is found, and only what is asked for has to be right.
func TestFindAmongOthers(t *testing.T) {
	g := sample()
	plain, _, _ := strings.Cut(string(line(t, &g)), sumKey)
	plain += "}}"
	other := strings.Replace(plain, `{"game":17,"pair":8,`, `{"pair":8, "game": 17,`, 1)
	found, line, err := Find(strings.NewReader("\n{\"game\":3,\n"+strings.Repeat("x", MaxLine+1)+"\n"+other), "f", 17)
	require.NoError(t, err)
	require.Equal(t, &g, found)
	require.Equal(t, 4, line)

	_, _, err = Find(strings.NewReader("x\n"+plain[:60]+"\n"), "f", 17)
	var bad *jsonl.LineError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "f:2: expected a game record: the line is cut short", err.Error())
}

// isTorn reports whether an error is of a last line without an end.
func isTorn(err error) bool {
	line, ok := errors.AsType[*jsonl.LineError](err)
	return ok && line.Torn
}

func TestTornLine(t *testing.T) {
	text := manyGames(2)
	for cut := len(text)/2 + 1; cut < len(text)-1; cut++ {
		r := NewReader(bytes.NewReader(text[:cut]), "f")
		_, err := r.Read()
		require.NoError(t, err)
		require.Equal(t, 1, r.Line())
		_, err = r.Read()
		require.True(t, isTorn(err))
	}
	r := NewReader(bytes.NewReader(text[:len(text)-1]), "f") // only the line end is missing
	for range 2 {
		_, err := r.Read()
		require.NoError(t, err)
	}
	r = NewReader(strings.NewReader("x\n"), "f")
	_, err := r.Read()
	require.Error(t, err)
	require.False(t, isTorn(err))
}

// A line that is cut short since reading failed is no torn line.
func TestReaderFails(t *testing.T) {
	failed := errors.New("disk is gone")
	r := NewReader(io.MultiReader(bytes.NewReader(manyGames(1)), strings.NewReader(`{"game":`),
		iotest.ErrReader(failed)), "f")
	_, err := r.Read()
	require.NoError(t, err)
	_, err = r.Read()
	require.EqualError(t, err, "f:2: disk is gone")
	require.ErrorIs(t, err, failed)
	require.False(t, isTorn(err))
}

func TestImportedGames(t *testing.T) {
	g := Record{South: Player{Agent: "a"}, North: Player{Agent: "b"}, Moves: []string{}, Result: "1-0", Reason: Imported}
	text := bytes.TrimSpace(line(t, &g))
	back, err := NewReader(bytes.NewReader(text), "f").Read()
	require.NoError(t, err)
	require.Equal(t, &g, back)
	var o source.Result
	require.NoError(t, NewReader(bytes.NewReader(text), "f").ReadResult(&o))
	require.Empty(t, o.Rules)
	_, err = Replay(back)
	require.EqualError(t, err, "game 0: expected moves, found a game imported without")

	g.Moves = []string{"a1-a2"}
	require.ErrorContains(t, g.check(), "expected an opening, found none")
	g.Moves, g.Reason = []string{}, "goal"
	require.ErrorContains(t, g.check(), "expected rules, found none")
	require.False(t, new(short).scan(bytes.TrimSpace(line(t, &g))))
}
