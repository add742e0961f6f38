package grid

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

type player struct {
	name  string
	games int
	score float64
}

var columns = []Column[player]{
	{Key: "name", Title: "Player", Left: true, Value: func(p player) any { return Name(p.name) }},
	{Key: "games", Title: "Games", Drop: 1, Value: func(p player) any { return p.games }},
	{Key: "score", Title: "Score", Value: func(p player) any { return Percent(p.score) }},
	{Key: "elo", Value: func(p player) any { return math.NaN() }},
	{Title: " ", Value: func(p player) any { return Fixed(p.score, 2).Text }},
}

func written(t *testing.T, f Format, o Options, rows ...player) string {
	var b bytes.Buffer
	require.NoError(t, Make(columns, rows).Write(&b, f, o))
	return b.String()
}

// Every format has what is for it, escaped as it needs.
func TestFormats(t *testing.T) {
	rows := []player{{"a|\x1b", 1000000, 0.125}, {"", 2, math.NaN()}}
	require.Equal(t, `
 Player    Games   Score
-------------------------------
 a|\x1b  1000000  12.5 %  0.12
 ""            2           NaN
`[1:], written(t, Text, Options{}, rows...))
	require.Equal(t, `
| Player   |   Games |  Score |      |
|:---------|--------:|-------:|-----:|
| a\|\\x1b | 1000000 | 12.5 % | 0.12 |
`[1:], written(t, Markdown, Options{Width: 10}, rows[0]))
	require.Equal(t, "name,games,score,elo\na|\\x1b,1000000,0.125,\n\"\"\"\"\"\",2,,\n", written(t, CSV, Options{}, rows...))
	require.JSONEq(t, `[{"name": "a|\u001b", "games": 1000000, "score": 0.125, "elo": null},
		{"name": "", "games": 2, "score": null, "elo": null}]`, written(t, JSON, Options{}, rows...))
}

// A narrow text lacks the columns that may be dropped, and may have a row in bold.
func TestOptions(t *testing.T) {
	require.Equal(t, `
 Player   Score
----------------------
 `[1:]+"\x1b[1ma\x1b[0m       \x1b[1m50.0 %\x1b[0m  \x1b[1m0.50\x1b[0m\n",
		written(t, Text, Options{Width: 22, Bold: true}, player{"a", 1, 0.5}))
}

func TestWriterByRows(t *testing.T) {
	for f, want := range map[Format][2]string{
		CSV:  {"name,games,score,elo\n", "name,games,score,elo\na,1,0.5,\n"},
		JSON: {"[]\n", "[\n  {\"name\":\"a\",\"games\":1,\"score\":0.5,\"elo\":null}\n]\n"},
	} {
		for i, rows := range [][]player{nil, {{"a", 1, 0.5}}} {
			var b bytes.Buffer
			w := NewWriter(&b, f, Options{}, columns)
			for _, row := range rows {
				require.NoError(t, w.Write(row))
			}
			require.NoError(t, w.Close())
			require.Equal(t, want[i], b.String())
		}
	}
}

func TestChoose(t *testing.T) {
	chosen, err := Choose(columns, "score, name")
	require.NoError(t, err)
	require.Equal(t, []string{"score", "name"}, Make(chosen, nil).Keys())
	for _, keys := range []string{"", "scor", "name,,score"} {
		_, err = Choose(columns, keys)
		require.ErrorContains(t, err, "unknown column")
	}
}

// Tables made row by row, and what they have beside the rows.
func TestTable(t *testing.T) {
	g := New("", 1, "Option", "Value")
	g.Add(Markup("`a_`"), math.NaN())
	var b bytes.Buffer
	require.NoError(t, g.Write(&b, Markdown, Options{}))
	require.Contains(t, b.String(), "| `a_`   |       |\n")
	require.Zero(t, g.RowHead())
	of := Make(columns, []player{{"a", 1, 0.5}})
	of.Hide("Games")
	require.Len(t, of.Titled().Rows[0], 3)
	require.Equal(t, "Games", columns[1].Title)
}
