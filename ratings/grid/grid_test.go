package grid

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/ratings/textfmt"
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
