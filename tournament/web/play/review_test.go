package play

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/web/internal/browsertest"
)

// askReview asks for a review, and returns the status and the last event, or the refusal.
func askReview(t *testing.T, url, body string) (status int, kind, data string) {
	t.Helper()
	at := open(t, http.MethodPost, url+"/api/review", body)
	if at.StatusCode != http.StatusOK {
		refusal, err := io.ReadAll(at.Body)
		require.NoError(t, err)
		return at.StatusCode, "", string(refusal)
	}
	for event, text := at.next(); event != ""; event, text = at.next() {
		kind, data = event, text
	}
	return at.StatusCode, kind, data
}

// shortGame is a game of a few moves.
func shortGame() *record.Record {
	return &record.Record{
		Rules: "standard", Opening: "201030/013000/022000/000032/000000/031100 s", Policy: "x",
		South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"}, Moves: []string{"a1-a2"},
		Result: "0-1", Reason: record.Resignation, Plies: 1,
	}
}

// A game of a listed run is reviewed as the command does it, once; whatever else a request names is refused.
func TestReview(t *testing.T) {
	s := newTestServer(t)
	bad := shortGame()
	bad.Game, bad.Moves = 1, []string{"a1-z9"}
	none := shortGame()
	none.Game, none.Moves, none.Plies, none.Reason = 2, []string{}, 0, record.Imported
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(shortGame(), bad, none))
	require.NoError(t, os.Mkdir(filepath.Join(s.results, "..", "outside"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(s.results, "..", "outside", tournament.GamesFile), []byte(lines(shortGame())), 0o600))
	url := listen(t, s)

	want, err := review.New(reviewNodes).Game(t.Context(), shortGame(), nil)
	require.NoError(t, err)
	for range 2 {
		status, kind, data := askReview(t, url, `{"run":"one","game":0}`)
		require.Equal(t, []any{200, "review"}, []any{status, kind}, data)
		got := new(review.Review)
		require.NoError(t, json.Unmarshal([]byte(data), got))
		require.Equal(t, want, got)
	}

	for body, status := range map[string]int{
		`{"run":"one","game":7}`:           404,
		`{"run":"one","game":-1}`:          404,
		`{"run":"two","game":0}`:           404,
		`{"run":"../outside","game":0}`:    404,
		`{"run":"one/../one","game":0}`:    404,
		`{"run":"","game":0}`:              404,
		`{"run":"one","game":1}`:           422,
		`{"run":"one","game":2}`:           422,
		`{"run":"one","game":0,"nodes":1}`: 400,
		`{"run":"one","game":"x"}`:         400,
	} {
		got, _, data := askReview(t, url, body)
		require.Equal(t, status, got, "%s: %s", body, data)
		require.Contains(t, data, `"error"`, body)
	}
}

// An address has one review at a time. A request that goes away gives its place back, and the place of a search, too.
func TestReviewLimits(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(shortGame()))
	url := listen(t, s)
	free, err := s.games.light.Turn(t.Context(), "")
	require.NoError(t, err)

	waits := open(t, http.MethodPost, url+"/api/review", `{"run":"one","game":0}`)
	status, _, data := askReview(t, url, `{"run":"one","game":0}`)
	require.Equal(t, http.StatusTooManyRequests, status, data)
	waits.cancel()
	require.Eventually(t, func() bool {
		return s.games.reviews.Acquire("127.0.0.1")
	}, time.Minute, 5*time.Millisecond)
	s.games.reviews.Release("127.0.0.1")
	free()
	status, kind, data := askReview(t, url, `{"run":"one","game":0}`)
	require.Equal(t, []any{200, "review"}, []any{status, kind}, data)
}

// The button reviews the game that is shown; a link may ask for it, too.
func TestBrowserReview(t *testing.T) {
	s := newTestServer(t, shallow)
	games := []*record.Record{shortGame(), drawGame("standard", 1, "a", "b")}
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(games...))
	url := listen(t, s)
	b := browsertest.Open(t)
	console := b.Visit(url + "/run/one#game=1.0&ply=0")
	b.Wait(`document.querySelector(".review-start")`)
	b.PressOn(`.review-start`, kb.Enter)
	b.Wait(`document.querySelector(".moves .mark-missed-win")`)
	b.Is(`document.activeElement.closest(".review-summary")`) // the focus stays
	require.Contains(t, b.Text(`document.querySelector(".review-status").textContent`), "The review is done.")
	b.Wait(`location.hash === "#game=1.0&ply=0&review"`)
	b.Click(".review-turn")
	b.Wait(`document.querySelector(".review-line button")`)
	b.Click(".review-line button")
	described := b.Text(`document.querySelector(".review-status").textContent`)
	require.Regexp(t, "^(South|North) ", described)
	b.Press(kb.ArrowLeft)
	require.NotEqual(t, described, b.Text(`document.querySelector(".review-status").textContent`), "it is of a move that is no longer shown")

	b.Visit("about:blank")
	require.Empty(t, console())
	b.Visit(url + "/run/one#game=1.1&ply=0&review")
	b.Wait(`document.querySelector(".review-turn")`)
	b.Click(".review-turn")
	for _, width := range []int64{390, 1280} {
		b.Resize(width, 900)
		b.Is(`document.documentElement.scrollWidth === document.documentElement.clientWidth`)
	}

	// after a game its review is on a page of its own: turned to the person, with what lost it
	g := shortGame()
	g.South.Agent, g.North.Agent = "greedy", "human"
	writeRun(t, filepath.Join(s.results, "two"), "finished", lines(g))
	console = b.Visit(url + "/game/two/0#review")
	b.Wait(`document.querySelector(".review-turn")`)
	require.Equal(t, "true", b.Text(`(() => { const at = (q) => document.querySelector(q).getBoundingClientRect();
		return String(at('[data-square="a1"]').top < at('[data-square="a6"]').top); })()`), "North is below")
	require.Equal(t, "0", b.Text(`String(scrollY)`))
	b.Wait(`location.hash === "#ply=0&review"`)
	b.Click(`[data-act="last"]`)
	b.Wait(fmt.Sprintf(`location.hash === "#ply=%d&review"`, len(g.Moves)))
	b.Eval(`void (window.old = true, location.reload())`, nil)
	b.Wait(`!window.old && document.querySelector(".review-turn")`)
	b.Wait(fmt.Sprintf(`location.hash === "#ply=%d&review"`, len(g.Moves)))
	require.Equal(t, fmt.Sprintf("%d of %d", g.Plies, g.Plies), b.Text(`document.querySelector(".at").textContent`))
	require.Contains(t, b.Text(`document.querySelector(".sides").textContent`), "Game 0, ")
	require.Empty(t, console())

	// a recorded game leads to its position on the analysis board
	b.Visit("about:blank")
	console = b.Visit(url + "/run/one#game=1.1&ply=3")
	b.Wait(`document.querySelector("#viewer .board")`)
	b.Click(`#viewer a[href^="/analyse#"]`)
	replayed, err := record.Replay(games[1])
	require.NoError(t, err)
	for len(replayed.Moves()) > 3 {
		replayed.Undo()
	}
	b.Wait(`location.pathname === "/analyse"`)
	board{b, t}.shows(replayed.Rules().FormatPosition(replayed.Position()), 3)
	require.Len(t, board{b, t}.moves(), len(games[1].Moves))
	require.Empty(t, console())
}
