package play

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// exploredRun makes a run of two games from one opening, and returns them.
func exploredRun(t *testing.T, s *testServer) []*record.Record {
	games := []*record.Record{drawGame("simplified", 0, "a", hostile), drawGame("simplified", 1, hostile, "a")}
	writeRun(t, filepath.Join(s.results, "sub", "run é"), "finished", lines(games...))
	return games
}

// explore asks what was played.
func (s *testServer) explore(body string) (found struct {
	Games, More int
	Notes       []string
	Moves       []struct {
		Move, Run string
		Game, Ply int64
	}
}) {
	s.t.Helper()
	w := s.post("/api/explore", body)
	require.Equal(s.t, http.StatusOK, w.Code, w.Body.String())
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &found))
	return found
}

func TestExplore(t *testing.T) {
	s := newTestServer(t)
	none := s.explore(`{"rules":"simplified"}`)
	require.NotNil(t, none.Moves)
	require.Empty(t, none.Moves, "there are no runs")
	games := exploredRun(t, s)
	require.Empty(t, s.explore(`{"rules":"simplified"}`).Moves, "runs are looked at every few seconds")
	s.games.explored.next = time.Time{}
	start := s.explore(`{"rules":"simplified"}`)
	require.Equal(t, 2, start.Games)
	require.Len(t, start.Moves, 1)

	body, err := json.Marshal(positionRequest{Rules: "simplified", Position: games[0].Opening, Moves: games[0].Moves[:1]})
	require.NoError(t, err)
	second := s.explore(string(body))
	require.Equal(t, 1, second.Games)
	m := second.Moves[0]
	require.Equal(t, games[0].Moves[1], m.Move)
	require.Equal(t, []any{"sub/run é", int64(0), int64(2)}, []any{m.Run, m.Game, m.Ply})
	require.Empty(t, second.Notes)

	writeRun(t, filepath.Join(s.results, "torn"), "finished", "x\n")
	writeRun(t, filepath.Join(s.results, "folder"), "finished", "")
	require.NoError(t, os.Remove(filepath.Join(s.results, "folder", tournament.GamesFile)))
	require.NoError(t, os.Mkdir(filepath.Join(s.results, "folder", tournament.GamesFile), 0o700))
	s.games.explored.next = time.Time{}
	start = s.explore(`{"rules":"simplified"}`)
	require.Equal(t, 2, start.Games)
	require.Len(t, start.Notes, 2)
	require.Contains(t, start.Notes[0], "left out: 1 game that can't be read; the first is torn:1: ")
	require.Equal(t, "left out: folder: is a directory", start.Notes[1])

	for body, want := range map[string]string{
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
	opening := b.Text(`document.querySelector("#games-moves button").textContent`)
	b.Click("#games-moves button")
	b.shows(opening, 0)
	require.Empty(t, console())

	// the link of an example opens the game at its ply
	b.Wait(`document.querySelectorAll("#games-moves tr").length === 2`)
	b.Click("#games-moves a")
	b.Wait(`location.pathname.startsWith("/game/sub/run%20%C3%A9/") && location.hash === "#ply=1"`)
	b.Wait(`document.querySelector("li[aria-current]")?.dataset.ply === "1"`)
}
