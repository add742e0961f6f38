package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// cellTexts are the texts of a table.
func cellTexts(t *grid.Table) (rows [][]string) {
	for _, row := range t.Rows {
		rows = append(rows, mapped(row, func(c grid.Cell) string { return c.Text }))
	}
	return rows
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Records that don't replay are cut where they fail, and say so.
func TestViewerGames(t *testing.T) {
	t.Parallel()
	g := drawGame("kang", 4, "a", "b")
	whole := Replay(0, g)
	require.Len(t, whole.Moves, len(g.Moves))
	require.Empty(t, whole.Note)
	r := rules.MustParse("kang")
	p, err := r.ParsePosition(g.Opening)
	require.NoError(t, err)
	for i, long := range whole.Moves { // each course is one that the rules accept
		m, err := r.ParseMove(p, long)
		require.NoError(t, err)
		require.Equal(t, g.Moves[i], m.String())
		p = r.Apply(p, m)
	}

	broken := *g
	broken.Moves = append([]string{}, g.Moves...)
	broken.Moves[2] = "a1-a1"
	cut := Replay(0, &broken)
	require.Equal(t, whole.Moves[:2], cut.Moves)
	require.Len(t, cut.Scores, 2)
	require.Len(t, cut.Micros, 2)
	require.Contains(t, cut.Note, "can't be replayed: move 3: ")

	for _, bad := range []record.Record{{Rules: "nonsense", Opening: g.Opening}, {Rules: "kang", Opening: "x"}} {
		v := Replay(0, &bad)
		require.Empty(t, v.Opening)
		require.NotEmpty(t, v.Note)
		require.NotNil(t, v.Moves)
	}
}

func TestReadRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Equal(t, RunInfo{Name: dir, Charts: []Chart{}}, ReadRun(t.Context(), dir))
	require.False(t, HasHistory(dir))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("manifest.json", `{"config": {"seed": "5"}, "more": []}`)
	write("tuning.json", `{"method": "texel", "version": "v1", "config": {}}`)
	write("history.jsonl", `{"step":0,"loss":0.7,"validation_loss":0.71,"parameters":{"a":1,"b":-4}}`+"\n"+
		`{"step":3,"loss":0.6,"elo":12,"elo_margin":5,"parameters":{"a":2,"b":2}}`+"\n"+`{"step":4,"lo`)
	write("games.jsonl", "")
	require.True(t, HasHistory(dir))
	for _, path := range []string{dir, filepath.Join(dir, "games.jsonl")} {
		r := ReadRun(t.Context(), path)
		require.Empty(t, r.Notes)
		require.EqualValues(t, 5, r.Manifest.Config.Seed)
		require.Equal(t, "texel", r.Tuning.Method)
		got := map[string][]Point{}
		for _, c := range r.Charts {
			for _, l := range c.Curves {
				got[l.Name] = l.Points
			}
		}
		require.Equal(t, map[string][]Point{
			"training": {{X: 0, Y: 0.7}, {X: 3, Y: 0.6}}, "validation": {{X: 0, Y: 0.71}}, "Elo": {{X: 3, Y: 12, Error: 5}},
			"a": {{X: 0, Y: 0.5}, {X: 3, Y: 1}}, "b": {{X: 0, Y: -1}, {X: 3, Y: 0.5}},
		}, got)
		table := r.Charts[len(r.Charts)-1].Table
		require.Equal(t, [][]string{{"b", "-4", "2"}, {"a", "1", "2"}}, cellTexts(table))
	}
	write("manifest.json", `{`)
	write("tuning.json", `[]`)
	write("history.jsonl", "[]\n")
	r := ReadRun(t.Context(), dir)
	require.Nil(t, r.Manifest)
	require.Empty(t, r.Charts)
	require.Len(t, r.Notes, 3)
	require.Contains(t, r.Notes[2], "history.jsonl:1: expected a step of a tuning run")
}

func TestCurvesAreBounded(t *testing.T) {
	t.Parallel()
	var c Curve
	for i := range 5000 {
		c.Add(Point{X: float64(i), Y: 1})
	}
	svg := string(Chart{Curves: []Curve{c}}.plot("x").SVG)
	require.InDelta(t, maxPoints, strings.Count(svg[strings.Index(svg, "<path"):], "L"), maxPoints/4)
	var odd Curve
	for _, p := range []Point{{Y: math.NaN()}, {X: math.Inf(1)}, {Y: 1e200}, {Error: -1}, {Error: math.NaN()}} {
		odd.Add(p)
	}
	require.Empty(t, odd.Points)
}

// newMatch returns a collector of a match of a and b with a sequential test, and its manifest.
func newMatch(test string) (*Collector, *tournament.Manifest) {
	m := &tournament.Manifest{Inputs: tournament.Inputs{Config: runtest.Config(fmt.Sprintf(`{"agents": ["a", "b"], "sprt": %q}`, test))}}
	c := NewCollector(Options{})
	c.AddRun(RunInfo{Name: "m", Manifest: m})
	return c, m
}

// addPair adds a pair, which repeats no other one, of a match: a is South in the first game.
func addPair(c *Collector, pair int64, first, second string) {
	for k, result := range []string{first, second} {
		c.Add(&record.Record{
			Game: 2*pair + int64(k), Pair: pair, Rules: "standard", South: record.Player{Agent: "ab"[k : k+1]},
			North: record.Player{Agent: "ba"[k : k+1]}, Result: result, Reason: "goal", Moves: []string{strconv.FormatInt(pair, 10)}})
	}
}

// The path ends at the LLR of all pairs, and no point is far from the others.
func TestLLRPath(t *testing.T) {
	t.Parallel()
	_, without := newMatch("")
	require.Zero(t, testOf(without))
	test := sprt.Default()
	c, m := newMatch(test.String())
	var want sprt.Pairs
	const pairs = 2000
	for i := range int64(pairs) {
		addPair(c, i, []string{"1-0", "1/2-1/2", "0-1"}[i%3], []string{"0-1", "1-0"}[i/3%2])
		want[[]int{2, 1, 0}[i%3]+[]int{2, 0}[i/3%2]]++
	}
	require.Equal(t, want, c.runs[0].Pairs)
	points := llrCurve("LLR", testOf(m), c.runs[0].Course).Points
	require.Equal(t, Point{X: pairs, Y: test.LLR(want)}, points[len(points)-1])
	require.Greater(t, len(points), maxPoints/3)
	require.Zero(t, points[0])
}

func TestTexts(t *testing.T) {
	t.Parallel()
	require.Equal(t, "short", shorten("short", 5))
	require.Equal(t, "abcdef…xyz", shorten("abcdefghijklmnopqrstuvwxyz", 10))
	require.Equal(t, []string{"h0", "h4", "h8", "h8"}, []string{heat(0), heat(0.5), heat(0.95), heat(1)})
}

// An axis has a few round ticks around its figures, finite ones whatever these are.
func TestAxes(t *testing.T) {
	t.Parallel()
	a := newAxis(interval{-3, 7}, 100, 200, 5)
	require.Equal(t, []float64{-4, -2, 0, 2, 4, 6, 8}, a.ticks)
	require.Equal(t, []float64{100, 200, 200}, []float64{a.at(-4), a.at(8), a.at(1e9)}, "held inside")
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e100, 1e100).Draw(t, "low")
		high := low + rapid.OneOf(rapid.Float64Range(0, 1e-12), rapid.Float64Range(0, 1e3), rapid.Float64Range(0, 1e100)).Draw(t, "range")
		n := rapid.IntRange(1, 10).Draw(t, "n")
		a := newAxis(interval{low, high}, 0, 100, n)
		if len(a.ticks) < 2 || len(a.ticks) > 3*n+3 {
			t.Fatalf("%d ticks", len(a.ticks))
		}
		for _, x := range append(a.ticks, low, high) {
			if at := a.at(x); !(at >= -1e-6 && at <= 100+1e-6) {
				t.Fatalf("%g is at %g", x, at)
			}
		}
	})
}

// Whatever a run's folder holds, a page comes of it that is well-formed text.
func FuzzRun(f *testing.F) {
	f.Add(sampleRun().Manifest.Text, `{"step":0,"loss":0.7,"parameters":{"a":1,"b":1e300}}`+"\n"+`{"step":3,"loss":-1e99,"elo":5,"elo_margin":1e-300,"parameters":{}}`+"\n")
	f.Add(`{"config":{"agents":["a","b"],"sprt":"elo0=0","rules":["x"],"pairs":1},"start":"9999-12-31T23:59:59Z"}`, "{}")
	games := drawRun("alpha:x=1", "beta")[:4]
	f.Fuzz(func(t *testing.T, manifest, curves string) {
		about := RunInfo{Name: "fuzz"}
		about.Manifest, _ = tournament.ReadManifest(manifestFS(manifest))
		steps, _ := training.ReadHistory(t.Context(), strings.NewReader(curves), training.HistoryFile)
		about.Charts = historyCharts(steps, nil)
		c, rated := collect(t, Options{Games: 1}, about, games)
		p := Build(c, Input{Tables: rated})
		require.NoError(t, WriteHTML(io.Discard, p))
		for _, s := range p.Sections {
			for _, b := range s.Parts {
				if b.Figure != nil {
					require.NotContains(t, b.Figure.SVG, "NaN")
					require.NotContains(t, b.Figure.SVG, "Inf")
					require.NoError(t, wellFormed(b.Figure.StandaloneSVG()))
				}
			}
		}
	})
}

// The gauge has the LLR between the bounds, and what the test has come to; without a test there is none.
func TestGauge(t *testing.T) {
	t.Parallel()
	c, m := newMatch("elo0=0,elo1=200")
	gauge := func() *Figure { return newBuilder(c, Input{}).gauge() }
	require.Contains(t, gauge().Caption, "Test of elo 0 against 200, LLR 0.00 between -2.94 and 2.94: undecided")
	for i := range int64(20) {
		addPair(c, i, "1-0", "0-1")
	}
	f := gauge()
	require.Regexp(t, `LLR \d+\.\d\d .*: H1 accepted: elo1 = 200 fits better$`, f.Caption)
	require.Contains(t, string(f.SVG), `class="bar" fill="#0072b2" x="170" y="20" width="170"`, "to the bound, not beyond")
	require.NoError(t, wellFormed(string(f.SVG)))
	m.Config.SPRT = sprt.Test{}
	require.Nil(t, gauge())
}

// A gauntlet's page begins with the result of its first player, whoever leads.
func TestGauntletPage(t *testing.T) {
	t.Parallel()
	m := &tournament.Manifest{Inputs: tournament.Inputs{Config: runtest.Config(
		`{"agents": ["a", "b", "c"], "rules": ["standard"], "schedule": "gauntlet", "pairs": 5}`)}}
	c := NewCollector(Options{Games: 10})
	c.AddRun(RunInfo{Name: "m", Manifest: m})
	for i := range int64(20) {
		c.Add(drawGame("standard", i, "a", "bc"[i%2:i%2+1]))
	}
	rated, err := c.Fit(t.Context(), ratings.Options{}, false)
	require.NoError(t, err)
	p := Build(c, Input{Tables: rated})
	require.Regexp(t, `^Rules standard: a scored .* of 20 points, .* %: .* ± .* Elo against the field\.$`, p.Summary[0])
	page := parsePage(t, p)
	captions := texts(page.all("caption"))
	require.Equal(t, []string{"Results of a against each opponent", "Ratings"}, captions[:2])
}

// A page of several rule sets names who leads under each and, where they are rated together, over all.
func TestSummaryNamesTheWinnerOverAll(t *testing.T) {
	t.Parallel()
	c := NewCollector(Options{})
	c.AddRun(RunInfo{Name: "first"})
	for i := range int64(20) {
		c.Add(drawGame("standard", i, "a", "b"))
		c.Add(drawGame("kang", 20+i, "b", "c"))
	}
	for _, together := range []bool{false, true} {
		rated, err := c.Fit(t.Context(), ratings.Options{}, together)
		require.NoError(t, err)
		p := Build(c, Input{Tables: rated})
		if !together {
			require.Len(t, p.Summary, 2)
			continue
		}
		require.Len(t, p.Summary, 3)
		require.Regexp(t, `^All rules together: \w leads \w by .* Elo`, p.Summary[2])
		require.NotContains(t, texts(parsePage(t, p).all("h3")), "All rules together", "a table only with --pool")
	}
}
