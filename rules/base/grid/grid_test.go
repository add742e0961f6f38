package grid

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/rules/base/textfmt"
)

// text returns the table as text.
func text(t require.TestingT, g *Table, o Options) string {
	var buf bytes.Buffer
	require.NoError(t, g.Write(&buf, Text, o))
	return buf.String()
}

func TestWidth(t *testing.T) {
	g := New("", 1, "Name", "Größe", "What it is for")
	g.Columns[2].Left = true
	g.Add("depth", "12", "plies to search, unless there is a limit of another kind")
	g.Add("lmp_move_count", "7", "moves")
	wide := `
 Name            Größe  What it is for
---------------------------------------------------------------------------------
 depth              12  plies to search, unless there is a limit of another kind
 lmp_move_count      7  moves
`
	require.Equal(t, wide[1:], text(t, g, Options{}))
	require.Equal(t, wide[1:], text(t, g, Options{Width: 81}), "it is narrower")
	require.Equal(t, `
 Name            Größe  What it is for
------------------------------------------------
 depth              12  plies to search, unless
                        there is a limit of
                        another kind
 lmp_move_count      7  moves
`[1:], text(t, g, Options{Width: 50}))
}

// No line is too long, and every word is there.
func TestAnyWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "columns")
		row := func(least int) []string {
			cell := rapid.Custom(func(t *rapid.T) string {
				return strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-zäé±/=-]{1,15}`), least, 9).Draw(t, "words"), " ")
			})
			return rapid.SliceOfN(cell, n, n).Draw(t, "row")
		}
		header := row(1)
		all, g := strings.Join(header, ""), New("", n, header...)
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
			var values []any
			for _, cell := range row(0) {
				values, all = append(values, cell), all+cell
			}
			g.Add(values...)
		}
		o := Options{Width: rapid.IntRange(30, 120).Draw(t, "width")}
		out := text(t, g, o)
		letters := func(text string) map[rune]int {
			count := map[rune]int{}
			for _, r := range text {
				if !strings.ContainsRune(" -\n", r) {
					count[r]++
				}
			}
			return count
		}
		for line := range strings.Lines(out) {
			require.LessOrEqual(t, textfmt.Width(strings.TrimSuffix(line, "\n")), o.Width, out)
		}
		require.Equal(t, letters(all), letters(out))
	})
}

// players is a table with a column of words.
func players() *Table {
	g := New("", 0, "#", "Player", "Elo", "Games", "Draws")
	g.Columns[1].Left = true
	g.Add(1, "alphabeta:depth=2,name=first", 12.0, "100", Percent(0.03))
	g.Add("2", "b", "-12.0", "100", "13.0 %")
	return g
}

// A column is left out only where the table is too wide, and before words are wrapped.
func TestDrop(t *testing.T) {
	g := players()
	g.Columns[4].Drop, g.Columns[3].Drop, g.Columns[2].Drop = 2, 1, 1
	require.Contains(t, text(t, g, Options{Width: 55, Fold: 2}), "Draws")
	require.Equal(t, `
 #  Player                          Elo  Games
-----------------------------------------------
 1  alphabeta:depth=2,name=first   12.0    100
 2  b                             -12.0    100
`[1:], text(t, g, Options{Width: 54, Fold: 2}))
	require.Equal(t, `
 #  Player
-----------------------
 1  alphabeta:depth=2,
    name=first
 2  b
`[1:], text(t, g, Options{Width: 30, Fold: 2}))
	var buf bytes.Buffer
	require.NoError(t, g.Write(&buf, Markdown, Options{Width: 30}))
	require.Contains(t, buf.String(), "Draws", "Markdown has all columns")
}

func TestFold(t *testing.T) {
	require.Equal(t, `
 #  Player                Elo  Games
-------------------------------------
 1  alphabeta:depth=2,   12.0    100
    name=first
 2  b                   -12.0    100

 #  Player                         Draws
-----------------------------------------
 1  alphabeta:depth=2,name=first   3.0 %
 2  b                             13.0 %
`[1:], text(t, players(), Options{Width: 46, Fold: 2}))
}

// Numbers are wrapped under no width; headers are, at blanks.
func TestNumbersStayWhole(t *testing.T) {
	g := New("", 1, "Player", "Nodes a move", "Error")
	g.Add("alphabeta:depth=2", "12345", "± 12.5")
	for width := 1; width < 40; width++ {
		require.Contains(t, text(t, g, Options{Width: width, Fold: 1}), "± 12.5")
	}
	require.Equal(t, `
 Player             Nodes a   Error
                       move
------------------------------------
 alphabeta:depth=2    12345  ± 12.5
`[1:], text(t, g, Options{Width: 37, Fold: 1}))
}
