package rules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func perft(t testing.TB, r *Rules, p Position, depth, workers int) uint64 {
	t.Helper()
	n, _, err := Perft(context.Background(), r, p, depth, workers)
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
	if o.Repetition == Superko {
		forbidden = past[:len(past)-1]
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

// Published boards. The crowded one has many courses: bounds on them that hold on most boards fail
// there.
const (
	midgameText = "202110/000330/000000/000200/000100/030123 s"
	crowdedText = "002130/300300/021100/002000/000200/030100 s"
)

func TestPerft(t *testing.T) {
	t.Parallel()
	const loose = "standard:null_move=allow,repetition=none"
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
		{"simplified", startText, 3},
		{"simplified:null_move=allow", "000000/300003/021123/032112/000000/000000 s", 3},
		{"kang", emptySouth, 3},
		{"kang:relocation=false", "000000/000000/000000/000000/332211/211320 s 000/001 1-0 -", 3},
	} {
		r := MustParse(c.rules)
		p := parse(t, r, c.position)
		want := slowPerft(r, slowParse(c.position), nil, c.depth)
		for workers := range 2 {
			n, splits, err := Perft(t.Context(), r, p, c.depth, workers+1)
			require.NoError(t, err)
			require.Equal(t, want, n, "%s %s", c.rules, c.position)
			for _, s := range splits {
				n -= s.Nodes
			}
			require.Zero(t, n, "the parts are the whole")
		}
	}
}

func TestPerftEnds(t *testing.T) {
	t.Parallel()
	// South can only pass, and the second pass in a row ends the game.
	r := MustParse("kang")
	p := parse(t, r, emptySouth)
	p.lo |= 1 << passShift
	require.EqualValues(t, 1, perft(t, r, p, 1, 1))
	require.EqualValues(t, 0, perft(t, r, p, 2, 1))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Perft(ctx, r, p, 5, 2)
	require.ErrorIs(t, err, context.Canceled)
	n, splits, err := Perft(context.Background(), r, p, 0, 1)
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	require.Empty(t, splits)
}

// The files with counts for other programs are right; each is for the preset that names it.
func TestPerftFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/perft/*.epd")
	require.NoError(t, err)
	require.Len(t, files, 8)
	for _, name := range files {
		r := MustParse(strings.TrimSuffix(filepath.Base(name), ".epd") + ":repetition=none")
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			l, err := r.ParseEPD(line)
			require.NoError(t, err)
			for _, want := range l.Counts {
				require.Equal(t, want.Nodes, perft(t, r, l.Position, want.Depth, 2), "%s: %s depth %d", name, line, want.Depth)
				if want.Nodes < 2500 { // more take seconds
					require.Equal(t, want.Nodes, slowPerft(r, slowParse(l.Text), nil, want.Depth), "%s: %s", name, line)
				}
			}
		}
	}
}
