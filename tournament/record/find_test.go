package record

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// manyGames returns a file of so many games, numbered from 0.
func manyGames(n int) []byte {
	var b []byte
	for i := range n {
		g := sample()
		g.Game = int64(i)
		b = append(g.AppendJSON(b), '\n')
	}
	return b
}

func TestFind(t *testing.T) {
	text := manyGames(12)
	for i := range int64(12) {
		g, line, err := Find(bytes.NewReader(text), "f", i)
		require.NoError(t, err)
		require.Equal(t, i, g.Game)
		require.EqualValues(t, i+1, line)
	}
	_, _, err := Find(bytes.NewReader(text), "f", 12)
	require.ErrorIs(t, err, io.EOF)
	_, _, err = Find(strings.NewReader(""), "f", 0)
	require.ErrorIs(t, err, io.EOF)
}

// A line that is laid out otherwise is found, and only what is asked for has to
// be right.
func TestFindAmongOthers(t *testing.T) {
	g := sample()
	plain := string(g.AppendJSON(nil))
	other := strings.Replace(plain, `{"game":17,"pair":8,`, `{"pair":8, "game": 17,`, 1)
	found, line, err := Find(strings.NewReader("\n{\"game\":3,\n"+strings.Repeat("x", MaxLine+1)+"\n"+other), "f", 17)
	require.NoError(t, err)
	require.Equal(t, &g, found)
	require.Equal(t, 4, line)

	_, _, err = Find(strings.NewReader("x\n"+plain[:60]+"\n"), "f", 17)
	var bad *LineError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "f:2: expected a game record: the line is cut short", err.Error())
}

func TestReaderKnowsATornLine(t *testing.T) {
	text := manyGames(2)
	for cut := len(text)/2 + 1; cut < len(text)-1; cut++ {
		r := NewReader(bytes.NewReader(text[:cut]), "f")
		_, err := r.Read()
		require.NoError(t, err)
		require.Equal(t, 1, r.Line())
		_, err = r.Read()
		require.ErrorIs(t, err, ErrTorn)
	}
	r := NewReader(bytes.NewReader(text[:len(text)-1]), "f") // only the line end is missing
	for range 2 {
		_, err := r.Read()
		require.NoError(t, err)
	}
	r = NewReader(strings.NewReader("x\n"), "f")
	_, err := r.Read()
	require.Error(t, err)
	require.False(t, errors.Is(err, ErrTorn))
}

// A line that is cut short since reading failed is no torn line.
func TestReaderFails(t *testing.T) {
	failed := errors.New("disk is gone")
	r := NewReader(io.MultiReader(bytes.NewReader(manyGames(1)), strings.NewReader(`{"game":`), iotest.ErrReader(failed)), "f")
	_, err := r.Read()
	require.NoError(t, err)
	_, err = r.Read()
	require.EqualError(t, err, "f:2: disk is gone")
	require.ErrorIs(t, err, failed)
	require.NotErrorIs(t, err, ErrTorn)
}

func TestImportedGames(t *testing.T) {
	g := Game{South: Player{Agent: "a"}, North: Player{Agent: "b"}, Moves: []string{}, Result: "1-0", Reason: Imported}
	text := g.AppendJSON(nil)
	back, err := NewReader(bytes.NewReader(text), "f").Read()
	require.NoError(t, err)
	require.Equal(t, &g, back)
	var o GameResult
	require.True(t, o.scan(text))
	require.Empty(t, o.Rules)
	_, err = Replay(back)
	require.EqualError(t, err, "game 0: expected moves, found a game imported without")

	g.Moves = []string{"a1-a2"}
	require.ErrorContains(t, g.check(), "expected an opening, found none")
	g.Moves, g.Reason = []string{}, "goal"
	require.ErrorContains(t, g.check(), "expected rules, found none")
	require.False(t, o.scan(g.AppendJSON(nil)))
}
