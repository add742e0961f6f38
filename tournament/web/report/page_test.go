package report

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// element is an element of a parsed page.
type element struct{ *html.Node }

func parsePage(t *testing.T, p *Page) element {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteHTML(&out, p))
	root, err := html.Parse(&out)
	require.NoError(t, err)
	return element{root}
}

// all returns the elements of a name below e, in the order of the page.
func (e element) all(name string) (list []element) {
	for n := range e.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			list = append(list, element{n})
		}
	}
	return list
}

// withClass returns those of an element's descendants that have a class.
func (e element) withClass(name, class string) []element {
	return slices.DeleteFunc(e.all(name),
		func(x element) bool { return !slices.Contains(strings.Fields(x.attribute("class")), class) })
}

func (e element) attribute(key string) string {
	for _, a := range e.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (e element) number(t *testing.T, key string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(e.attribute(key), 64)
	require.NoError(t, err)
	return x
}

// text returns the text below e, but for the elements with one of some classes.
func (e element) text(without ...string) string {
	text := ""
	for n := range e.ChildNodes() {
		switch {
		case n.Type == html.TextNode:
			text += n.Data
		case !slices.Contains(without, element{n}.attribute("class")):
			text += element{n}.text(without...)
		}
	}
	return text
}

func texts(list []element, without ...string) []string {
	return mapped(list, func(e element) string { return e.text(without...) })
}

// cells returns the rows of a table as texts, the header first, as Markdown has them.
func (e element) cells() (rows [][]string) {
	for _, tr := range e.all("tr") {
		var row []string
		for n := range tr.ChildNodes() {
			text := element{n}.text("sr", "tip", "small")
			if small := (element{n}).withClass("span", "small"); len(small) > 0 {
				text += " (" + small[0].text() + ")"
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

// captioned returns the tables of a page with a caption.
func (e element) captioned(caption string) []element {
	return slices.DeleteFunc(e.all("table"), func(x element) bool { return x.all("caption")[0].text() != caption })
}

// The page has its sections in order, each with an entry in the contents, and the facts of its games and manifest.
func TestPageContents(t *testing.T) {
	t.Parallel()
	p := samplePage(t)
	page := parsePage(t, p)
	require.Equal(t, "sample – Gygès", page.all("title")[0].text())
	require.Equal(t, []string{"sample"}, texts(page.all("h1")))
	sections := []string{"Standings", "Game statistics", "Over time", "Games", "Reproducibility"}
	require.Equal(t, sections, texts(page.all("h2")))
	links := page.all("nav")[0].all("a")
	require.Equal(t, sections, texts(links))
	for i, s := range page.all("section") {
		require.Equal(t, "#"+s.attribute("id"), links[i].attribute("href"))
		require.Equal(t, s.attribute("id")+"-title", s.attribute("aria-labelledby"))
	}
	require.Equal(t, []string{
		"Rules standard", "Rules kang", "By side and rule set", "Openings", "Games under standard", "Games under kang",
		"results/sample", "This report",
	}, texts(page.all("h3")))
	summary := texts(page.withClass("p", "lead"))
	require.Len(t, summary, 2)
	require.Regexp(t,
		`^Rules standard: gamma's leads beta by \d+\.\d ± \d+\.\d Elo; the likelihood that it is the stronger one is \d\d\.\d %\.$`, summary[0])
	facts := map[string]string{}
	names, values := page.all("dt"), page.all("dd")
	for i := range names {
		facts[names[i].text()] = values[i].text()
	}
	for name, want := range map[string]string{
		"games": "72 of 72", "players": "alpha:x=1, beta, gamma's", "rule sets": "2", "started": "2026-01-02T03:04:05Z", "took": "1m1.5s",
		"games read": "72", "status": "finished", "rules": "standard, kang", "schedule": "round-robin", "pairs a pairing": "6",
		"openings": "random:plies=4", "nodes a move": "5000", "clock": "1m0s+1s", "seed": "18446744073709551615",
		"workers": "2", "program": "v1.2.3, go1.26", "machine": "linux/amd64, 2 cores", "made by": "gyges test",
	} {
		require.Equal(t, want, facts[name], name)
	}
	require.NotContains(t, facts, "error")
	require.Equal(t, []string{"gyges rate results/sample\n"}, texts(page.all("code")))
	require.Equal(t, sampleRun().Manifest.Text, page.all("details")[0].all("pre")[0].text())
	require.Contains(t, page.all("section")[0].text(), "Note: left out: 1 game that can't be read.")
	data := slices.DeleteFunc(page.all("script"), func(e element) bool { return e.attribute("id") != "viewer-data" })
	viewer, err := json.Marshal(p.Viewer)
	require.NoError(t, err)
	require.JSONEq(t, string(viewer), data[0].text())
}

// The page says which programs played, also by a manifest from elsewhere.
func TestEnginesText(t *testing.T) {
	require.Empty(t, enginesText(nil))
	require.Equal(t, `a: Rusty \x1b[31m1, engine 0123456789abcdef; b: `, enginesText(map[string]*agents.Program{
		"a": {Name: "Rusty \x1b[31m1", Files: map[string]string{"engine": "0123456789abcdef0123"}}, "b": {}, "c": nil,
	}))
}

// Equal players are level: nobody leads by nothing.
func TestLevelPlayers(t *testing.T) {
	d := new(ratings.Data)
	d.AddGames("Anna", "Ben", ratings.Result(1), 1)
	d.AddGames("Anna", "Ben", ratings.Result(-1), 1)
	r, err := ratings.Fit(t.Context(), d, ratings.Options{})
	require.NoError(t, err)
	require.Regexp(t, `^Anna and Ben are level \(0 ± \d+ Elo\)\.$`, leader(r))
}

// What two players scored in a few games stands at the top of a page, which has no ratings of them.
func TestFewGamesAreNotRated(t *testing.T) {
	t.Parallel()
	few := regexp.MustCompile(`fewer than \d+ games of two players say too little for ratings`)
	for games, rated := range map[int]bool{7: false, 8: true} {
		c, tables := collect(t, Options{}, RunInfo{}, drawRun("a", "b")[:games])
		fitted := tables.Printed()[0].Ratings
		fitted.Notes = append(fitted.Notes, "one of the fit")
		p := Build(c, Input{Tables: tables})
		require.Equal(t, !rated, few.MatchString(p.Summary[0]), "%d games: %s", games, p.Summary[0])
		var b bytes.Buffer
		require.NoError(t, WriteHTML(&b, p))
		ofRatings := []string{"Ratings with their 95 % intervals", "is stronger than the players", "Note: one of the fit."}
		for _, text := range ofRatings {
			require.Equal(t, rated, strings.Contains(b.String(), text), "%d games: %s", games, text)
		}
		require.Contains(t, b.String(), "Score in % of the player in the row")
	}
}

// The command that plays a run again has every setting that is not the default, quoted for a shell.
func TestPlayCommand(t *testing.T) {
	m := *sampleRun().Manifest
	require.Empty(t, PlayCommand(&m, "results/sample"), "no agent has such a spec")
	m.Config.Agents[2], m.Config.Unknown = agents.Spec{Kind: "ugi", Params: []agents.Param{{Name: "cmd", Value: "a, b"}}}, nil
	require.Equal(t, "gyges tournament --rules standard,kang --agent alpha:x=1 --agent beta "+
		`--agent 'ugi:cmd='\''a, b'\''' --pairs 6 --openings random:plies=4 --nodes 5000 --clock 1m0s+1s `+
		"--seed 18446744073709551615 --out results/sample-again", PlayCommand(&m, "results/sample-again"))
	m.Config.Name, m.Config.Agents = tournament.MatchName, m.Config.Agents[1:]
	require.Equal(t, `gyges match beta 'ugi:cmd='\''a, b'\''' --rules standard,kang --pairs 6 --openings random:plies=4 `+
		"--nodes 5000 --clock 1m0s+1s --seed 18446744073709551615 --out results/again", PlayCommand(&m, "results/again"))
	m.Config.Agents = m.Config.Agents[:1]
	require.Empty(t, PlayCommand(&m, "results/sample"))
}

// selected counts the viewer's games that a link selects, as its script does.
func selected(t *testing.T, v *Viewer, link string) (n int) {
	query, ok := strings.CutPrefix(link, "#list&")
	require.True(t, ok, link)
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	is := func(key, value string) bool { return !values.Has(key) || values.Get(key) == value }
	for _, g := range v.Games {
		south, north := strconv.Itoa(g.South), strconv.Itoa(g.North)
		if is("rules", strconv.Itoa(g.Rules)) && is("result", g.Result) && is("reason", g.Reason) &&
			(is("player", south) && is("against", north) || is("player", north) && is("against", south)) {
			n++
		}
	}
	return n
}

// A number with a link is that of the games that the link selects.
func TestLinksSelectTheGamesCounted(t *testing.T) {
	t.Parallel()
	p := samplePage(t)
	page := parsePage(t, p)
	links := 0
	for _, a := range page.all("main")[0].all("a") {
		want := a.text()
		if tip := a.withClass("span", "tip"); len(tip) > 0 { // of a crosstable
			want = regexp.MustCompile(`of (\d+) points`).FindStringSubmatch(tip[0].text())[1]
		}
		require.Equal(t, want, strconv.Itoa(selected(t, p.Viewer, a.attribute("href"))), a.attribute("href"))
		links++
	}
	require.Greater(t, links, 20)
}

// The game pairs and shares are those of a plain count of the games. The other numbers have links.
func TestStatisticsTables(t *testing.T) {
	t.Parallel()
	page := parsePage(t, samplePage(t))
	games := drawRun("alpha:x=1", "beta", "gamma's")
	var shares []string
	var pairs [][]string
	for i, rules := range []string{"standard", "kang"} {
		south := 0
		count := map[string]int{}
		for first := range slices.Chunk(games[36*i:36*(i+1)], 2) {
			count[first[0].Result+" "+first[1].Result]++
			for _, g := range first {
				require.NotEqual(t, "1/2-1/2", g.Result, "so that no table has a column of draws")
				if g.Result == "1-0" {
					south++
				}
			}
		}
		shares = append(shares, strconv.FormatFloat(float64(south)/36*100, 'f', 1, 64)+" %")
		row := []string{rules, "18"}
		for _, n := range []int{count["1-0 1-0"], count["0-1 0-1"], count["1-0 0-1"] + count["0-1 1-0"], 0} {
			row = append(row, strconv.Itoa(n))
		}
		pairs = append(pairs, row)
	}
	results := page.captioned("Results by side")[0].cells()[1:]
	require.Equal(t, shares, mapped(results, func(row []string) string { return row[4] }))
	require.Equal(t, pairs, page.captioned("Game pairs by what decided them")[0].cells()[1:])
	require.Equal(t, [][]string{{"Player", "Fault", "Games"}, {"beta", "illegal: a move that isn't legal", "1"}},
		page.captioned("Games lost by faults")[0].cells())
}

// Pictures draw the numbers of the tables.
func TestPictures(t *testing.T) {
	t.Parallel()
	page := parsePage(t, samplePage(t))
	figures := map[string]element{}
	for _, f := range page.all("figure") {
		svg := f.all("svg")[0]
		require.Equal(t, f.all("figcaption")[0].text(), svg.attribute("aria-label"))
		figures[f.attribute("id")] = svg
	}
	var names []string
	for name := range figures {
		names = append(names, name)
	}
	require.Subset(t, names, []string{"elo-1-1", "elo-2-1", "lengths-1", "lengths-2", "curve-1-1"})

	// Ratings: a dot for each player, as far apart as the ratings, in its interval.
	rows := page.captioned("Ratings")[0].cells()[1:]
	dots, whiskers := figures["elo-1-1"].withClass("circle", "dot"), figures["elo-1-1"].withClass("line", "whisker")
	require.Len(t, dots, 3)
	scale := (dots[0].number(t, "cx") - dots[2].number(t, "cx")) / (number(rows[0][2]) - number(rows[2][2]))
	for i, dot := range dots {
		require.Equal(t, rows[i][1]+": "+rows[i][2]+" "+rows[i][3]+" Elo", dot.text())
		require.InDelta(t, scale*(number(rows[i][2])-number(rows[1][2])), dot.number(t, "cx")-dots[1].number(t, "cx"), 0.2)
		margin := number(strings.TrimPrefix(rows[i][3], "± "))
		require.InDelta(t, dot.number(t, "cx")-scale*margin, whiskers[3*i].number(t, "x1"), 0.2)
		require.InDelta(t, dot.number(t, "cx")+scale*margin, whiskers[3*i].number(t, "x2"), 0.2)
	}

	// Lengths: bars as high as their numbers of games.
	sum := 0.0
	bars := figures["lengths-1"].withClass("rect", "bar")
	unit := 0.0
	for _, bar := range bars {
		n := number(regexp.MustCompile(`: (\d+) games?$`).FindStringSubmatch(bar.text())[1])
		sum += n
		unit = max(unit, bar.number(t, "height")/n)
		require.InDelta(t, unit*n, bar.number(t, "height"), 0.3)
	}
	require.Equal(t, 36.0, sum)

	// Curves: a path and its points, and what they are called.
	curve := figures["curve-1-1"]
	require.Len(t, curve.withClass("circle", "point"), 24)
	require.Len(t, curve.withClass("line", "error"), 24)
	require.Len(t, curve.withClass("path", "curve"), 2)
	require.Equal(t, 12, strings.Count(curve.withClass("path", "k0")[0].attribute("d"), " "))
	require.Equal(t, []string{"training", "validation"}, texts(curve.withClass("text", "label")))
	require.Equal(t, "training at 0: 0.7", curve.withClass("circle", "k0")[0].text())
	require.Equal(t, []string{"epoch", "cross-entropy"}, texts(curve.withClass("text", "name")))
}

// The script of a page imports nothing, and nothing in it has the name of something else.
func TestScript(t *testing.T) {
	t.Parallel()
	require.NotRegexp(t, `(?m)^(import|export|} from) `, script(modules...))
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:async )?(?:function|const|let|class) ([\w$]+)`).FindAllStringSubmatch(
		script(modules...), -1) {
		require.False(t, known[m[1]], m[1])
		known[m[1]] = true
	}
}

// Names, rules, reasons, faults and manifests are text wherever they come.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 200)
	games := drawRun(hostile, long, "plain")
	games[5].Reason, games[7].Reason = hostile, "adjudicated-"+long
	games[3].Fault.Detail = hostile
	for _, g := range games[60:] {
		g.Rules = hostile
	}
	about := sampleRun()
	about.Name, about.Notes = hostile, []string{hostile}
	about.Manifest.Error, about.Manifest.Text = hostile, hostile+"\n```\n"+hostile
	about.Manifest.Config.Agents[0].Kind = hostile
	about.Charts = []Chart{{Title: hostile, XName: hostile, YName: hostile, Curves: []Curve{{Name: hostile, Points: []Point{{X: 1, Y: 2}}}, {Name: long}}}}
	c, rated := collect(t, Options{Games: 100}, about, games)
	rated.Notes = []string{hostile}
	p := Build(c, Input{Title: hostile, Tables: rated, Commands: []string{hostile}, Program: hostile})

	var out bytes.Buffer
	require.NoError(t, WriteHTML(&out, p))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\u202e")
	page := parsePage(t, p)
	require.Empty(t, page.all("img"))
	require.Len(t, page.all("script"), 2, "the data and the script")
	require.Len(t, page.all("style"), 1)
	visible := textfmt.Visible(hostile)
	require.Equal(t, visible, page.all("h1")[0].text())
	var names []string
	for _, th := range page.all("th") {
		names = append(names, th.text("sr"))
	}
	require.Contains(t, names, visible)
	require.Contains(t, names, long)
	for _, svg := range page.all("svg") {
		for n := range svg.Descendants() {
			if n.Type == html.ElementNode {
				require.Contains(t, []string{"line", "rect", "circle", "path", "text", "title"}, n.Data)
			}
		}
	}

}

// textElement is a text of a picture: anchor, x, and its words.
var textElement = regexp.MustCompile(`<text [^>]*text-anchor="(\w+)" x="([-\d.]+)"[^>]*>([^<]*)<`)

// No label of a histogram is cut at the edge of its picture: neither the last tick nor the median.
func TestLabelsOfHistogramsAreWhole(t *testing.T) {
	t.Parallel()
	for _, lengths := range []map[int]int64{
		{400: 50, 30: 1}, {3: 7}, {1_000_000: 2}, {99_999: 9, 4: 1}, {1: 30, 399: 1}, {250: 9, 1000: 8},
	} {
		f := lengthPlot("lengths", "standard", lengths)
		for width, svg := range map[float64]template.HTML{wideWidth: f.SVG, narrowWidth: f.Narrow} {
			labels := textElement.FindAllStringSubmatch(string(svg), -1)
			require.NotEmpty(t, labels)
			for _, l := range labels {
				const char = 6.8 // of tabular digits at 12 pixels
				size := char * float64(utf8.RuneCountInString(l[3]))
				x := number(l[2])
				left := map[string]float64{"start": x, "middle": x - size/2, "end": x - size}[l[1]]
				require.GreaterOrEqual(t, left, 0.0, "%v: %s", lengths, l[0])
				require.LessOrEqual(t, left+size, width, "%v: %s", lengths, l[0])
			}
		}
	}
}

// Pictures are drawn by presentation attributes, too, for pages whose policy allows no style
// sheet: no class of a line, a path or a text is without a colour, and there is no style
// attribute.
func TestPicturesWithoutStyleSheets(t *testing.T) {
	t.Parallel()
	svg := string(sampleChart().plot("x").SVG) + string(lengthPlot("lengths", "standard", map[int]int64{4: 1}).SVG)
	require.NotContains(t, svg, "style=")
	for _, element := range regexp.MustCompile(`<(line|path) [^>]*>`).FindAllString(svg, -1) {
		require.Contains(t, element, `stroke="#`)
	}
	for _, class := range []string{"grid", "curve k0", "curve k7", "tick", "bar", "whisker", "dot", "ring top", "path"} {
		require.Regexp(t, `(stroke|fill)="#`, paint(class), class)
	}
	require.Equal(t, `class="unknown"`, paint("unknown"))
	require.NotContains(t, Figure{SVG: template.HTML(svg)}.StandaloneSVG(), "style=")
}

// An imported run began with its games, whose import is a fact of its own; others began when they
// say.
func TestStartOfRuns(t *testing.T) {
	t.Parallel()
	imported := &tournament.Manifest{Status: tournament.Imported, Start: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)}
	imported.End = imported.Start.Add(time.Second)
	c := NewCollector(Options{})
	c.AddRun(RunInfo{Name: "old", Manifest: imported})
	for i, day := range []int{9, 4, 30} {
		g := drawGame("standard", int64(i), "a", "b")
		g.Timing.Start = time.Date(1999, 12, day, 0, 0, 0, 0, time.UTC)
		c.Add(g)
	}
	facts := func() map[string]string {
		list := map[string]string{}
		tables, err := c.Fit(t.Context(), ratings.Options{}, true)
		require.NoError(t, err)
		p := Build(c, Input{Tables: tables})
		for _, f := range p.Facts {
			list["top "+f.Name] = f.Value
		}
		for _, s := range p.Sections {
			for _, part := range s.Parts {
				for _, f := range part.Facts {
					list[f.Name] = f.Value
				}
			}
		}
		return list
	}
	got := facts()
	require.Equal(t, "1999-12-04", got["top started"])
	require.Equal(t, "1999-12-04", got["started"])
	require.Equal(t, "2026-05-06 07:08 UTC", got["imported"])
	require.NotContains(t, got, "took")
	imported.Status = tournament.Finished
	got = facts()
	require.Equal(t, "2026-05-06 07:08 UTC", got["top started"])
	require.Equal(t, "2026-05-06T07:08:09Z", got["started"])
	require.Equal(t, "1s", got["took"])
	require.NotContains(t, got, "imported")
}

// What a run has come to by its format stands once on a page, at its top.
func TestWinnerStandsOnce(t *testing.T) {
	t.Parallel()
	c, tables := collect(t, Options{}, sampleRun(), drawRun("a", "b"))
	standing := grid.New("Knock-out", 1, "Winner")
	standing.Add(grid.Name("a"))
	standing.Result, standing.Notes = "a has won the knock-out.", []string{"A note."}
	tables.Standings = []table.Standings{{Format: "knockout", Caption: "Matches", Table: standing}}
	var b bytes.Buffer
	require.NoError(t, WriteHTML(&b, Build(c, Input{Tables: tables})))
	require.Equal(t, 1, strings.Count(b.String(), "has won the knock-out"))
	require.Contains(t, b.String(), "A note.")
	require.NotEmpty(t, standing.Result, "the table itself stays as it is")
}
