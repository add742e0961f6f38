package live

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/web/internal/browsertest"
)

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
