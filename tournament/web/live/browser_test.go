package live

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/web"
	"gyges/tournament/web/internal/browsertest"
)

// listen serves the pages to a browser.
func listen(t *testing.T, s *testServer) string {
	t.Helper()
	return browsertest.Serve(t, s.Handler(), s.Close)
}

// The live table changes when games end, and the viewer gets them; a page that is paused waits.
func TestBrowserLive(t *testing.T) {
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(append(drawPair(0), drawPair(1)...)...))
	b := browsertest.Open(t)
	url := listen(t, s)
	console := b.Visit(url)
	b.Wait(`document.querySelector(".runs .badge.running")`)
	b.Click(".runs tbody a")
	b.Wait(`document.querySelector("#viewer .board")`)
	const games = `document.querySelector(".top dd").textContent`
	const scored = `document.querySelector(".lead").textContent.match(/of (\d+) points/)[1]`
	require.Equal(t, "4", b.Text(games))
	require.Equal(t, "4", b.Text(scored))
	require.Equal(t, "2",
		b.Text(`[...document.querySelectorAll("#match dt")].find((e) => e.textContent === "Pairs").nextSibling.textContent[0]`))
	require.Equal(t, "live", b.Text(`document.querySelector("[data-badge]").textContent`))
	require.Equal(t, 4, b.Count(".boards .board"))
	plot := b.Text(`document.querySelector("#standings svg")?.outerHTML ?? ""`) +
		b.Text(`document.querySelector("#match svg").outerHTML`)

	fault := drawGame("standard", 5, "b", "a")
	fault.Result, fault.Reason = "0-1", string(record.FaultIllegal)
	fault.Fault = &record.Fault{Side: "south", Kind: record.FaultIllegal, Detail: hostile}
	appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawGame("standard", 4, "a", "b"), fault))
	b.Wait(games + ` === "6"`)
	require.Equal(t, "6", b.Text(scored))
	require.NotEqual(t, plot,
		b.Text(`document.querySelector("#standings svg")?.outerHTML ?? ""`)+b.Text(`document.querySelector("#match svg").outerHTML`))
	require.Contains(t, b.Text(`document.querySelector(".progress").textContent`), "6 of at most 100 games, 1 fault")
	b.Wait(`document.querySelector('.games tr[data-id="1.5"]')`)
	b.Click(`.boards a`)
	b.Wait(`location.hash.startsWith("#game=1.5&ply=")`)
	b.Wait(`document.querySelector(".sides b").textContent === "North: a"`)

	b.Click("[data-pause]")
	appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawPair(3)...))
	b.Wait(`document.documentElement.dataset.waiting`)
	require.Equal(t, "paused", b.Text(`document.querySelector("[data-badge]").textContent`))
	require.Equal(t, "6", b.Text(games))
	b.Click("[data-pause]")
	b.Wait(games + ` === "8"`)
	writeRun(t, dir, "finished", lines(append(append(append(drawPair(0), drawPair(1)...), drawPair(2)...),
		drawPair(3)...)...))
	b.Wait(`document.querySelector("[data-badge]").textContent === "not running"`)
	require.Empty(t, console())
}

// A link to a game that is not among those that the page holds leads to the game's own page.
func TestBrowserAbsentGame(t *testing.T) {
	s := newTestServer(t)
	text := ""
	for pair := range int64(sampledGames/2 + 1) {
		text += lines(drawPair(pair)...)
	}
	writeRun(t, filepath.Join(s.results, "group", "match"), "finished", text)
	absent := 0
	for strings.Contains(s.get("/run/group/match").Body.String(), fmt.Sprintf(`"id":"1.%d"`, absent)) {
		absent++
	}
	require.Less(t, absent, sampledGames+2)
	b := browsertest.Open(t)
	b.Visit(fmt.Sprintf("%s/run/group/match#game=1.%d&ply=3", listen(t, s), absent))
	b.Wait(fmt.Sprintf(`location.pathname + location.hash === "/game/group/match/%d#ply=3"`, absent))
}

// What is typed above the list of runs is in its address at once, and the list that follows is of that query.
func TestBrowserList(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "two"), "finished", lines(drawPair(0)...))
	b := browsertest.Open(t)
	console := b.Visit(listen(t, s) + "/?sort=run")
	const rows = `[...document.querySelectorAll(".runs tbody a")].map((a) => a.textContent).join(" ")`
	b.Wait(rows + ` === "one two"`)
	b.Click(`[name="q"]`)
	b.Press("two")
	b.Wait(rows + ` === "two"`)
	require.Equal(t, "?q=two&sort=run", b.Text("location.search"))
	writeRun(t, filepath.Join(s.results, "one-two"), "finished", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "three"), "finished", lines(drawPair(0)...))
	b.Wait(rows + ` === "one-two two"`)
	require.Empty(t, console())
}

// A page whose events were refused, since too many pages are open, follows by itself once there is room.
func TestBrowserFollowsAgain(t *testing.T) {
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(drawPair(0)...))
	var open []*web.Events
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set(web.PageHeader, "1")
	for e := s.NewEvents(httptest.NewRecorder(), r); e != nil; e = s.NewEvents(httptest.NewRecorder(), r) {
		open = append(open, e)
	}
	b := browsertest.Open(t)
	b.Visit(listen(t, s) + "/run/match")
	b.Wait(`document.querySelector("[data-badge]").textContent === "not connected"`)
	for _, e := range open {
		e.Close()
	}
	appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawPair(1)...))
	b.Wait(`document.querySelector(".top dd").textContent === "4"`)
	require.Equal(t, "live", b.Text(`document.querySelector("[data-badge]").textContent`))
}

// hostile is a text that would do harm wherever it isn't escaped.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'` + "`|&amp;\\ </style></script><!-- é {{.}} ${x}"

// The pages of runs can be read in windows of all sizes, light and dark, and use them.
func TestBrowserLooks(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "match"), "running", lines(append(drawPair(0), drawPair(1)...)...))
	kang := lines(drawGame("kang", 0, "alphabeta:depth=4,hash=64", "b"), drawGame("kang", 1, "b", "alphabeta:depth=4,hash=64"))
	writeRun(t, filepath.Join(s.results, "kang"), "finished", kang+lines(drawPair(1)...))
	writeSwiss(t, filepath.Join(s.results, "swiss"))
	writeTraining(t, filepath.Join(s.results, "training"))
	url := listen(t, s)
	for name, path := range map[string]string{
		"front": "/", "run": "/run/match", "kang": "/run/kang#game=1.0&ply=3", "swiss": "/run/swiss", "training": "/run/training",
		"nothing": "/nothing",
	} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.Open(t)
			b.Looks(name, url+path, func(bool) { b.Wait(`document.querySelector("h1, .runs")`) })
		})
	}
}

// The first page says what the game is, shows it, and leads a newcomer to the lesson, the exercises and a game, then
// to the runs.
func TestBrowserFront(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "match"), "finished", lines(drawPair(0)...))
	b := browsertest.Open(t)
	console := b.Visit(listen(t, s))
	require.Len(t, strings.Split(b.Text(`document.querySelector("header .lead").textContent`), ". "), 2)
	b.Is(`!!document.querySelector("#learn svg.board[aria-label] .path")`)
	var links, titles []string
	b.Eval(`[...document.querySelectorAll("#learn li a")].map((e) => e.getAttribute("href"))`, &links)
	require.Equal(t, []string{"/play#lesson", "/exercises", "/play#first"}, links)
	b.Eval(`[...document.querySelectorAll("main h2")].map((e) => e.textContent)`, &titles)
	require.Equal(t, []string{"Learn to play", "Runs"}, titles)
	require.Empty(t, console())
}
