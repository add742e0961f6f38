package play

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
)

// exploredRun makes a run of two games from one opening, and returns them.
func exploredRun(t *testing.T, s *testServer) []*record.Game {
	games := []*record.Game{drawGame("simplified", 0, "a", hostile), drawGame("simplified", 1, hostile, "a")}
	writeRun(t, filepath.Join(s.results, "sub", "run é"), "finished", lines(games...))
	return games
}

// explored is an answer.
type explored struct {
	Games int64
	More  int
	Moves []struct {
		Move                    string
		Games, Won, Drawn, Lost int64
		Points, Low, High       *float64
		Run                     string
		Game, Ply               int64
		Examples                []struct{ Address, Name string }
	}
}

// explore asks until the games are read.
func (s *testServer) explore(body string, status int) (found explored) {
	s.t.Helper()
	for {
		w := s.post("/api/explore", body)
		require.Equal(s.t, status, w.Code, w.Body.String())
		found = explored{}
		require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &found))
		if !strings.Contains(w.Body.String(), `"indexing"`) {
			return found
		}
	}
}

func TestExplore(t *testing.T) {
	s := newTestServer(t)
	require.Empty(t, s.explore(`{"rules":"simplified"}`, http.StatusOK).Moves, "there are no runs")
	games := exploredRun(t, s)
	s.games.explorer.updated = s.games.explorer.updated.Add(-reindexAfter)
	start := s.explore(`{"rules":"simplified"}`, http.StatusOK)
	require.EqualValues(t, 2, start.Games)
	require.Equal(t, games[0].Opening, start.Moves[0].Move)
	require.Len(t, start.Moves[0].Examples, 2)

	body, err := json.Marshal(exploreRequest{Rules: "simplified", Position: games[0].Opening, Moves: games[0].Moves[:1]})
	require.NoError(t, err)
	second := s.explore(string(body), http.StatusOK)
	require.EqualValues(t, 1, second.Games)
	m := second.Moves[0]
	require.Equal(t, games[0].Moves[1], m.Move)
	require.Equal(t, "/game/sub/run%20%C3%A9/0#ply=2", m.Examples[0].Address)
	page := s.get(strings.Split(m.Examples[0].Address, "#")[0])
	require.Equal(t, http.StatusOK, page.Code)

	none := s.explore(`{"rules":"simplified","min_elo":9000}`, http.StatusOK)
	require.Zero(t, none.Games)
	require.NotNil(t, none.Moves)
	for body, want := range map[string]string{
		`{"rules":"simplified","moves":["1@a1"]}`:       "expected the start of a game",
		`{"rules":"simplified","position":"x"}`:         "position",
		`{"rules":"` + hostileJSON() + `"}`:             "rules",
		`{"rules":"simplified","moves":["1@a1","x"]}`:   "move 2",
		`{"rules":"simplified","moves":["1@a1","1@b3"]`: "JSON",
	} {
		w := s.post("/api/explore", body)
		require.GreaterOrEqual(t, w.Code, 400, body)
		require.Contains(t, w.Body.String(), want)
	}
}

// A request that can't wait is told what goes on.
func TestExploreBusy(t *testing.T) {
	s := newTestServer(t)
	s.games.explorer.turn <- struct{}{}
	s.games.explorer.progress.Store("run, 5 %")
	w := s.post("/api/explore", `{"rules":"simplified"}`)
	require.JSONEq(t, `{"indexing":"run, 5 %"}`, w.Body.String())
	<-s.games.explorer.turn
}

// The panel lists the moves that were played; a click makes one, and a link leads to a game.
func TestBrowserExplore(t *testing.T) {
	s := newTestServer(t, shallow)
	games := exploredRun(t, s)
	b, console := openAnalysis(t, s, "rules", "simplified", "position", games[0].Opening)
	b.shows(games[0].Opening, 0)
	b.Click("#games summary")
	b.Wait(`document.querySelectorAll("#games-moves tr").length > 0`)
	require.Equal(t, "2 games.", b.Text(`document.getElementById("games-note").textContent`))
	b.Eval(`[...document.querySelectorAll("#games-moves button")].find((e) => e.textContent === `+
		fmt.Sprintf("%q", games[0].Moves[0])+`).click()`, nil)
	r := rules.MustParse("simplified")
	p, err := r.ParsePosition(games[0].Opening)
	require.NoError(t, err)
	m, err := r.ParseMove(p, games[0].Moves[0])
	require.NoError(t, err)
	b.shows(r.FormatPosition(r.Apply(p, m)), 1)
	b.Wait(`document.getElementById("games-note").textContent === "1 game."`)
	require.Equal(t, "/game/sub/run%20%C3%A9/0#ply=2",
		b.Text(`document.querySelector("#games-moves a").getAttribute("href")`))
	require.True(t, b.Text(`document.activeElement.closest("#games") ? "yes" : "no"`) == "yes", "the focus stays")

	// an opening of the start is set up
	b.press("beginning")
	b.Wait(`document.querySelector("#games-moves button")?.textContent.length > 20`)
	b.Click("#games-moves button")
	b.shows(games[0].Opening, 0)
	require.Empty(t, console())

	// the link of an example opens the game at its ply
	b.Wait(`document.querySelectorAll("#games-moves tr").length === 2`)
	b.Click("#games-moves a")
	b.Wait(`location.pathname.startsWith("/game/sub/run%20%C3%A9/") && location.hash === "#ply=1"`)
	b.Wait(`document.querySelector("li[aria-current]")?.dataset.ply === "1"`)
}
