package runs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/ratings/source"
)

// The line of an unreadable record is counted from the beginning of the file, also where that is read in parts.
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
	require.Equal(t, []string{"left out: 1 game whose id had come before; copies are counted once; the first is x.csv:4"},
		in.Notes())
}
