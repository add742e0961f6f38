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
func text(t require.TestingT, g Grid) string {
	var buf bytes.Buffer
	require.NoError(t, g.Write(&buf, false))
	return buf.String()
}

func TestWidth(t *testing.T) {
	g := Grid{Header: []string{"Name", "Größe", "What it is for"}, Left: map[int]bool{0: true, 2: true}}
	g.Add("depth", "12", "plies to search, unless there is a limit of another kind")
	g.Add("lmp_move_count", "7", "moves")
	wide := `
 Name            Größe  What it is for
---------------------------------------------------------------------------------
 depth              12  plies to search, unless there is a limit of another kind
 lmp_move_count      7  moves
`
	require.Equal(t, wide[1:], text(t, g))
	g.Width = 81
	require.Equal(t, wide[1:], text(t, g), "it is narrower")
	g.Width = 50
	require.Equal(t, `
 Name            Größe  What it is for
------------------------------------------------
 depth              12  plies to search, unless
                        there is a limit of
                        another kind
 lmp_move_count      7  moves
`[1:], text(t, g))
}

// No line is too long, and every word is there.
func TestAnyWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "columns")
		cell := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-zäé±/=-]{1,15}`), 0, 9).Draw(t, "words"), " ")
		})
		row := rapid.SliceOfN(cell, n, n)
		g := Grid{Header: row.Draw(t, "header"), Rows: rapid.SliceOfN(row, 0, 3).Draw(t, "rows")}
		g.Width = rapid.IntRange(30, 120).Draw(t, "width")
		out := text(t, g)
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
			require.LessOrEqual(t, textfmt.Width(strings.TrimSuffix(line, "\n")), g.Width, out)
		}
		all := strings.Join(g.Header, "")
		for _, row := range g.Rows {
			all += strings.Join(row, "")
		}
		require.Equal(t, letters(all), letters(out))
	})
}

// players is a table with a column of words.
func players() Grid {
	g := Grid{Header: []string{"#", "Player", "Elo", "Games", "Draws"}, Left: map[int]bool{1: true}, Fold: 2}
	g.Add("1", "alphabeta:depth=2,name=first", "12.0", "100", "3.0 %")
	g.Add("2", "b", "-12.0", "100", "13.0 %")
	return g
}

// A column is left out only where the table is too wide, and before words are wrapped.
func TestDrop(t *testing.T) {
	g := players()
	g.Drop = [][]int{{4}, {3, 2}}
	g.Width = 55
	require.Contains(t, text(t, g), "Draws")
	g.Width = 54
	require.Equal(t, `
 #  Player                          Elo  Games
-----------------------------------------------
 1  alphabeta:depth=2,name=first   12.0    100
 2  b                             -12.0    100
`[1:], text(t, g))
	g.Width = 30
	require.Equal(t, `
 #  Player
-----------------------
 1  alphabeta:depth=2,
    name=first
 2  b
`[1:], text(t, g))
	var buf bytes.Buffer
	require.NoError(t, g.Write(&buf, true))
	require.Contains(t, buf.String(), "Draws", "Markdown has all columns")
}

func TestFold(t *testing.T) {
	g := players()
	g.Width = 46
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
`[1:], text(t, g))
}

// Numbers are wrapped under no width; headers are, at blanks.
func TestNumbersStayWhole(t *testing.T) {
	g := Grid{Header: []string{"Player", "Nodes a move", "Error"}, Left: map[int]bool{0: true}, Fold: 1}
	g.Add("alphabeta:depth=2", "12345", "± 12.5")
	for width := 1; width < 40; width++ {
		g.Width = width
		require.Contains(t, text(t, g), "± 12.5")
	}
	g.Width = 37
	require.Equal(t, `
 Player             Nodes a   Error
                       move
------------------------------------
 alphabeta:depth=2    12345  ± 12.5
`[1:], text(t, g))
}
