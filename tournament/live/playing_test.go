package live

import (
	"encoding/json"
	"fmt"
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
func cut(g *record.Game, moves int) *record.Game {
	c := *g
	c.Moves, c.Scores, c.Plies, c.Result, c.Reason = g.Moves[:moves], g.Scores[:min(moves, len(g.Scores))], moves, "", ""
	return &c
}

// writePlaying writes the games that a run plays, as of some time ago.
func writePlaying(t testing.TB, dir string, ago time.Duration, count int, games ...*record.Game) {
	t.Helper()
	text, err := json.Marshal(tournament.Playing{Time: time.Now().Add(-ago), Games: games, Count: count})
	require.NoError(t, err)
	path := filepath.Join(dir, tournament.PlayingFile)
	require.NoError(t, os.WriteFile(path+".new", text, 0o644))
	require.NoError(t, os.Rename(path+".new", path))
}

// shownPlaying is the page's list of games under way, and each of them.
func (s *testServer) shownPlaying(id string) (underWay, map[string]latestGame) {
	r := s.catalog.run(id)
	now := r.feed.now(0)
	games := map[string]latestGame{}
	for name, part := range now.parts {
		if id, ok := strings.CutPrefix(name, gamePart); ok {
			games[id] = part.value.(latestGame)
		}
	}
	return now.parts["playing"].value.(underWay), games
}

// The page has the games under way, and no longer those that are recorded, which come with the
// latest ones.
func TestPlaying(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", "")
	g := drawPair(0)
	writePlaying(t, dir, 0, 5, cut(g[1], 4), g[0])
	list, games := s.shownPlaying("match")
	require.Equal(t, underWay{[]string{"1.1", "1.0"}, 5}, list)
	require.Len(t, games["1.1"].Game.Moves, 4)
	require.Equal(t, []string{"", "b", "a", "standard"},
		[]string{games["1.1"].Game.Result, games["1.1"].South, games["1.1"].North, games["1.1"].Rules})
	require.Equal(t, g[0].Result, games["1.0"].Game.Result)
	page := s.get("/run/match").Body.String()
	require.Contains(t, page, `"playing": {"games":["1.1","1.0"],"count":5}`)

	writePlaying(t, dir, 0, 1, cut(g[1], 5))
	_, games = s.shownPlaying("match")
	require.Len(t, games, 1)
	require.Len(t, games["1.1"].Game.Moves, 5)

	appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(append(g, append(drawPair(1), drawPair(2)...)...)...))
	list, games = s.shownPlaying("match")
	require.Empty(t, list.Games, "it is recorded")
	require.Empty(t, games)
	latest := s.catalog.run("match").feed.now(time.Hour).parts["latest"].value.([]latestGame)
	require.Len(t, latest, 6, "the last four, and those that were shown under way")
	require.Equal(t, []string{"1.1", "1.0"}, []string{latest[4].Game.ID, latest[5].Game.ID})
}

// A game that was shown comes with the latest ones when it is recorded, also if earlier games have kept it
// from that until it was no longer played, and many games are recorded after it.
func TestPlayingRecordedLater(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", "")
	watched := drawPair(3)
	writePlaying(t, dir, 0, 1, cut(watched[1], 4), watched[0])
	s.shownPlaying("match")
	writePlaying(t, dir, 0, 1, cut(drawPair(0)[1], 2))
	list, _ := s.shownPlaying("match")
	require.Equal(t, []string{"1.1"}, list.Games)
	var games []*record.Game
	for pair := range int64(9) {
		games = append(games, drawPair(pair)...)
	}
	appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(games...))
	var ids []string
	for _, g := range s.catalog.run("match").feed.now(0).parts["latest"].value.([]latestGame) {
		ids = append(ids, g.Game.ID)
	}
	require.Equal(t, []string{"1.17", "1.16", "1.15", "1.14", "1.7", "1.6", "1.1"}, ids)
}

// Nothing is shown of a run that doesn't go on, or whose process was killed.
func TestPlayingOutOfDate(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, status := range []string{"finished", "interrupted", "failed", "running", ""} {
		dir := filepath.Join(s.results, "run"+status)
		writeRun(t, dir, status, "")
		writePlaying(t, dir, 2*tournament.PlayingFresh, 1, cut(drawPair(0)[0], 4))
		list, games := s.shownPlaying("run" + status)
		require.Empty(t, list.Games, status)
		require.Empty(t, games)
		writePlaying(t, dir, -2*tournament.PlayingFresh, 1, cut(drawPair(0)[0], 4))
		list, _ = s.shownPlaying("run" + status)
		require.Empty(t, list.Games, "a time to come")
		writePlaying(t, dir, 0, 1, cut(drawPair(0)[0], 3))
		list, _ = s.shownPlaying("run" + status)
		require.Equal(t, status == "running", len(list.Games) == 1, status)
		require.NoError(t, os.Remove(filepath.Join(dir, tournament.PlayingFile)))
		list, _ = s.shownPlaying("run" + status)
		require.Empty(t, list.Games)
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
		list, _ := s.shownPlaying("match")
		require.Empty(t, list.Games)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	list, _ := s.shownPlaying("match")
	require.Empty(t, list.Games)
	require.NoError(t, os.Remove(path))

	bad := func(change func(*record.Game)) *record.Game {
		g := cut(drawPair(7)[0], 6)
		g.Moves = append([]string{}, g.Moves...)
		change(g)
		return g
	}
	over := *drawPair(8)[0]
	over.Result = map[string]string{"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1-0"}[over.Result]
	good := bad(func(g *record.Game) {
		g.South.Agent, g.North.Agent = hostile, strings.Repeat("n", 1000)
		g.Scores = []record.Score{-30000, record.NoScore, 0, 1, 2, 3}
		g.Game = 16
	})
	all := []*record.Game{
		&over,
		bad(func(g *record.Game) { g.Moves[3] = hostile }),
		bad(func(g *record.Game) { g.Moves[3] = g.Moves[2] }),
		bad(func(g *record.Game) { g.Rules = hostile }),
		bad(func(g *record.Game) { g.Opening = hostile }),
		bad(func(g *record.Game) { g.Game = -1 }),
		bad(func(g *record.Game) { g.Scores = make([]record.Score, 7) }),
		bad(func(g *record.Game) { g.Reason = hostile }),
		bad(func(g *record.Game) { g.Result = hostile }),
		bad(func(g *record.Game) { g.Fault = &record.Fault{Side: "south", Detail: hostile} }),
	}
	var games map[string]latestGame
	for part := range slices.Chunk(all, 5) {
		writePlaying(t, dir, 0, -1, append(part, good, good)...)
		list, games = s.shownPlaying("match")
		require.Equal(t, underWay{[]string{"1.16"}, 0}, list)
	}
	require.LessOrEqual(t, len([]rune(games["1.16"].North)), 201)
	page := s.get("/run/match").Body.String()
	require.NotContains(t, page, "<script>alert")
	require.Contains(t, page, "1.16")
}

// A game that changes is sent again, and no other.
func TestPlayingEvents(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(drawPair(0)...))
	g := drawPair(1)
	writePlaying(t, dir, 0, 2, cut(g[0], 2), cut(g[1], 2))
	n := 0
	eventsOf(t, listen(t, s)+"/run-events/match?after=0", func(_ string, parts map[string]json.RawMessage) bool {
		n++
		switch n {
		case 1:
			require.Contains(t, parts, "game 1.2")
			require.Contains(t, parts, "game 1.3")
			writePlaying(t, dir, 0, 2, cut(g[0], 2), cut(g[1], 3))
			return true
		default:
			require.Len(t, parts, 1, fmt.Sprint(parts))
			require.Contains(t, parts, "game 1.3")
			return false
		}
	})
}
