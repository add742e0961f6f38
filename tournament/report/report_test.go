package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents/tuning/history"
	"gyges/ratings/sprt"
	"gyges/ratings/table"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// golden compares with a file of testdata, or with UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "UPDATE_GOLDEN=1 writes %s anew", path)
}

// writePage writes a page without its style, script and games.
func writeBare(t *testing.T, p *Page) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteHTML(&out, p))
	bare := regexp.MustCompile(`(?s)(<style>).*?(</style>)|(<script>).*?(</script>)|(<script type="application/json" id="viewer-data">).*?(</script>)`)
	return bare.ReplaceAllString(out.String(), "$1$3$5…$2$4$6")
}

func TestGolden(t *testing.T) {
	p := samplePage(t)
	golden(t, "sample.html", writeBare(t, p))
	var md bytes.Buffer
	svgs := ""
	require.NoError(t, WriteMarkdown(&md, p, func(f Figure) (string, error) {
		svgs += "<!-- " + f.Name + " -->\n" + strings.Replace(f.StandaloneSVG(), asset("chart.css"), "…", 1)
		return f.Name + ".svg", nil
	}))
	golden(t, "sample.md", md.String())
	golden(t, "sample.svg.txt", svgs)
	games, err := json.MarshalIndent(p.Viewer.Games[:4], "", " ")
	require.NoError(t, err)
	golden(t, "sample.games.json", string(games)+"\n")
}

// A fragment is the section as it stands in the page.
func TestFragments(t *testing.T) {
	p := samplePage(t)
	page := writeBare(t, p)
	for _, s := range p.Sections {
		var out bytes.Buffer
		require.NoError(t, WriteFragment(&out, s))
		require.Contains(t, page, out.String())
		require.Contains(t, out.String(), `<section id="`+s.ID+`"`)
	}
}

// Every figure of ratings is the one that gyges rate prints.
func TestFiguresAreThoseOfRatings(t *testing.T) {
	c, rated := collect(t, Options{}, sampleRun(), drawRun("alpha:x=1", "beta", "gamma's"))
	p, err := Build(c, Input{Title: "x", Tables: rated})
	require.NoError(t, err)
	var tables []*Table
	for _, b := range p.Sections[0].Blocks {
		if b.Table != nil {
			tables = append(tables, b.Table)
		}
	}
	require.Len(t, tables, 6, "a rating table, a crosstable and superiorities for each rule set")
	for i, part := range rated.Parts {
		one := table.Tables{All: part}
		var csv, cross, los bytes.Buffer
		require.NoError(t, table.Write(&csv, table.CSV, table.View{}, one))
		require.NoError(t, table.WriteCrosstable(&cross, table.Text, one))
		require.NoError(t, table.WriteSuperiority(&los, table.Text, one))
		for k, line := range strings.Split(strings.TrimSpace(csv.String()), "\n")[1:] {
			exact := strings.Split(line, ",") // table, number, name, group, elo, error, games, …
			row := tables[3*i].Rows[k]
			require.Equal(t, exact[2], row[1].Text)
			require.Equal(t, fmt.Sprintf("%.1f", number(exact[4])), row[2].Text)
			require.Equal(t, fmt.Sprintf("± %.1f", number(exact[5])), row[3].Text)
			require.Equal(t, exact[6:10], []string{row[4].Text, row[5].Text, row[6].Text, row[7].Text})
		}
		for k, row := range tables[3*i+1].Rows {
			words := strings.Fields(strings.Split(cross.String(), "\n")[6+k])
			for j, cell := range row[2:] {
				if j == k {
					continue
				}
				require.Equal(t, words[len(words)-3+j], cell.Small, "%s", cross.String())
			}
		}
		for k, row := range tables[3*i+2].Rows {
			words := strings.Fields(strings.Split(los.String(), "\n")[6+k])
			for j, cell := range row[2:] {
				if j != k {
					require.Equal(t, words[len(words)-3+j], cell.Text, "%s", los.String())
				}
			}
		}
	}
}

// Names, rules, reasons, faults and manifests are text wherever they come.
func TestHostileTexts(t *testing.T) {
	long := strings.Repeat("n", 200)
	games := drawRun(hostile, long, "plain")
	games[5].Reason, games[7].Reason = hostile, "adjudicated-"+long
	games[3].Fault.Detail = hostile
	for _, g := range games[60:] {
		g.Rules = hostile
	}
	about := sampleRun()
	about.Name, about.Notes = hostile, []string{hostile}
	about.Manifest.Error, about.Manifest.Text, about.Manifest.Config.Agents[0] = hostile, hostile+"\n```\n"+hostile, hostile
	about.Charts = []Chart{{Title: hostile, XName: hostile, YName: hostile, Lines: []Curve{{Name: hostile, Points: []CurvePoint{{X: 1, Y: 2}}}, {Name: long}}}}
	c, rated := collect(t, Options{Games: 100}, about, games)
	rated.Notes = []string{hostile}
	p, err := Build(c, Input{Title: hostile, Tables: rated, Again: []string{hostile}, Maker: hostile})
	require.NoError(t, err)

	var out bytes.Buffer
	require.NoError(t, WriteHTML(&out, p))
	page := out.String()
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, "alert(1)</script>")
	require.NotContains(t, page, "\x1b")
	require.NotContains(t, page, "\u202e")
	require.Contains(t, page, long)
	require.Equal(t, 2, strings.Count(page, "<script"), "the data and the script")
	require.Equal(t, 2, strings.Count(page, "</script"))
	require.Equal(t, 1, strings.Count(page, "<style"))
	require.Equal(t, 1, strings.Count(page, "</style"))

	var md bytes.Buffer
	require.NoError(t, WriteMarkdown(&md, p, func(f Figure) (string, error) {
		require.Regexp(t, `^[a-z0-9-]+$`, f.Name)
		require.NoError(t, wellFormed(f.StandaloneSVG()), f.Name)
		require.NotContains(t, f.StandaloneSVG(), "<script")
		return f.Name + ".svg", nil
	}))
	for line := range strings.Lines(outsideFences(md.String())) {
		require.NotRegexp(t, `(^|[^\\])<`, line)
		if strings.HasPrefix(line, "|") {
			require.Regexp(t, `^(\| ([^|\\]|\\.)* )+\|\n$|^(\|:?---:?)+\|\n$`, line, "a cell that ends early")
		}
	}
}

// outsideFences is Markdown without its fenced blocks.
func outsideFences(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := regexp.MustCompile("^`{3,}").FindString(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence == "":
			b.WriteString(line)
		}
	}
	return b.String()
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
	g := drawGame("kang", 4, "a", "b")
	whole := newViewerGame("1.4", g)
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
	cut := newViewerGame("1.4", &broken)
	require.Equal(t, whole.Moves[:2], cut.Moves)
	require.Len(t, cut.Scores, 2)
	require.Len(t, cut.Micros, 2)
	require.Contains(t, cut.Note, "move 3 can't be replayed: ")

	for _, bad := range []record.Game{{Rules: "nonsense", Opening: g.Opening}, {Rules: "kang", Opening: "x"}} {
		v := newViewerGame("1.1", &bad)
		require.Empty(t, v.Opening)
		require.NotEmpty(t, v.Note)
		require.NotNil(t, v.Moves)
	}
}

func TestReadRun(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, Run{Name: dir}, ReadRun(dir))
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
		r := ReadRun(path)
		require.Empty(t, r.Notes)
		require.EqualValues(t, 5, r.Manifest.Config.Seed)
		require.Equal(t, "texel", r.Tuning.Method)
		got := map[string][]CurvePoint{}
		for _, c := range r.Charts {
			for _, l := range c.Lines {
				got[l.Name] = l.Points
			}
		}
		require.Equal(t, map[string][]CurvePoint{
			"training": {{X: 0, Y: 0.7}, {X: 3, Y: 0.6}}, "validation": {{X: 0, Y: 0.71}}, "Elo": {{X: 3, Y: 12, Error: 5}},
			"a": {{X: 0, Y: 0.5}, {X: 3, Y: 1}}, "b": {{X: 0, Y: -1}, {X: 3, Y: 0.5}},
		}, got)
		table := r.Charts[len(r.Charts)-1].Table
		require.Equal(t, [][]Cell{{rowHead("a"), cell("1"), cell("2")}, {rowHead("b"), cell("-4"), cell("2")}}, table.Rows)
	}
	write("manifest.json", `{`)
	write("tuning.json", `[]`)
	write("history.jsonl", "[]\n")
	r := ReadRun(dir)
	require.Nil(t, r.Manifest)
	require.Empty(t, r.Charts)
	require.Len(t, r.Notes, 3)
	require.Contains(t, r.Notes[2], "history.jsonl:1: expected a step of a tuning run")
}

// A tuning run without games has a page of its course and its making.
func TestTuningAlone(t *testing.T) {
	about := Run{Name: "tuned", Charts: []Chart{sampleChart()}, Tuning: &Tuning{Method: "spsa", Text: "{}"}}
	c := NewCollector(Options{Games: 10})
	c.AddRun(about)
	p, err := Build(c, Input{Title: "tuned"})
	require.NoError(t, err)
	require.Len(t, p.Sections, 2)
	page := writeBare(t, p)
	require.Contains(t, page, `id="curve-1-1"`)
	require.Contains(t, page, `<dt>tuned by</dt><dd>spsa</dd>`)
	require.NotContains(t, page, `id="games"`)
	require.NotContains(t, page, `id="who"`)
}

func TestCurvesAreBounded(t *testing.T) {
	var c Curve
	for i := range 5000 {
		c.Add(CurvePoint{X: float64(i), Y: 1})
	}
	require.LessOrEqual(t, len(c.Points), maxPoints)
	require.Greater(t, len(c.Points), maxPoints/3)
	for i := 2; i < len(c.Points); i++ {
		require.Equal(t, c.Points[1].X-c.Points[0].X, c.Points[i].X-c.Points[i-1].X, "evenly")
	}
	var odd Curve
	for _, p := range []CurvePoint{{Y: math.NaN()}, {X: math.Inf(1)}, {Y: 1e200}, {Error: -1}, {Error: math.NaN()}} {
		odd.Add(p)
	}
	require.Empty(t, odd.Points)
}

// The path ends at the LLR of all pairs, and no point is far from the others.
func TestLLRPath(t *testing.T) {
	test := sprt.Default()
	require.Nil(t, newLLRPath("", "a"))
	require.Nil(t, newLLRPath("nonsense", "a"))
	about := Run{Name: "m", Manifest: &tournament.Manifest{}}
	about.Manifest.Config.Agents, about.Manifest.Config.SPRT = []string{"a", "b"}, test.String()
	c := NewCollector(Options{})
	c.AddRun(about)
	path := c.current.path
	var want sprt.Pairs
	half := map[string]int{"1-0": 2, "1/2-1/2": 1, "0-1": 0}
	const pairs = 2000
	for i := range int64(pairs) {
		results := [2]string{[]string{"1-0", "1/2-1/2", "0-1"}[i%3], []string{"0-1", "1-0"}[i/3%2]}
		want.Add(half[results[0]] + 2 - half[results[1]])
		for k, res := range results {
			g := &record.Game{Game: 2*i + int64(k), Pair: i, Rules: "standard", South: record.Player{Agent: "ab"[k : k+1]}, North: record.Player{Agent: "ba"[k : k+1]}, Result: res, Reason: "goal"}
			c.Add(g)
		}
	}
	require.Equal(t, want, path.pairs)
	all := path.all()
	require.LessOrEqual(t, len(all), maxPath+2)
	require.Equal(t, llrPoint{pairs, test.LLR(want)}, all[len(all)-1])
	for i := 1; i < len(all); i++ {
		require.Less(t, all[i-1].pairs, all[i].pairs)
	}
}

func TestTexts(t *testing.T) {
	for want, ms := range map[string]float64{"0 ms": 0, "<1 µs": 0.0004, "12 µs": 0.012, "1.5 ms": 1.5, "150 ms": 150, "2.5 s": 2500, "1,200 s": 1.2e6} {
		require.Equal(t, want, milliseconds(ms))
	}
	require.Equal(t, "short", shorten("short", 5))
	require.Equal(t, "abcdef…xyz", shorten("abcdefghijklmnopqrstuvwxyz", 10))
	require.Equal(t, `'it'\''s'`, ShellWord("it's"))
	require.Equal(t, "a:b=1,c=2", ShellWord("a:b=1,c=2"))
	require.Equal(t, "''", ShellWord(""))
	require.Equal(t, "'$(x)'", ShellWord("$(x)"))
}

func TestAxes(t *testing.T) {
	a := newAxis(-3, 7, 100, 200, 5)
	require.Equal(t, []float64{-4, -2, 0, 2, 4, 6, 8}, a.ticks)
	require.InDelta(t, 100, a.at(-4), 1e-9)
	require.InDelta(t, 200, a.at(8), 1e-9)
	require.InDelta(t, 200, a.at(1e9), 1e-9, "held inside")
	l := newLogAxis(0.02, 300, 0, 50)
	require.Equal(t, []float64{0.01, 0.1, 1, 10, 100, 1000}, l.ticks)
	require.InDelta(t, 20, l.at(1), 1e-9)
	flat := newAxis(5, 5, 0, 10, 4)
	require.InDelta(t, 5, flat.at(5), 1e-9)
}

// Whatever the figures, an axis has a few finite ticks around them.
func TestAnyAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e100, 1e100).Draw(t, "low")
		high := low + rapid.OneOf(rapid.Float64Range(0, 1e-12), rapid.Float64Range(0, 1e3), rapid.Float64Range(0, 1e100)).Draw(t, "range")
		n := rapid.IntRange(1, 10).Draw(t, "n")
		for _, a := range []axis{newAxis(low, high, 0, 100, n), newLogAxis(low, high, 0, 100)} {
			if len(a.ticks) < 2 || len(a.ticks) > 3*n+3 && !a.log || len(a.ticks) > 500 {
				t.Fatalf("%d ticks", len(a.ticks))
			}
			for _, x := range append(a.ticks, low, high) {
				if at := a.at(x); !(at >= -1e-6 && at <= 100+1e-6) {
					t.Fatalf("%g is at %g", x, at)
				}
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
		about := Run{Name: "fuzz"}
		about.Manifest, _ = tournament.ParseManifest([]byte(manifest))
		steps, _, _ := history.ReadFrom(strings.NewReader(curves), HistoryFile)
		about.Charts = historyCharts(steps)
		c, rated := collect(t, Options{Games: 1}, about, games)
		p, err := Build(c, Input{Tables: rated})
		require.NoError(t, err)
		require.NoError(t, WriteHTML(io.Discard, p))
		require.NoError(t, WriteMarkdown(io.Discard, p, func(f Figure) (string, error) {
			require.NotContains(t, f.SVG, "NaN")
			require.NotContains(t, f.SVG, "Inf")
			return "x", wellFormed(f.StandaloneSVG())
		}))
	})
}

func TestHeat(t *testing.T) {
	require.Equal(t, []string{"h0", "h4", "h8", "h8"}, []string{heat(0), heat(0.5), heat(0.95), heat(1)})
}
