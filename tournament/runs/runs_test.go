package runs

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/ratings/source"
	"gyges/tournament/record"
)

// The line of an unreadable record is counted from the beginning of the file, also where that is
// read in parts.
func TestLinesOfPartsAreCounted(t *testing.T) {
	t.Parallel()
	var in Stream
	f := &File{Name: "f", Format: source.Records}
	for range 3 {
		f.In = strings.NewReader("{}\n{}\n")
		for _, err := range in.Games(t.Context(), f) {
			require.NoError(t, err)
		}
	}
	require.Equal(t, 6, in.Skipped.Count(Unreadable))
	for i, text := range in.Skipped.Errors {
		require.Regexp(t, "^f:"+string(rune('1'+i))+": ", text)
	}
}

// A copy of records that nothing but the start of each game tells of counts once, whatever the
// order of its lines; games without a start may be others.
func TestCopiesInAnyOrder(t *testing.T) {
	t.Parallel()
	line := func(game int64, start time.Time) string {
		g := &record.Record{
			Game: game, Pair: game, Rules: "standard", Opening: "o", Moves: []string{}, Result: "1-0", Reason: "goal",
			South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
		}
		g.Timing.Start = start
		text, err := record.Lines(g)
		require.NoError(t, err)
		return string(text)
	}
	var in Stream
	first, second, untimed := line(0, time.Unix(1, 2)), line(1, time.Unix(2, 3)), line(2, time.Time{})
	counted := 0
	for _, text := range []string{first + second + untimed, second + untimed + first, first + line(0, time.Unix(1, 3))} {
		for _, err := range in.Games(t.Context(), &File{In: strings.NewReader(text), Name: "f", Format: source.Records}) {
			require.NoError(t, err)
			counted++
		}
	}
	require.Equal(t, 3+1+1, counted)
	require.Equal(t, []string{"left out: 3 games whose id had come before; copies are counted once; the first is game 0"},
		in.Notes())
	var other Notes
	for _, id := range []string{"10", "9", "11"} {
		other.Add(Duplicate, id)
	}
	require.Equal(t, "9", other.first[Duplicate])
}

// What is left out of an import is named as it is of what is rated.
func TestDuplicatesAreNoted(t *testing.T) {
	t.Parallel()
	var in Stream
	text, numbers := "id,white,black,result\n1,a,b,1-0\n2,b,a,1-0\n1,a,b,1-0\n", []int64(nil)
	for g, err := range in.Records(t.Context(), &File{In: strings.NewReader(text), Name: "x.csv"}) {
		require.NoError(t, err)
		numbers = append(numbers, g.Record.Game)
	}
	require.Equal(t, []int64{0, 1}, numbers)
	require.Equal(t, []string{"left out: 1 game whose id had come before; copies are counted once; the first is game 1"},
		in.Notes())
}

// One name in two forms of Unicode is one player's, also in several files, and a note says so.
func TestFormsOfNamesAreJoined(t *testing.T) {
	t.Parallel()
	var in Stream
	for _, text := range []string{"white,black,result\nJose\u0301,b\u00a0c,1-0\n", "white,black,result\nb\u00a0c,Jos\u00e9,1-0\n"} {
		for g, err := range in.Records(t.Context(), &File{In: strings.NewReader(text), Name: "x.csv"}) {
			require.NoError(t, err)
			require.ElementsMatch(t, []string{"Jos\u00e9", "b\u00a0c"}, []string{g.Record.South.Agent, g.Record.North.Agent})
		}
	}
	require.Equal(t, []string{"names in several Unicode forms (NFC, NFD) or with blanks are one player: Jos\u00e9"}, in.Notes())
}

// closable counts its closings.
type closable struct {
	*strings.Reader
	closed int
}

func (c *closable) Close() error {
	c.closed++
	return nil
}

// A file is closed also if it is not read to its end.
func TestFilesAreClosed(t *testing.T) {
	t.Parallel()
	text := "white,black,result\na,b,1-0\na,b,0-1\n"
	for _, sniffed := range []bool{false, true} {
		in, file := new(Stream), &closable{Reader: strings.NewReader(text)}
		f := &File{In: file, Name: "x.csv"}
		if sniffed {
			_, err := f.Sniff()
			require.NoError(t, err)
		}
		for _, err := range in.Games(t.Context(), f) {
			require.NoError(t, err)
			break
		}
		require.Equal(t, 1, file.closed)
	}
}
