package record

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyGame draws a record with or without each of its parts.
func anyGame(t *rapid.T) *Game {
	g := sampleGame(t)
	text := rapid.StringMatching(`[ -!#-\[\]-~]{1,12}`)
	n := len(g.Moves)
	if rapid.Bool().Draw(t, "plain") {
		for i := range g.Moves {
			g.Moves[i] = text.Draw(t, "move")
		}
		g.Rules, g.Opening, g.South.Agent, g.North.Agent = text.Draw(t, "rules"), text.Draw(t, "opening"), text.Draw(t, "south"), text.Draw(t, "north")
		if g.Fault != nil {
			g.Fault.Detail = text.Draw(t, "detail")
		}
	}
	g.South.Seed = rapid.Uint64().Draw(t, "seed")
	some := func(name string) bool { return n > 0 && rapid.Bool().Draw(t, name) }
	if some("scores") {
		g.Scores = rapid.SliceOfN(rapid.Map(rapid.Int32(), func(x int32) Score { return Score(x) }), n, n).Draw(t, "scores")
	}
	if some("depths") {
		g.Depths = rapid.SliceOfN(rapid.IntRange(0, 99), n, n).Draw(t, "depths")
	}
	if some("nodes") {
		g.Nodes = rapid.SliceOfN(rapid.Int64Range(0, 1<<50), n, n).Draw(t, "nodes")
	}
	if some("times") {
		g.Timing.MoveMS = rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1e-9), rapid.Float64Range(0, 1e5)), n, n).Draw(t, "times")
	}
	if rapid.Bool().Draw(t, "limits") {
		g.Limits = Limits{Depth: rapid.IntRange(0, 2).Draw(t, "depth"), Nodes: rapid.Int64Range(0, 2).Draw(t, "most"),
			MoveTime: rapid.SampledFrom([]string{"", "1s"}).Draw(t, "movetime"), Clock: rapid.SampledFrom([]string{"", "1m0s+1s"}).Draw(t, "clock")}
	}
	g.OnRepetition = rapid.SampledFrom([]string{"", "allow"}).Draw(t, "repetition")
	g.Adjudication = rapid.SampledFrom([]string{"", "proven=3"}).Draw(t, "adjudication")
	g.Timing.Start = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "start"), 5).UTC()
	g.Timing.OverrunMS = rapid.SampledFrom([]float64{0, 1.5}).Draw(t, "overrun")
	g.Timing.Trace = rapid.SampledFrom([][]string{nil, {"> go", "a]b,c"}}).Draw(t, "trace")
	return g
}

// agree fails if the quick way reads a line otherwise than encoding/json.
func agree(t require.TestingT, line []byte) (quick bool) {
	got := new(Game)
	if !got.scan(line) {
		return false
	}
	want, err := parseJSON(line)
	require.NoError(t, err, "%q", line)
	require.Equal(t, want, got, "%q", line)
	return true
}

// Whatever the quick way reads, encoding/json reads the same; also where bytes
// of a line have been changed.
func TestScanAgreesWithJSON(t *testing.T) {
	lines, quick, changed := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		line := anyGame(t).AppendJSON(nil)
		lines++
		if agree(t, line) {
			quick++
		}
		for range 20 {
			other := bytes.Clone(line)
			i := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				other[i] = rapid.SampledFrom([]byte(`"\,:[]{}0123456789-+.eE nulx`)).Draw(t, "byte")
			case 1:
				other = append(other[:i], other[i+1:]...)
			default:
				other = append(other[:i], append([]byte{rapid.SampledFrom([]byte(`",0-.`)).Draw(t, "byte")}, other[i:]...)...)
			}
			if agree(t, other) {
				changed++
			}
		}
	})
	require.Greater(t, quick, lines/10)
	require.NotZero(t, changed)
}

// The records that runs write are read the quick way.
func TestScanReadsWhatRunsWrite(t *testing.T) {
	g := sample()
	require.True(t, agree(t, g.AppendJSON(nil)))
}

func BenchmarkParse(b *testing.B) {
	g := sample()
	for range 30 {
		g.Moves = append(g.Moves, "d1xc3@e5")
		g.Scores = append(g.Scores, 123)
		g.Depths = append(g.Depths, 3)
		g.Nodes = append(g.Nodes, 12345)
		g.Timing.MoveMS = append(g.Timing.MoveMS, 0.006)
	}
	line := g.AppendJSON(nil)
	for name, read := range map[string]func([]byte) (*Game, error){"quick": parse, "json": parseJSON} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if _, err := read(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Numbers are read as strconv reads them, to the last bit.
func TestDecimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		text := strconv.FormatInt(rng.Int64N(int64(math.Pow10(1+rng.IntN(17)))), 10)
		if places := rng.IntN(18); places > 0 {
			text += "." + fmt.Sprintf("%0*d", places, rng.Int64N(int64(math.Pow10(places))))
		}
		want, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		s := scanner{rest: text, ok: true}
		require.Equal(t, math.Float64bits(want), math.Float64bits(s.decimal("")), text)
		require.True(t, s.ok)
		require.Empty(t, s.rest)
	}
	for _, text := range []string{"", ".5", "1.", "01", "00.5", "-1", "x"} {
		s := scanner{rest: text, ok: true}
		s.decimal("")
		require.False(t, s.ok, text)
	}
}
