package table

import (
	"bytes"
	"encoding/csv"
	"gyges/ratings"
	"gyges/rules/base/grid"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Games that a fault decided have a column and a line where there are any; CSV and JSON always have
// them.
func TestFaults(t *testing.T) {
	d := new(ratings.Data)
	for _, p := range [][2]string{{"mine", "a"}, {"a", "b"}, {"b", "mine"}} {
		for range 4 {
			d.AddPairs(p[0], p[1], ratings.Win, ratings.Win, 1)
		}
	}
	write := func(f grid.Format) string {
		r, err := ratings.Fit(t.Context(), d, ratings.Options{})
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, Write(&b, f, nil, Tables{All: Table{Ratings: r}}))
		return b.String()
	}
	require.NotContains(t, write(grid.Text), "Fault")
	d.AddFault("a", "mine", ratings.Win)
	d.AddFault("a", "mine", ratings.Win)
	d.AddFault("mine", "a", ratings.Loss)
	d.AddFault("mine", "b", ratings.Win)
	text := write(grid.Text)
	require.Regexp(t, ` Score  Faults\n`, text)
	require.Regexp(t, `mine .* %       3\n`, text)
	require.Regexp(t, `a  .* %       0\n`, text)
	require.Regexp(t, `b  .* %       1\n`, text)
	require.Contains(t, text, "\nFaults decided 4 of 24 games: mine lost 3, b lost 1\n")
	require.Contains(t, write(grid.Markdown), "Faults decided 4 of 24 games: mine lost 3, b lost 1\n")
	records, err := csv.NewReader(strings.NewReader(write(grid.CSV))).ReadAll()
	require.NoError(t, err)
	column := func(key string) int { return slices.Index(records[0], key) }
	for _, row := range records[1:] {
		if row[column("name")] == "mine" {
			require.Equal(t, []string{"3", "1"}, []string{row[column("faults")], row[column("opponent_faults")]})
		}
	}
	require.Regexp(t, `"name": "mine",[^}]*"faults": 3,`, write(grid.JSON))
	require.Regexp(t, `"name": "mine",[^}]*"opponent_faults": 1\b`, write(grid.JSON))
}
