package table

import (
	"bytes"
	"encoding/csv"
	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColumnsAreChosen(t *testing.T) {
	chosen, err := ParseColumns("name, elo,low,high,difference,difference_error,los")
	require.NoError(t, err)
	table := plain(t)
	var buf bytes.Buffer
	require.NoError(t, Write(&buf, grid.CSV, chosen, tablesOf(table)))
	rows, err := csv.NewReader(&buf).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"name", "elo", "low", "high", "difference", "difference_error", "los"}, rows[0])
	a, b := table.Ratings.Players[0], table.Ratings.Players[1]
	d, ok := table.Ratings.Difference(a.Name, b.Name)
	require.True(t, ok)
	require.Equal(t, []string{"a", grid.Exact(a.Elo), grid.Exact(a.Elo - a.Error), grid.Exact(a.Elo + a.Error), grid.Exact(d.Elo),
		grid.Exact(d.Error), grid.Exact(d.LOS)}, rows[1])
	require.Equal(t, []string{"", "", ""}, rows[3][4:], "nobody comes after the last")
	buf.Reset()
	require.NoError(t, Write(&buf, grid.Text, chosen, tablesOf(table)))
	require.Contains(t, buf.String(), textfmt.Decimal(d.Elo)+" ± "+textfmt.Decimal(d.Error))
	_, err = ParseColumns("name,rank")
	require.ErrorContains(t, err, `unknown column "rank"; expected one of: `)
}

// Every column has a key of its own and prints something of a rated player, so that none is forgotten.
func TestEveryColumnPrints(t *testing.T) {
	d := results("a b 3 1 2", "b a 3 1 2", "top a 1 0 0")
	table := Table{Title: "x", Ratings: mustFit(t, d, ratings.Options{Prior: new(float64)})}
	rows := table.Rows()
	keys := map[string]bool{}
	for _, c := range shown(0, 0) {
		require.False(t, keys[c.Key], c.Key)
		keys[c.Key] = true
		row := rows[0]
		if has(c, forUnrated) {
			row = rows[2]
			require.Empty(t, grid.Exact(c.Value(rows[0])), c.Key)
		}
		require.NotEmpty(t, grid.Exact(c.Value(row)), c.Key)
		require.NotEmpty(t, c.Doc, c.Key)
		require.NotEmpty(t, c.Title, c.Key)
		if has(c, forRated) {
			require.Empty(t, grid.Exact(c.Value(rows[2])), c.Key)
		}
	}
}

// Every key of JSON and every column stands in the explanation.
func TestExplainIsComplete(t *testing.T) {
	explained := make(map[string]bool)
	for _, line := range strings.Split(Explain(), "\n") {
		require.LessOrEqual(t, len(line), 120)
		if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") {
			explained[strings.Fields(line)[0]] = true
		}
	}
	for _, f := range tablesOf(plain(t)).object() {
		require.True(t, explained[f.Key] || f.Key == "title", f.Key)
	}
	for _, c := range columns {
		require.True(t, explained[c.key], c.key)
	}
}

func TestComparisons(t *testing.T) {
	table := plain(t)
	var buf bytes.Buffer
	require.NoError(t, WriteComparison(&buf, grid.Text, Tables{All: table}, "b"))
	require.Regexp(t,
		`b loses to a by [0-9.]+ ± [0-9.]+, LOS [0-9.]+ %\nb beats c by [0-9.]+ ± [0-9.]+, LOS [0-9.]+ %\n$`, buf.String())
	buf.Reset()
	require.NoError(t, WriteComparison(&buf, grid.Text, Tables{All: table}, "nobody"))
	require.Contains(t, buf.String(), "nobody has no rating here that could be compared.")
	buf.Reset()
	require.NoError(t, WriteSuperiority(&buf, grid.CSV, Tables{All: table}))
	require.Equal(t, 1+6, strings.Count(buf.String(), "\n"))
	require.True(t, strings.HasPrefix(buf.String(), "table,a,b,difference,error,los\n"))
	buf.Reset()
	require.NoError(t, WriteHeadToHead(&buf, grid.CSV, Tables{All: table}, 0))
	require.True(t, strings.HasPrefix(buf.String(), "table,a,b,games,wins,draws,losses,points,expected,z,pentanomial\n"))
}
