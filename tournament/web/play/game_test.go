package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// replica plays a game over requests and follows it by the rules alone.
type replica struct {
	*testServer
	game *rules.Game
	rng  *rand.Rand
	now  state
}

func (s *testServer) replica(now state) *replica {
	s.t.Helper()
	r := rules.MustParse(now.Rules)
	opening, err := r.ParsePosition(now.Opening)
	require.NoError(s.t, err)
	p := &replica{testServer: s, game: rules.NewGame(r, opening), rng: rand.New(rand.NewPCG(3, 4)), now: now}
	p.follow()
	return p
}

// follow waits for the person's turn and checks all that the page is told.
func (p *replica) follow() {
	p.t.Helper()
	p.now = p.settled(p.now)
	require.Equal(p.t, len(p.now.Moves), len(p.now.Info))
	for len(p.game.Moves()) > len(p.now.Moves) {
		p.game.Undo()
	}
	for i, text := range p.now.Moves {
		if i < len(p.game.Moves()) {
			continue
		}
		m, err := p.game.Rules().ParseMove(p.game.Position(), text)
		require.NoError(p.t, err)
		require.NoError(p.t, p.game.Play(m))
	}
	require.Equal(p.t, p.game.Rules().FormatPosition(p.game.Position()), p.now.Position)
	require.Equal(p.t, p.game.Position().Side().Name(), p.now.Turn)
	if p.now.Result == "" && p.now.Problem == "" {
		require.Equal(p.t, p.now.You, p.now.Turn)
		p.checkSources()
	}
}

// checkSources compares the moves that the page offers with the legal ones, and the courses with the rules.
func (p *replica) checkSources() {
	p.t.Helper()
	var offered, legal []string
	for _, s := range p.now.Sources {
		for _, e := range s.Ends {
			list := []string{e.Course}
			if len(e.Drops) > 0 {
				list = nil
				for _, d := range e.Drops {
					list = append(list, e.Course[:len(e.Course)-2]+d)
				}
			}
			for _, text := range list {
				m, err := p.game.Rules().ParseMove(p.game.Position(), text)
				require.NoError(p.t, err, text)
				require.Equal(p.t, s.From, fromText(m))
				require.Equal(p.t, e.To, m.To().String())
				offered = append(offered, m.String())
			}
		}
	}
	for m := range p.game.Legal().All() {
		legal = append(legal, m.String())
	}
	slices.Sort(offered)
	slices.Sort(legal)
	require.Equal(p.t, legal, offered)
}

func (p *replica) path(what string) string { return "/api/games/" + p.now.ID + "/" + what }

// move makes a move over a request.
func (p *replica) move(m rules.Move) {
	p.t.Helper()
	w := p.post(p.path("move"), fmt.Sprintf(`{"ply":%d,"move":%q}`, len(p.game.Moves()), m))
	p.now = p.state(w, http.StatusOK)
	p.follow()
}

// play makes moves drawn at random until the game is over.
func (p *replica) play() {
	p.t.Helper()
	for p.now.Result == "" && p.now.Problem == "" {
		p.move(chooseMove(p.rng, p.game))
	}
}

// kept reads the games that were recorded.
func (s *testServer) kept() []*record.Record {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.results, "play-*", tournament.GamesFile))
	require.NoError(s.t, err)
	var list []*record.Record
	for _, path := range files {
		f, err := os.Open(path)
		require.NoError(s.t, err)
		r := record.NewReader(f, path)
		for g, err := r.Read(); err == nil; g, err = r.Read() {
			_, err := record.Replay(g)
			require.NoError(s.t, err)
			list = append(list, g)
		}
		require.NoError(s.t, f.Close())
	}
	return list
}

// A game under every preset, on each side, whose pieces are placed or drawn: at
// each turn the page is offered exactly the legal moves, and the record replays.
func TestGames(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	want := 0
	for i, preset := range rules.Presets() {
		for _, side := range []string{"south", "north"} {
			setup := []string{"place", "random"}[(i+want)%2]
			p := s.replica(s.begin("greedy", preset.Name, side, setup))
			require.Equal(t, side, p.now.You)
			if setup == "random" && !p.game.Rules().Options().Kang {
				require.False(t, p.now.Placing)
			}
			p.play()
			outcome, reason := p.game.Outcome()
			require.Equal(t, outcome.String(), p.now.Result)
			require.Equal(t, string(reason), p.now.Reason)
			want++
			require.Equal(t, strconv.Itoa(want-1), path.Base(p.now.Kept))
		}
	}
	games := s.kept()
	require.Len(t, games, want)
	for i, g := range games {
		require.EqualValues(t, i, g.Game)
		require.EqualValues(t, i, g.Pair)
		require.Equal(t, "play", g.Policy)
		require.ElementsMatch(t, []string{"human", "greedy"}, []string{g.South.Agent, g.North.Agent})
		require.Len(t, g.Timing.MoveMS, len(g.Moves))
	}
	page := s.get("/run/" + s.run()).Body.String()
	require.Contains(t, page, fmt.Sprintf("<dt>games</dt><dd>%d</dd>", want))
}

// run is the id of the run of the games played.
func (s *testServer) run() string {
	files, _ := filepath.Glob(filepath.Join(s.results, "play-*"))
	return filepath.Base(files[0])
}

// Moves that aren't legal, that are about another position or made out of turn are refused and change nothing.
func TestRefusedMoves(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	p := s.replica(s.begin("random", "standard", "south", "random"))
	before := p.now
	for body, want := range map[string]int{
		`{"ply":0,"move":""}`: 422, `{"ply":0,"move":"x"}`: 422, `{"ply":0,"move":"a6-a5"}`: 422, `{"ply":0,"move":"pass"}`: 422, `{"ply":0,"move":"1@a3"}`: 422,
		`{"ply":0,"move":"` + strings.Repeat("a1-", 900) +
			`"}`: 422, `{"ply":1,"move":"a1-a2"}`: 409, `{"ply":-1,"move":"a1-a2"}`: 409,
		`{"ply":"0","move":"a1-a2"}`: 400, `{"ply":1e99,"move":"a1-a2"}`: 400,
	} {
		w := s.post(p.path("move"), body)
		require.Equal(t, want, w.Code, "%.60s: %s", body, w.Body)
	}
	require.Equal(t, 409, s.post(p.path("undo"), "{}").Code, "there is nothing to take back")
	require.Equal(t, 409, s.post(p.path("hint"), `{"ply":3}`).Code)
	after := s.state(s.get("/api/games/"+p.now.ID), 200)
	require.Equal(t, before, after)

	waiting := s.begin("sleeps", "standard", "north", "random")
	require.Equal(t, 409, s.post("/api/games/"+waiting.ID+"/move", `{"ply":0,"move":"a6-a5"}`).Code)
	require.Equal(t, 409, s.post("/api/games/"+waiting.ID+"/hint", `{"ply":0}`).Code)
	placing := s.begin("random", "standard", "south", "place")
	require.Equal(t, 409, s.post("/api/games/"+placing.ID+"/hint", `{"ply":0}`).Code)
}

// A move that is taken back is not in the record, whatever was going on; who took
// back or had a hint is another player in the record.
func TestUndoAndHint(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	p := s.replica(s.begin("greedy", "kang", "south", "place"))
	for range 12 {
		if p.now.Result != "" {
			break
		}
		p.move(p.game.Legal().At(p.rng.IntN(p.game.Legal().Len())))
		if p.now.Result != "" {
			break
		}
		n := len(p.game.Moves())
		p.now = s.state(s.post(p.path("undo"), "{}"), 200)
		p.follow()
		require.Len(t, p.game.Moves(), n-2)
		var hint struct{ Line []string }
		w := s.post(p.path("hint"), fmt.Sprintf(`{"ply":%d}`, n-2))
		require.Equal(t, 200, w.Code, w.Body.String())
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &hint))
		require.NotEmpty(t, hint.Line)
		line := rules.NewGame(p.game.Rules(), p.game.Position())
		for _, text := range hint.Line {
			m, err := line.Rules().ParseMove(line.Position(), text)
			require.NoError(t, err)
			require.NoError(t, line.Play(m))
		}
		first, err := p.game.Rules().ParseMove(p.game.Position(), hint.Line[0])
		require.NoError(t, err)
		p.move(first)
	}
	p.play()
	games := s.kept()
	require.Len(t, games, 1)
	require.Equal(t, helpedPerson, games[0].South.Agent)
	spec, err := agents.ParseSpec(games[0].South.Agent)
	require.NoError(t, err)
	require.Equal(t, "human, helped", spec.Label())
	require.Len(t, games[0].Moves, len(p.game.Moves()))
	require.Equal(t, 409, s.post(p.path("undo"), "{}").Code, "it is over")
	require.Equal(t, 409, s.post(p.path("resign"), "{}").Code)
	require.Equal(t, 409, s.post(p.path("move"), `{"ply":0,"move":"a1-a2"}`).Code)
}

// A hint alone is help, too, and so is the page to analyse.
func TestHintIsHelp(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{"hint": `{"ply":1}`, "help": `{}`} {
		s := newTestServer(t)
		p := s.replica(s.begin("random", "standard", "north", "random"))
		if p.now.Result == "" {
			require.Equal(t, 200, s.post(p.path(path), body).Code)
			p.play()
			require.Equal(t, helpedPerson, s.kept()[0].North.Agent)
			require.Equal(t, 409, s.post(p.path(path), body).Code, "it is over")
		}
	}
}

// A placement taken back is no help.
func TestUndoOfPlacements(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	p := s.replica(s.begin("random", "standard", "south", "place"))
	for i := range 5 {
		p.move(p.game.Legal().At(0))
		require.Len(t, p.game.Moves(), i+1)
	}
	for i := range 5 {
		p.now = s.state(s.post(p.path("undo"), "{}"), 200)
		p.follow()
		require.Len(t, p.game.Moves(), 4-i)
	}
	require.Equal(t, 409, s.post(p.path("undo"), "{}").Code)
	p.play()
	require.Equal(t, "human", s.kept()[0].South.Agent)
}

// An agent that fails loses by a fault, as in a tournament.
func TestAgentsThatFail(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for agent, kind := range map[string]record.FaultKind{"panics": record.FaultPanic, "cheats": record.FaultIllegal} {
		now := s.settled(s.begin(agent, "standard", "north", "random"))
		require.Equal(t, "0-1", now.Result)
		require.Equal(t, "you", now.Winner)
		games := s.kept()
		last := games[len(games)-1]
		require.Equal(t, kind, last.Fault.Kind)
		require.Equal(t, "south", last.Fault.Side)
	}
}

// A game whose opponent can't be made, or prepared, ends without a result and with a line that has no path; the next
// opponent plays as ever.
func TestOpponentsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for kind, make := range map[string]func() (agents.Agent, error){
		"new fails":      func() (agents.Agent, error) { return nil, errors.New("open /secret: no such file") },
		"new panics":     func() (agents.Agent, error) { panic("/secret") },
		"start fails":    func() (agents.Agent, error) { return failing{at: "start"}, nil },
		"NewGame fails":  func() (agents.Agent, error) { return failing{at: "NewGame"}, nil },
		"start panics":   func() (agents.Agent, error) { return failing{at: "start", panics: true}, nil },
		"NewGame panics": func() (agents.Agent, error) { return failing{at: "NewGame", panics: true}, nil },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newTestServer(t, func(c *testConfig) {
				bad := agents.Kind{Name: "bad", New: func(agents.Config) (agents.Agent, error) { return make() }}
				c.Registry = builtin.Registry(append(testKinds(), bad)...)
				c.Players = append(c.Players, Player{Name: "bad", Spec: agents.Spec{Kind: "bad"}})
			})
			for range 2 {
				p := s.replica(s.begin("answers", "standard", "north", "random"))
				require.Empty(t, p.now.Problem)
				now := s.settled(s.begin("bad", "standard", "north", "random"))
				require.Equal(t, errNoOpponent.Error(), now.Problem)
				require.Empty(t, now.Result)
				p.move(p.game.Legal().At(0)) // which the agent that was made before answers
				require.Empty(t, p.now.Problem)
				require.Zero(t, s.games.moves.busy())
			}
			for _, g := range s.kept() {
				require.NotEqual(t, "bad", g.South.Agent)
				require.Nil(t, g.Fault)
			}
		})
	}
}

// failing is an agent that fails before it is asked for a move.
type failing struct {
	testAgent
	at     string
	panics bool
}

func (a failing) Start(context.Context) error { return a.fail("start") }

func (a failing) NewGame(context.Context, agents.Setup) error { return a.fail("NewGame") }

func (a failing) fail(at string) error {
	switch {
	case at != a.at:
		return nil
	case a.panics:
		panic("/secret")
	}
	return errors.New("/secret")
}

// resign resigns a game, and waits until it is over.
func (s *testServer) resign(now state) state {
	s.t.Helper()
	now = s.settled(s.state(s.post("/api/games/"+now.ID+"/resign", "{}"), http.StatusOK))
	for now.Result == "" {
		now = s.state(s.get(fmt.Sprintf("/api/games/%s?after=%d", now.ID, now.Version)), http.StatusOK)
	}
	return now
}

func TestResign(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	now := s.begin("random", "standard", "south", "random")
	now = s.resign(now)
	require.Equal(t, "0-1", now.Result)
	require.Equal(t, "agent", now.Winner)
	g := s.kept()[0]
	require.Equal(t, record.Resignation, g.Reason)
	require.Nil(t, g.Fault)
}

// A game that can't be recorded is so announced, and is recorded later without another game.
func TestWaitingGamesAreRecorded(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	require.NoError(t, os.Remove(s.results))
	require.NoError(t, os.WriteFile(s.results, nil, 0o644)) // so no folder can be made
	require.Contains(t, s.settled(s.begin("panics", "standard", "north", "random")).Problem, "the game is not recorded")
	s.games.records.retry()
	require.Empty(t, s.kept())
	require.NoError(t, os.Remove(s.results))
	s.games.records.retry()
	require.Len(t, s.kept(), 1)
}

// After its folder was removed, replaced or changed, the next game is recorded in it.
func TestRemovedRecords(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"removed":  os.RemoveAll,
		"renamed":  func(dir string) error { return os.Rename(dir, filepath.Join(filepath.Dir(dir), "mine")) },
		"cut":      func(dir string) error { return os.Truncate(filepath.Join(dir, tournament.GamesFile), 10) },
		"replaced": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestServer(t)
			first := s.settled(s.begin("panics", "standard", "north", "random")).Kept
			dir := path.Dir(first)
			require.NoError(t, change(filepath.Join(s.results, dir)))
			second := s.settled(s.begin("panics", "standard", "north", "random")).Kept
			dir = path.Dir(second)
			text, err := os.ReadFile(filepath.Join(s.results, dir, tournament.GamesFile))
			require.NoError(t, err)
			require.Regexp(t, `^\{"game":0,[^\n]*\n$`, string(text))
		})
	}
}

// There is room for as many games as the operator says: a finished one makes room, and one that rests
// for long is ended.
func TestRoomForGames(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(c *testConfig) { c.Games = 3 })
	first := s.begin("sleeps", "standard", "south", "random")
	over := s.settled(s.begin("panics", "standard", "north", "random"))
	s.begin("sleeps", "standard", "south", "random")
	again := s.begin("sleeps", "standard", "south", "random")
	require.Equal(t, 404, s.get("/api/games/"+over.ID).Code, "it made room")
	const body = `{"agent":"random","rules":"standard","side":"south","setup":"random"}`
	w := s.post("/api/games", body)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "there are 3 games in progress already")

	g, err := s.games.find(first.ID)
	require.NoError(t, err)
	s.games.endIdle(time.Now().Add(maxIdleTime / 2))
	_, err = s.games.find(first.ID)
	require.NoError(t, err)
	s.games.endIdle(time.Now().Add(2 * maxIdleTime))
	require.Equal(t, 404, s.get("/api/games/"+again.ID).Code)
	require.Eventually(t, func() bool {
		now, _ := g.snapshot()
		return now.Problem == errIdle.Error()
	}, time.Minute, time.Millisecond)
	require.Equal(t, http.StatusCreated, s.post("/api/games", body).Code)
	require.Len(t, s.kept(), 1)
}

// Requests that come all at once don't upset a game.
func TestManyRequestsAtOnce(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	now := s.begin("greedy", "kang", "south", "place")
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 0))
			for range 30 {
				switch rng.IntN(5) {
				case 0:
					s.post("/api/games/"+now.ID+"/undo", "{}")
				case 1:
					s.get("/api/games/" + now.ID)
				case 2:
					s.post("/api/games/"+now.ID+"/hint", fmt.Sprintf(`{"ply":%d}`, rng.IntN(6)))
				default:
					var at state
					_ = json.Unmarshal(s.get("/api/games/"+now.ID).Body.Bytes(), &at)
					if len(at.Sources) > 0 {
						e := at.Sources[rng.IntN(len(at.Sources))].Ends[0]
						s.post("/api/games/"+now.ID+"/move", fmt.Sprintf(`{"ply":%d,"move":%q}`, len(at.Moves), e.Course))
					}
				}
			}
		})
	}
	work.Wait()
	now = s.settled(s.state(s.get("/api/games/"+now.ID), 200))
	p := s.replica(now)
	p.play()
	games := s.kept()
	require.Len(t, games, 1)
	require.Len(t, games[0].Moves, len(p.game.Moves()))
}

// A server that is closed names the games that it could not record, and why.
func TestLostGames(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	require.NoError(t, os.Remove(s.results))
	require.NoError(t, os.WriteFile(s.results, nil, 0o644)) // so no folder can be made
	s.settled(s.begin("panics", "standard", "north", "random"))
	s.settled(s.begin("cheats", "kang", "north", "random"))
	for range maxUnrecorded - 1 {
		_, _ = s.games.records.keep(new(record.Record))
	}
	err := s.Close()
	require.ErrorContains(t, err, "games lost, as they could not be recorded: 1001: ")
	require.ErrorContains(t, err, s.results)
	require.Contains(t, err.Error(), "\nlost: panics (South) against human (North), standard, 0-1 by panic in 0 plies, begun 20")
	require.NoError(t, s.Close(), "it was said")
}
