package play

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/game"
	"gyges/tournament/record"
)

// helpedPerson is a person who had help, in records.
const helpedPerson = `human:name='human, helped'`

// beginWithClock begins a game against an agent with a clock for the person.
func (s *testServer) beginWithClock(agent, clock string) state {
	s.t.Helper()
	return s.state(s.post("/api/games", fmt.Sprintf(
		`{"agent":%q,"rules":"standard","side":"south","setup":"random","clock":%q}`, agent, clock)), http.StatusCreated)
}

// A clock runs on the person's turns and stands on the agent's; each move adds the
// increment. There are no take-backs, and the record names the clock.
func TestClock(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	p := s.replica(s.beginWithClock("greedy", "3m+2s"))
	c := p.now.Clock
	require.NotNil(t, c)
	require.Equal(t, "3m0s+2s", c.Control)
	require.Equal(t, "you", c.Running)
	require.InDelta(t, 180_000, c.Left, 60_000)
	require.False(t, p.now.CanUndo)
	p.move(p.game.Legal().At(0))
	if p.now.Result == "" {
		require.Equal(t, "you", p.now.Clock.Running)
		require.Less(t, p.now.Clock.Left, int64(182_001))
		require.Greater(t, p.now.Clock.Left, c.Left-60_000)
		w := s.post(p.path("undo"), "{}")
		require.Equal(t, http.StatusConflict, w.Code)
		require.Contains(t, w.Body.String(), "no take-backs in timed games")
		require.Equal(t, http.StatusConflict, s.post(p.path("undo"), `{"ply":0}`).Code)
	}
	p.play()
	require.Empty(t, p.now.Clock.Running)
	require.Equal(t, "human:clock=3m0s+2s", s.kept()[0].South.Agent)

	waiting := s.beginWithClock("sleeps", "5m+3s")
	q := s.replica(waiting)
	now := s.state(s.post(q.path("move"), fmt.Sprintf(`{"ply":0,"move":%q}`, q.game.Legal().At(0))), http.StatusOK)
	require.Equal(t, "agent", now.Clock.Running)
	require.InDelta(t, 303_000, now.Clock.Left, 60_000)
	require.Equal(t, "", s.begin("random", "standard", "south", "random").clockText())
	for _, clock := range []string{"1m", "3m0s+2s", "0s", "x", strings.Repeat("9", 500), "1m+1s "} {
		w := s.post("/api/games", fmt.Sprintf(`{"agent":"random","rules":"standard","side":"south","setup":"random","clock":%q}`, clock))
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, clock)
		require.Contains(t, w.Body.String(), "one of 1m+1s, 3m+2s")
	}
}

func (s state) clockText() string {
	if s.Clock == nil {
		return ""
	}
	return s.Clock.Control
}

// A person whose time is over loses the game, which is recorded; a move that comes later is refused.
func TestLossOnTime(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	g := &session{terms: terms{rules: rules.MustParse("kang"), human: rules.South,
		agent: s.games.Players[0].Spec, clock: game.Clock{Base: 50 * time.Millisecond}}}
	g.start = g.rules.Start()
	require.NoError(t, s.games.start("1.2.3.4", g))
	<-g.ctx.Done()
	now := s.settled(s.state(s.get("/api/games/"+g.id), http.StatusOK))
	require.Equal(t, "0-1", now.Result)
	require.Equal(t, "agent", now.Winner)
	require.Equal(t, "time", now.Reason)
	require.Zero(t, now.Clock.Left)
	require.Empty(t, now.Moves)
	require.Equal(t, http.StatusConflict, s.post("/api/games/"+g.id+"/move", `{"ply":0,"move":"+1-a1"}`).Code)
	games := s.kept()
	require.Len(t, games, 1)
	require.Equal(t, string(record.FaultTimeout), games[0].Reason)
	require.Equal(t, "human:clock=50ms+0s", games[0].South.Agent)
}

// Moves can be undone to any earlier position, where the game goes on.
func TestUndoToAPly(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	p := s.replica(s.begin("greedy", "kang", "south", "place"))
	for range 3 {
		p.move(p.game.Legal().At(p.rng.IntN(p.game.Legal().Len())))
	}
	n := len(p.game.Moves())
	for body, want := range map[string]int{
		fmt.Sprintf(`{"ply":%d}`, n): 422, `{"ply":-1}`: 422, `{"ply":"1"}`: 400, `{"ply":1.5}`: 400, `{"to":1}`: 400,
	} {
		require.Equal(t, want, s.post(p.path("undo"), body).Code, body)
	}
	first := p.now.Moves[:2] // where the person is to move, so that the agent adds none
	p.now = s.state(s.post(p.path("undo"), `{"ply":2}`), http.StatusOK)
	require.Equal(t, first, p.now.Moves)
	p.follow()
	p.now = s.state(s.post(p.path("undo"), `{"ply":0}`), http.StatusOK)
	require.Empty(t, p.now.Moves)
	p.follow()
	p.play()
	require.Equal(t, helpedPerson, s.kept()[0].South.Agent)
}

// A game goes on from a position of one that is over, as a game of its own with the same moves up to there.
func TestGoOnFrom(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	p := s.replica(s.begin("greedy", "standard", "south", "place"))
	p.play()
	old := p.now
	from := func(ply int) string { return fmt.Sprintf(`{"from":{"game":%q,"ply":%d}}`, old.ID, ply) }
	for body, want := range map[string]int{
		from(-1): 422, from(len(old.Moves) + 1): 422, `{"from":{"game":"none","ply":0}}`: 404, `{"from":{}}`: 404,
		`{"from":{"game":"x","ply":0,"more":1}}`: 400, `{"from":[]}`: 400,
		strings.Replace(from(1), "{", `{"agent":"greedy",`, 1): 422,
	} {
		w := s.post("/api/games", body)
		require.Equal(t, want, w.Code, "%s: %s", body, w.Body)
	}
	if o, _ := p.game.Outcome(); o != rules.Undecided {
		require.Equal(t, 422, s.post("/api/games", from(len(old.Moves))).Code, "it is over there")
	}
	ply := len(old.Moves) - 1
	q := s.replica(s.state(s.post("/api/games", from(ply)), http.StatusCreated))
	require.NotEqual(t, old.ID, q.now.ID)
	require.Equal(t, old.Moves[:ply], q.now.Moves[:ply])
	require.Equal(t, old.Opening, q.now.Opening)
	q.play()
	games := s.kept()
	require.Len(t, games, 2)
	require.Equal(t, "human", games[0].South.Agent)
	require.Equal(t, helpedPerson, games[1].South.Agent)
	require.Equal(t, games[0].Moves[:ply], games[1].Moves[:ply])
	require.Equal(t, old.Moves, s.state(s.get("/api/games/"+old.ID), 200).Moves, "the game it comes from is as it was")
}

// Two people at one screen make the moves of both sides, each may take the last one back, and who is to move resigns.
func TestTwoPeople(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	body := func(side, clock string) string {
		return fmt.Sprintf(`{"agent":"human","rules":"simplified","side":%q,"setup":"random","name":"Ada","clock":%q}`, side, clock)
	}
	w := s.post("/api/games", body("south", "3m+2s"))
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	require.Contains(t, w.Body.String(), "clock: expected none in a game of two people")

	now := s.state(s.post("/api/games", body("north", "")), http.StatusCreated)
	post := func(action, body string) state {
		now = s.state(s.post("/api/games/"+now.ID+"/"+action, body), http.StatusOK)
		return now
	}
	for ply, turn := range []string{"south", "north", "south"} {
		require.Equal(t, []any{"", turn, false}, []any{now.You, now.Turn, now.Waiting})
		require.NotEmpty(t, now.Sources)
		post("move", fmt.Sprintf(`{"ply":%d,"move":%q}`, ply, now.Sources[0].Ends[0].Course))
	}
	last := now.Moves[2]
	require.Equal(t, 2, len(post("undo", "{}").Moves), "the last move, whoever made it")
	require.Equal(t, "south", now.Turn)
	require.Equal(t, 1, len(post("undo", "{}").Moves))
	post("move", fmt.Sprintf(`{"ply":1,"move":%q}`, now.Sources[0].Ends[0].Course))
	require.Equal(t, http.StatusConflict, s.post("/api/games/"+now.ID+"/move", fmt.Sprintf(`{"ply":3,"move":%q}`, last)).Code)
	require.Equal(t, http.StatusOK, s.post("/api/games/"+now.ID+"/hint", `{"ply":2}`).Code)

	post("resign", "{}")
	now = s.settled(now)
	require.Equal(t, []string{"0-1", "resignation", ""}, []string{now.Result, now.Reason, now.Winner})
	g := s.kept()[0]
	require.Equal(t, []string{helpedPerson, "human:name='Ada, helped'"}, []string{g.South.Agent, g.North.Agent})
}

// Each of two people at one screen may have a name, which is shown and recorded.
func TestNamesOfTwoPeople(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	ask := func(agent, name, other string) *httptest.ResponseRecorder {
		return s.post("/api/games", fmt.Sprintf(
			`{"agent":%q,"rules":"standard","side":"north","setup":"random","name":%q,"other":%q}`, agent, name, other))
	}
	for _, c := range []struct{ agent, name, other, problem string }{
		{"human", "Ada", "Ada", "other: expected another name than the first"},
		{"human", "Ada", " Ada ", "other: expected another name than the first"},
		{"human", "Ada", "<b>", "other: expected at most 30 letters"},
		{"human", "<b>", "Bo", "name: expected at most 30 letters"},
		{"human", "Ada", strings.Repeat("x", 31), "other: expected at most 30 letters"},
		{"random", "Ada", "Bo", "other: expected a second name in a game of two people alone"},
	} {
		w := ask(c.agent, c.name, c.other)
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, c)
		require.Contains(t, w.Body.String(), c.problem)
	}
	resigned := func(now state) *record.Record {
		s.resign(now)
		games := s.kept()
		return games[len(games)-1]
	}
	for _, c := range []struct{ name, other, south, north string }{
		{"Ada", "Bo", "human:name=Bo", "human:name=Ada"},
		{"", " Bo ", "human:name=Bo", "human"},
		{"Ada", "", "human", "human:name=Ada"},
		{"", "", "human", "human"},
	} {
		now := s.state(ask("human", c.name, c.other), http.StatusCreated)
		require.Equal(t, map[string]string{"south": strings.TrimSpace(c.other), "north": c.name}, now.People)
		g := resigned(now)
		require.Equal(t, []string{c.south, c.north}, []string{g.South.Agent, g.North.Agent})
		again := s.state(s.post("/api/games", fmt.Sprintf(`{"rematch":%q}`, now.ID)), http.StatusCreated)
		g = resigned(again)
		require.Equal(t, []string{c.north, c.south}, []string{g.South.Agent, g.North.Agent})
		on := s.state(s.post("/api/games", fmt.Sprintf(`{"from":{"game":%q,"ply":0}}`, now.ID)), http.StatusCreated)
		require.Equal(t, now.People, on.People)
	}
}
