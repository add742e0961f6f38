package live

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/internal/browsertest"
	"gyges/tournament/record"
)

// after is the board of a game after some moves.
func after(t *testing.T, g *record.Game, moves int) string {
	t.Helper()
	r := rules.MustParse(g.Rules)
	start, err := r.ParsePosition(g.Opening)
	require.NoError(t, err)
	game := rules.NewGame(r, start)
	for _, text := range g.Moves[:moves] {
		m, err := r.ParseMove(game.Position(), text)
		require.NoError(t, err)
		require.NoError(t, game.Play(m))
	}
	return rows(r, game.Position())
}

// A game under way is followed move by move: its board in the list changes, and so does the one
// in the viewer unless the visitor has stepped back. When the game is over it becomes the
// recorded one.
func TestBrowserWatch(t *testing.T) {
	for _, width := range []int64{390, 1280, 1920} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { watchGame(t, width) })
	}
}

func watchGame(t *testing.T, width int64) {
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(append(drawPair(0), drawPair(1)...)...))
	pair := drawPair(2)
	for i := int64(3); len(pair[0].Moves) < 10; i++ { // a longer one
		pair = drawPair(i)
		pair[0].Game, pair[0].Pair, pair[1].Game, pair[1].Pair = 4, 2, 5, 2
	}
	g := pair[0]
	g.Scores = make([]record.Score, len(g.Moves))
	for i := range g.Scores {
		g.Scores[i] = record.Score(40 * (i%3 - 1))
	}
	n := len(g.Moves)
	var others []*record.Game
	for i := int64(3); i < 9; i++ {
		others = append(others, cut(drawPair(i)[0], 3))
	}
	writePlaying(t, dir, 0, 12, append([]*record.Game{cut(g, n-4)}, others...)...)

	b := browsertest.Open(t)
	require.NoError(t, chromedp.Do(b.Context(), chromedp.EmulateViewport(width, 900)))
	console := b.Visit(listen(t, s) + "/run/match")
	const (
		card   = `#playing .card[href^="#game=1.4&"]`
		small  = `document.querySelector('` + card + ` .board').dataset.position`
		large  = `document.querySelector(".stage .board").dataset.position`
		at     = `document.querySelector(".at").textContent`
		behind = `!document.querySelector("[data-act=latest]").hidden`
	)
	b.Wait(`document.querySelectorAll("#playing .card").length === 7`)
	require.Equal(t, after(t, g, n-4), b.Text(small))
	require.Contains(t, b.Text(`document.querySelector('`+card+`').textContent`), fmt.Sprintf("ply %d", n-4))
	require.Contains(t, b.Text(`document.getElementById("playing").textContent`), "The first 7 of 12 are shown.")
	shot(t, b, fmt.Sprint("watch-", width))
	b.Click(card)
	b.Wait(fmt.Sprintf(`location.hash === "#game=1.4&ply=%d"`, n-4))
	require.Equal(t, after(t, g, n-4), b.Text(large))
	require.Contains(t, b.Text(`document.querySelector(".sides").textContent`), "under way")
	boardInView(b)

	writePlaying(t, dir, 0, 12, append([]*record.Game{cut(g, n-3)}, others...)...)
	b.Wait(fmt.Sprintf(`%s === "%d of %d"`, at, n-3, n-3))
	require.Equal(t, after(t, g, n-3), b.Text(large))
	require.Equal(t, after(t, g, n-3), b.Text(small))
	require.Equal(t, fmt.Sprintf("#game=1.4&ply=%d", n-3), b.Text(`location.hash`))

	b.Press(kb.ArrowLeft)
	b.Press(kb.ArrowLeft)
	writePlaying(t, dir, 0, 12, append([]*record.Game{cut(g, n-2)}, others...)...)
	b.Wait(fmt.Sprintf(`%s === "%d of %d"`, at, n-5, n-2))
	require.Equal(t, after(t, g, n-5), b.Text(large), "who has stepped back stays there")
	b.Wait(behind)
	shot(t, b, fmt.Sprint("watch-behind-", width))
	b.Click("[data-act=latest]")
	b.Wait(fmt.Sprintf(`%s === "%d of %d"`, at, n-2, n-2))
	b.Wait(`!(` + behind + `)`)

	// It is over, and its record waits for that of the other game of the pair.
	writePlaying(t, dir, 0, 1, cut(pair[1], 2), g)
	b.Wait(fmt.Sprintf(`%s === "%d of %d"`, at, n, n))
	require.Contains(t, b.Text(`document.querySelector(".sides").textContent`), g.Result+" by "+g.Reason)
	appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(pair...))
	require.NoError(t, os.Remove(filepath.Join(dir, tournament.PlayingFile)))
	b.Wait(`document.querySelector('.games tr[data-id="1.4"][aria-current]')`)
	b.Wait(`document.getElementById("playing").hidden`)
	require.Equal(t, fmt.Sprintf("%d of %d", n, n), b.Text(at))
	require.Equal(t, after(t, g, n), b.Text(large))
	require.Equal(t, fmt.Sprintf("#game=1.4&ply=%d", n), b.Text(`location.hash`))
	noOverflow(t, b)
	require.Empty(t, console())
}

func noOverflow(t *testing.T, b *browsertest.Tab) {
	t.Helper()
	var over int
	b.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
	require.LessOrEqual(t, over, 0)
}

// boardInView waits until the whole board is in the window.
func boardInView(b *browsertest.Tab) {
	b.Wait(`(() => { const r = document.querySelector(".stage").getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; })()`)
}

// The address of a game under way opens it, also before it has begun.
func TestBrowserWatchByAddress(t *testing.T) {
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", "")
	g := drawPair(0)
	writePlaying(t, dir, 0, 1, cut(g[0], 3))
	b := browsertest.Open(t)
	url := listen(t, s) + "/run/match"
	b.Visit(url)
	const at, game = `document.querySelector(".at").textContent`, `document.querySelector(".sides").textContent`
	b.Wait(at + ` === "3 of 3"`)
	require.Equal(t, "", b.Text(`location.hash`), "the first game under way is shown where none is recorded")
	b.Visit("about:blank") // or only the fragment would change
	console := b.Visit(url + "#game=1.1&ply=1")
	b.Wait(`document.querySelector("[data-badge]").textContent === "live" && ` + game + `.includes("Game 1.0")`)
	writePlaying(t, dir, 0, 2, cut(g[0], 3), cut(g[1], 4))
	b.Wait(game + `.includes("Game 1.1") && ` + at + ` === "1 of 4"`)
	boardInView(b)
	writePlaying(t, dir, 0, 0)
	b.Wait(game + `.includes("not recorded yet")`)
	require.Equal(t, "1 of 4", b.Text(at))
	require.Empty(t, console())
}
