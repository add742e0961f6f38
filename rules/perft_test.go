package rules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func perft(t testing.TB, r *Rules, p Position, depth, workers int) uint64 {
	t.Helper()
	n, _, err := Perft(context.Background(), r, p, depth, PerftConfig{Workers: workers})
	require.NoError(t, err)
	return n
}

// slowPerft counts with the slow generator.
func slowPerft(r *Rules, p slowPos, past []string, depth int) uint64 {
	o := r.options
	past = append(past[:len(past):len(past)], p.text(o))
	if p.south.goals >= r.goalsToWin || p.north.goals >= r.goalsToWin {
		return 0
	}
	var forbidden []string
	switch n := len(past) - 1; o.Repetition {
	case Superko:
		forbidden = past[:n]
	case Previous:
		forbidden = past[max(n-1, 0):n]
	}
	moves := slowMoves(o, p, forbidden)
	if depth == 1 {
		return uint64(len(moves))
	}
	var n uint64
	for _, m := range moves {
		n += slowPerft(r, slowApply(o, p, m), past, depth-1)
	}
	return n
}

// Published boards. The crowded one has many courses: bounds on them that hold on
// most boards fail there.
const (
	midgameText = "202110/000330/000000/000200/000100/030123 s"
	crowdedText = "002130/300300/021100/002000/000200/030100 s"
)

func TestPerft(t *testing.T) {
	t.Parallel()
	const loose = "standard:null_move=allow,blocked_row=pass,repetition=none"
	for _, c := range []struct {
		rules, position string
		depth           int
		nodes           uint64
	}{
		{loose, startText, 1, 224},
		{loose, startText, 3, 16825500},
		{loose, "213132/000000/000000/000000/000000/112233 s", 1, 548},
		{loose, midgameText, 3, 159806541},
		{loose, crowdedText, 3, 179128838},
		{"standard:repetition=none", startText, 1, 222},
		{"standard:repetition=none", "213132/000000/000000/000000/000000/112233 s", 1, 540},
		{"standard:repetition=none", crowdedText, 3, 172396954},
	} {
		r := MustParse(c.rules)
		require.Equal(t, c.nodes, perft(t, r, parse(t, r, c.position), c.depth, 2), "%s depth %d", c.position, c.depth)
	}
}

func TestPerftAgainstSlow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules, position string
		depth           int
	}{
		{"standard:repetition=none", startText, 2},
		{"simplified", startText, 3},
		{"simplified:null_move=allow,repetition=previous", "000000/300003/021123/032112/000000/000000 s", 3},
		{"simplified:blocked_row=pass,repetition=none", "303030/222211/000001/130000/000000/000000 s", 3},
		{"kang:relocation=false", "000000/000000/000000/000000/332211/211320 s 000/001 1-0 -", 3},
		{"kang:repetition=none", "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -", 2},
		{"kang:kang_goals=1,relocation=false", "000000/000000/000000/000000/332211/211320 s 000/001 0-0 -", 3},
	} {
		r := MustParse(c.rules)
		p := parse(t, r, c.position)
		want := slowPerft(r, slowParse(c.position), nil, c.depth)
		require.Equal(t, want, perft(t, r, p, c.depth, 1), "%s %s", c.rules, c.position)
		for _, entries := range []int{1, 1000, 1 << 16} {
			n, splits, err := Perft(t.Context(), r, p, c.depth, PerftConfig{Workers: 2, Memory: 2 * entries * perftEntryBytes})
			require.NoError(t, err)
			for _, s := range splits {
				n -= s.Nodes
			}
			require.Zero(t, n, "the parts are the whole")
			for _, s := range splits {
				n += s.Nodes
			}
			require.Equal(t, want, n, "%s %s with a table of %d", c.rules, c.position, entries)
		}
	}
}

func TestPerftEnds(t *testing.T) {
	t.Parallel()
	// Both sides can only pass, and two passes end the game.
	r := MustParse("standard:blocked_row=pass,repetition=none")
	p := parse(t, r, "303030/222211/000001/130000/000000/000000 s")
	p.lo |= passOne
	require.EqualValues(t, 1, perft(t, r, p, 1, 1))
	require.EqualValues(t, 0, perft(t, r, p, 2, 1))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Perft(ctx, r, p, 5, PerftConfig{Workers: 2})
	require.ErrorIs(t, err, context.Canceled)
	n, splits, err := Perft(context.Background(), r, p, 0, PerftConfig{})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Empty(t, splits)
	require.EqualValues(t, perftEntryBytes, unsafe.Sizeof(perftEntry{}))
}

// The files with counts for other programs are right; each is for the preset that names it.
func TestPerftFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/perft/*.epd")
	require.NoError(t, err)
	require.Len(t, files, 8)
	for _, name := range files {
		r := MustParse(strings.TrimSuffix(filepath.Base(name), ".epd") + ":repetition=none")
		f, err := os.Open(name)
		require.NoError(t, err)
		lines, err := r.ReadEPD(name, f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		for _, l := range lines {
			for _, want := range l.Counts {
				require.Equal(t, want.Nodes, perft(t, r, l.Position, want.Depth, 2), "%s:%d depth %d", name, l.Line, want.Depth)
				if want.Nodes < 2500 { // more take seconds
					require.Equal(t, want.Nodes, slowPerft(r, slowParse(l.Text), nil, want.Depth), "%s:%d", name, l.Line)
				}
			}
		}
	}
}
