package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func play(d *ratings.Data, south, north string, wins, draws, losses int) {
	for result, n := range map[ratings.Result]int{ratings.Win: wins, ratings.Draw: draws, ratings.Loss: losses} {
		for range n {
			d.AddGames(south, north, result, 1)
		}
	}
}

// results returns what lines say: "a b 3 1 2" is 3 wins, 1 draw and 2 losses of a with South against b.
func results(lines ...string) *ratings.Data {
	d := new(ratings.Data)
	for _, line := range lines {
		var south, north string
		var wins, draws, losses int
		if _, err := fmt.Sscan(line, &south, &north, &wins, &draws, &losses); err != nil {
			panic(err)
		}
		play(d, south, north, wins, draws, losses)
	}
	return d
}

func mustFit(t testing.TB, d *ratings.Data, o ratings.Options) *ratings.Ratings {
	t.Helper()
	r, err := ratings.Fit(context.Background(), d, o)
	require.NoError(t, err)
	return r
}

// sample has all there is to print without a prior: two groups, an anchor, unrated players of
// all kinds, games against oneself, and names that don't want to be printed.
func sample(t testing.TB) Table {
	d := results(
		"alphabeta:depth=3,weights=default mcts:iterations=500 6 1 3",
		"mcts:iterations=500 alphabeta:depth=3,weights=default 7 1 2",
		"greedy alphabeta:depth=3,weights=default 2 0 5",
		"alphabeta:depth=3,weights=default greedy 6 1 1", "greedy random 6 0 0",
		"random greedy 0 0 6", "oracle greedy 4 0 0", "oracle GREEDY 2 0 0", "GREEDY random 1 0 0",
	)
	play(d, " a|b_c*_d ", "evil\x1b[31m\u202e\n\xff", 6, 1, 1)
	play(d, "evil\x1b[31m\u202e\n\xff", " a|b_c*_d ", 2, 0, 3)
	play(d, "", "", 1, 0, 0)
	return Table{
		Sides: ratings.WhiteBlack,
		Title: "standard",
		Ratings: mustFit(t, d, ratings.Options{
			Prior: new(float64), Anchors: []ratings.Anchor{{Name: "greedy", Elo: 1000}},
		}),
	}
}

// tablesOf makes tables the parts of a book whose whole is the first of them.
func tablesOf(tables ...Table) Tables { return Tables{All: tables[0], Parts: tables} }

func writeTables(w io.Writer, f grid.Format, tables ...Table) error {
	return Write(w, f, nil, tablesOf(tables...))
}

// plain is an ordinary tournament: one group, everybody rated.
func plain(t testing.TB) Table {
	d := results("a b 7 2 3", "b a 5 1 6", "b c 4 4 1", "c b 2 0 3", "c a 1 3 5")
	return Table{Title: "kang", Ratings: mustFit(t, d, ratings.Options{})}
}

// golden compares with a file in testdata; UPDATE_GOLDEN=1 in the environment writes it instead.
func golden(t *testing.T, name, got string) {
	t.Helper()
	// Rounded so that a processor with fused multiplication, which may differ in the last digits,
	// prints the same.
	got = longNumber.ReplaceAllStringFunc(got, func(text string) string {
		v, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return grid.Exact(math.Round(v*1e6)/1e6 + 0) // no -0
	})
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if filepath.Ext(name) != ".json" {
		require.Equal(t, string(want), got)
		return
	}
	var expected, found any
	require.NoError(t, json.Unmarshal(want, &expected))
	require.NoError(t, json.Unmarshal([]byte(got), &found))
	requireHolds(t, expected, found)
}

// requireHolds checks that JSON has what is expected; objects may have more.
func requireHolds(t *testing.T, expected, found any) {
	switch e := expected.(type) {
	case map[string]any:
		require.IsType(t, e, found)
		for key, value := range e {
			requireHolds(t, value, found.(map[string]any)[key])
		}
	case []any:
		require.Len(t, found, len(e))
		for i, value := range e {
			requireHolds(t, value, found.([]any)[i])
		}
	default:
		require.Equal(t, expected, found)
	}
}

var formats = []grid.Format{grid.Text, grid.Markdown, grid.CSV, grid.JSON}

// longNumber is a number with more digits than matter.
var longNumber = regexp.MustCompile(`-?\d+(\.\d+)?e-\d+|-?\d+\.\d{7,}`)

// The columns are chosen, so that another one changes none of these files.
func TestGoldenTables(t *testing.T) {
	tables := []Table{sample(t), plain(t)}
	const people = "number,name,elo,error,games,wins,draws,losses,score"
	keys := map[grid.Format]string{
		grid.Text: people, grid.Markdown: people, grid.JSON: people, // JSON has all
		grid.CSV: "table,number,name,group,elo,error,games,wins,draws,losses,points,score,draw_share,faults,opponent_faults," +
			"advantage,advantage_error,reason",
	}
	for _, f := range formats {
		t.Run(string(f), func(t *testing.T) {
			var buf bytes.Buffer
			chosen, err := ParseColumns(keys[f])
			require.NoError(t, err)
			require.NoError(t, Write(&buf, f, chosen, tablesOf(tables...)))
			golden(t, "table."+string(f), buf.String())
			buf.Reset()
			require.NoError(t, WriteCrosstable(&buf, f, tablesOf(tables...)))
			golden(t, "crosstable."+string(f), buf.String())
		})
	}
}

func TestWideCrosstableIsLeftOut(t *testing.T) {
	var d ratings.Data
	for i := range maxColumns {
		d.AddGames(string(rune('A'+i)), string(rune('B'+i)), ratings.Draw, 1)
	}
	table := Table{Ratings: mustFit(t, &d, ratings.Options{})}
	var buf bytes.Buffer
	require.NoError(t, WriteCrosstable(&buf, grid.Text, tablesOf(table)))
	require.Equal(t, "The crosstable of 51 players is too wide to print; csv and json have it.\n", buf.String())
	buf.Reset()
	require.NoError(t, WriteCrosstable(&buf, grid.CSV, tablesOf(table)))
	require.Equal(t, maxColumns+1, strings.Count(buf.String(), "\n"))
}

// Of two players with few games there is a score in place of the table, unless columns or an
// anchor ask for ratings. Of the notes it has those that speak of the games.
func TestScoreOfFewGames(t *testing.T) {
	d := results("b a 2 0 1", "a a 1 0 0")
	fit := func(o ratings.Options) Table {
		r, err := ratings.Fit(t.Context(), d, o)
		require.NoError(t, err)
		return Table{Ratings: r}
	}
	for _, f := range []grid.Format{grid.Text, grid.Markdown} {
		var b, chosen, anchored bytes.Buffer
		require.NoError(t, writeTables(&b, f, fit(ratings.Options{})))
		require.Contains(t, b.String(), "b scored 2 of 3 points against a (2 won, 0 drawn, 1 lost)")
		require.NotContains(t, b.String(), "Elo")
		require.Contains(t, b.String(), "Note: left out: 1 game of a player against itself.\n")
		require.Equal(t, 1, strings.Count(b.String(), "Note:"))
		require.NotContains(t, b.String(), "more")
		columns, err := ParseColumns("name,elo")
		require.NoError(t, err)
		require.NoError(t, Write(&chosen, f, columns, tablesOf(fit(ratings.Options{}))))
		require.Contains(t, chosen.String(), "Elo")
		o := ratings.Options{Anchors: []ratings.Anchor{{Name: "a", Elo: 100}}}
		require.NoError(t, writeTables(&anchored, f, fit(o)))
		require.Contains(t, anchored.String(), "Elo")
	}
	for _, f := range []grid.Format{grid.CSV, grid.JSON} {
		var b bytes.Buffer
		require.NoError(t, writeTables(&b, f, fit(ratings.Options{})))
		require.Contains(t, b.String(), "elo")
		require.NotContains(t, b.String(), "scored")
	}
	play(d, "b", "a", 4, 0, 0)
	require.NotEmpty(t, fit(ratings.Options{}).Score(), "7 games")
	play(d, "a", "b", 1, 0, 0)
	require.Empty(t, fit(ratings.Options{}).Score(), "8 games")
	play(d, "b", "c", 0, 0, 1)
	require.Empty(t, fit(ratings.Options{}).Score(), "three players")
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorsAreReturned(t *testing.T) {
	require.ErrorContains(t, writeTables(&bytes.Buffer{}, "xml", plain(t)), "unknown format")
	for _, f := range formats {
		require.ErrorIs(t, writeTables(brokenWriter{}, f, plain(t)), errBroken)
		require.ErrorIs(t, WriteCrosstable(brokenWriter{}, f, tablesOf(plain(t))), errBroken)
	}
}

// Whatever a name holds, it stands whole on one line of a text table that is wide enough, no line
// of another is too long, CSV and JSON can be read back, and no control character gets through.
func TestAnyNameIsPrintedWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringN(0, 300, -1),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "name")
		var d ratings.Data
		other := name + "x"
		play(&d, name, other, 2, 1, 1)
		play(&d, other, name, 2, 1, 1)
		r, err := ratings.Fit(context.Background(), &d, ratings.Options{})
		require.NoError(t, err)
		for _, f := range formats {
			var buf bytes.Buffer
			tables := tablesOf(Table{Title: name, Ratings: r})
			tables.Width = 10_000
			require.NoError(t, Write(&buf, f, nil, tables))
			for _, c := range buf.String() {
				require.False(t, (c < ' ' && c != '\n') || (c >= 0x7f && c < 0xa0), "control character %q", c)
			}
			switch f {
			case grid.Text:
				require.Contains(t, buf.String(), textfmt.Visible(name))
				lines := strings.Count(buf.String(), "\n")
				if name != "" {
					lines -= 2 // title
				}
				require.Equal(t, 4+1+1, lines, "ratings and advantage")
				var narrow bytes.Buffer
				require.NoError(t, writeTables(&narrow, f, Table{Ratings: r}))
				for line := range strings.Lines(narrow.String()) {
					require.LessOrEqual(t, textfmt.Width(strings.TrimSuffix(line, "\n")), usualWidth, narrow.String())
				}
			case grid.CSV:
				rows, err := csv.NewReader(&buf).ReadAll()
				require.NoError(t, err)
				require.Len(t, rows, 3)
			case grid.JSON:
				var got struct{ Title string }
				require.NoError(t, json.Unmarshal(buf.Bytes(), &got))
				require.Equal(t, string([]rune(name)), got.Title)
			}
		}
	})
}

// Whatever the games are, what is printed of them holds finite numbers, and JSON is one object.
func TestAnyGamesArePrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := new(ratings.Data)
		player := rapid.IntRange(0, rapid.IntRange(0, 6).Draw(t, "last player"))
		for range rapid.IntRange(0, 25).Draw(t, "games") {
			d.AddGames(strconv.Itoa(player.Draw(t, "south")), strconv.Itoa(player.Draw(t, "north")), ratings.Result(rapid.IntRange(-1, 1).Draw(t, "result")), 1)
		}
		o := ratings.Options{FitPrior: rapid.Bool().Draw(t, "fit")}
		if !o.FitPrior && rapid.Bool().Draw(t, "strict") {
			o.Prior = new(float64)
		}
		r, err := ratings.Fit(context.Background(), d, o)
		require.NoError(t, err)
		for _, f := range formats {
			var buf bytes.Buffer
			require.NoError(t, writeTables(&buf, f, Table{Ratings: r}))
			require.NotContains(t, buf.String(), "NaN")
			require.NotContains(t, buf.String(), "Inf")
			require.NoError(t, WriteCrosstable(&buf, f, tablesOf(Table{Ratings: r})))
			if f == grid.JSON {
				dec := json.NewDecoder(&buf)
				require.NoError(t, dec.Decode(&map[string]any{}))
				require.NoError(t, dec.Decode(&map[string]any{}))
			}
		}
	})
}

// JSON has the prior, where there is one, and it never has a null in place of a list.
func TestJSONOfAPrior(t *testing.T) {
	var buf bytes.Buffer
	table := Table{Ratings: mustFit(t, results("a b 7 2 3", "top a 2 0 0", "x y 1 1 1"), ratings.Options{})}
	require.NoError(t, writeTables(&buf, grid.JSON, table))
	require.Contains(t, buf.String(), `"prior": {
    "cause": "separated",
    "draws": null,
    "sd": 1000
  },`)
	require.Contains(t, buf.String(), `"unrated": [],`)
}
