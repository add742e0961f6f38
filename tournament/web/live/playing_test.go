package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
)

// cut is a game after some moves, as a run shows it while it is played.
func cut(g *record.Record, moves int) *record.Record {
	c := *g
	c.Moves, c.Scores, c.Plies, c.Result, c.Reason = g.Moves[:moves], g.Scores[:min(moves, len(g.Scores))], moves, "", ""
	return &c
}

// writePlaying writes the games that a run plays, as of some time ago.
func writePlaying(t testing.TB, dir string, ago time.Duration, count int, games ...*record.Record) {
	t.Helper()
	text, err := json.Marshal(tournament.Playing{Time: time.Now().Add(-ago), Games: games, Count: count})
	require.NoError(t, err)
	path := filepath.Join(dir, tournament.PlayingFile)
	require.NoError(t, os.WriteFile(path+".new", text, 0o644))
	require.NoError(t, os.Rename(path+".new", path))
}

// shownPlaying are the games under way on a page.
func (s *testServer) shownPlaying(id string) []boardGame {
	return s.run(id).feed.now(0).page.Playing
}

// The page has the games under way, and no longer those that are over or recorded.
func TestPlaying(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", "")
	g := drawPair(0)
	writePlaying(t, dir, 0, 5, cut(g[1], 4), g[0])
	games := s.shownPlaying("match")
	require.Len(t, games, 1)
	require.Len(t, games[0].Game.Moves, 4)
	require.Equal(t, []string{"1.1", "", "b", "a", "standard"},
		[]string{games[0].Game.ID, games[0].Game.Result, games[0].South, games[0].North, games[0].Rules})
	require.Contains(t, s.get("/run/match").Body.String(), `"playing":[{"game":{"id":"1.1"`)
	writePlaying(t, dir, 0, 1, cut(g[1], 5))
	require.Len(t, s.shownPlaying("match")[0].Game.Moves, 5)
	appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(append(g, append(drawPair(1), drawPair(2)...)...)...))
	require.Empty(t, s.shownPlaying("match"), "it is recorded")

	var left []*record.Record // of a player that was suspended
	for _, g := range drawPair(0) {
		g.Moves, g.Result, g.Reason = []string{}, "0-1", string(record.FaultSuspended)
		g.Fault = &record.Fault{Side: "south", Kind: record.FaultSuspended}
		left = append(left, g)
	}
	dir = filepath.Join(s.results, "suspended")
	writeRun(t, dir, "running", lines(left...))
	writePlaying(t, dir, 0, 1, cut(drawPair(0)[1], 5))
	require.Empty(t, s.shownPlaying("suspended"), "it was not played, but is recorded")
}

// Nothing is shown of a run that doesn't go on, or whose process was killed.
func TestPlayingOutOfDate(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, status := range []string{"finished", "interrupted", "failed", "running", ""} {
		dir := filepath.Join(s.results, "run"+status)
		writeRun(t, dir, status, "")
		writePlaying(t, dir, 2*tournament.PlayingFresh, 1, cut(drawPair(0)[0], 4))
		require.Empty(t, s.shownPlaying("run"+status), status)
		writePlaying(t, dir, -2*tournament.PlayingFresh, 1, cut(drawPair(0)[0], 4))
		require.Empty(t, s.shownPlaying("run"+status), "a time to come")
		writePlaying(t, dir, 0, 1, cut(drawPair(0)[0], 3))
		require.Equal(t, status == "running", len(s.shownPlaying("run"+status)) == 1, status)
		require.NoError(t, os.Remove(filepath.Join(dir, tournament.PlayingFile)))
		require.Empty(t, s.shownPlaying("run"+status))
	}
}

// Of a file that someone else has written, nothing but legal games is shown, once each.
func TestPlayingHostile(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", "")
	path := filepath.Join(dir, tournament.PlayingFile)
	for _, text := range []string{"", "{", "[]", `{"time":"now"}`, `{"games":[null]}`, hostile, strings.Repeat("[", 1<<20)} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		require.Empty(t, s.shownPlaying("match"))
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Empty(t, s.shownPlaying("match"))
	require.NoError(t, os.Remove(path))

	bad := func(change func(*record.Record)) *record.Record {
		g := cut(drawPair(7)[0], 6)
		g.Moves = append([]string{}, g.Moves...)
		change(g)
		return g
	}
	over := *drawPair(8)[0]
	over.Result = map[string]string{"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1-0"}[over.Result]
	good := bad(func(g *record.Record) {
		g.South.Agent, g.North.Agent = hostile, strings.Repeat("n", 1000)
		g.Scores = []record.Score{-30000, record.NoScore, 0, 1, 2, 3}
		g.Game = 16
	})
	all := []*record.Record{
		&over,
		bad(func(g *record.Record) { g.Moves[3] = hostile }),
		bad(func(g *record.Record) { g.Moves[3] = g.Moves[2] }),
		bad(func(g *record.Record) { g.Rules = hostile }),
		bad(func(g *record.Record) { g.Opening = hostile }),
		bad(func(g *record.Record) { g.Game = -1 }),
		bad(func(g *record.Record) { g.Scores = make([]record.Score, 7) }),
		bad(func(g *record.Record) { g.Reason = hostile }),
		bad(func(g *record.Record) { g.Result = hostile }),
		bad(func(g *record.Record) { g.Fault = &record.Fault{Side: "south", Detail: hostile} }),
	}
	for part := range slices.Chunk(all, 5) {
		writePlaying(t, dir, 0, -1, append(part, good)...)
		games := s.shownPlaying("match")
		require.Len(t, games, 1)
		require.Equal(t, "1.16", games[0].Game.ID)
		require.LessOrEqual(t, len([]rune(games[0].North)), 201)
	}
	page := s.get("/run/match").Body.String()
	require.NotContains(t, page, "<script>alert")
	require.Contains(t, page, "1.16")
}
