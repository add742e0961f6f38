package table

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gyges/ratings"
	"gyges/rules/base/grid"
)

// gauntlet is the table of one where a is the first player.
func gauntlet(t *testing.T) Table {
	d := results("a b 6 1 3", "b a 5 0 5", "a c 8 1 1", "c a 2 0 8")
	return Table{Title: "Rules standard", Ratings: mustFit(t, d, ratings.Options{}), Challenger: "a"}
}

// The table of a gauntlet counts the games of the first player and has the differences of
// the ratings above it. It stands above the ratings.
func TestGauntlet(t *testing.T) {
	t.Parallel()
	g := gauntlet(t)
	sheet := g.Gauntlet()
	require.Equal(t, "a scored 28.0 of 40 points, 70.0 %.", sheet.Result)
	d, ok := g.Ratings.Difference("a", "b")
	require.True(t, ok)
	var values []any
	for _, c := range sheet.Rows[0] {
		values = append(values, c.Value)
	}
	require.Equal(t, []any{
		"Rules standard", grid.Name("a"), grid.Name("b"), 20, 11, 1, 8, 11.5 / 20, d.Elo, d.Error, d.LOS,
	}, values)
	var text bytes.Buffer
	require.NoError(t, Write(&text, grid.Text, nil, tablesOf(g)))
	require.Contains(t, text.String(), "\nResults of a against each opponent:\n\n Opponent  Games  Won")
	require.Less(t, strings.Index(text.String(), "a scored 28.0"), strings.Index(text.String(), "First-move advantage"))
	g.Field = &ratings.Difference{Elo: 12.34, Error: 5.6}
	require.Equal(t, "a scored 28.0 of 40 points, 70.0 %: 12.3 ± 5.6 Elo against the field.", g.Gauntlet().Result)
	g.Challenger = "x" // who has not played
	require.Nil(t, g.Gauntlet())
}

// swiss is the standings after n rounds of m players.
func swiss(rounds, players int) Tables {
	var t Tables
	for k := range rounds {
		s := Standings{Format: "swiss", Table: &grid.Table{
			Title: "Round", Notes: []string{strings.Repeat("word ", 30)},
			Columns: []grid.Head{{Key: "round"}, {Key: "player", Title: "Player", Left: true}, {Key: "x", Title: "X"}},
		}}
		for i := range players {
			s.Add(k+1, strings.Repeat("long name ", 12), grid.Fixed(float64(i)/8, 2))
		}
		if k == rounds-1 {
			s.Result = "somebody has won."
		}
		t.Standings = append(t.Standings, s)
	}
	return t
}

// Tables are no wider than 80 columns in text, and have every digit in CSV and JSON. Of
// many rounds only the last is printed beside ratings.
func TestWriteStandings(t *testing.T) {
	t.Parallel()
	all := swiss(3, 4)
	all.All = gauntlet(t)
	all.All.Challenger = ""
	write := func(f grid.Format) string {
		var b bytes.Buffer
		require.NoError(t, WriteStandings(&b, f, all))
		return b.String()
	}
	for line := range strings.Lines(write(grid.Text)) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80)
	}
	require.Equal(t, 3, strings.Count(write(grid.Markdown), "### Round"))
	require.Contains(t, write(grid.CSV), "round,player,x\n1,")
	require.Contains(t, write(grid.CSV), ",0.375\n")
	var o struct {
		Schedules []struct {
			Schedule, Title, Result string
			Rows                    []map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(write(grid.JSON)), &o))
	require.Len(t, o.Schedules, 3)
	require.InDelta(t, 0.125, o.Schedules[0].Rows[1]["x"], 0)

	all.All.Challenger = "a"
	require.ErrorContains(t, WriteStandings(&bytes.Buffer{}, grid.CSV, all), "one format")
	none := tablesOf(plain(t))
	require.ErrorContains(t, WriteStandings(&bytes.Buffer{}, grid.Text, none), "found none")
	none.Notes = []string{"why not"}
	require.ErrorContains(t, WriteStandings(&bytes.Buffer{}, grid.Text, none), "found none; why not")

	list, left := swiss(3, 40).RecentStandings()
	require.Equal(t, []int{3, 0}, []int{len(list), left})
	var rounds []any
	for _, s := range list {
		rounds = append(rounds, s.Rows[0][0].Value)
	}
	require.Equal(t, []any{3, 1, 2}, rounds, "the final table first")
	list, left = swiss(3, 41).RecentStandings()
	require.Equal(t, []int{1, 2}, []int{len(list), left})
	require.NotEmpty(t, list[0].Result)
}
