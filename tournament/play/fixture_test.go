package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/internal/browsertest"
	"gyges/tournament/live"
	"gyges/tournament/record"
	"gyges/tournament/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(browsertest.Main{M: m}) }

// drawGame is a game of moves drawn at random, that wins where it can.
func drawGame(set string, number int64, south, north string) *record.Game {
	rng := rand.New(rand.NewPCG(7, uint64(number)))
	r := rules.MustParse(set)
	opening := r.RandomSetup(rand.New(rand.NewPCG(8, uint64(number/2))))
	game := rules.NewGame(r, opening)
	g := &record.Game{
		Game: number, Pair: number / 2, Rules: set, Opening: r.FormatPosition(opening), Policy: "random",
		South: record.Player{Agent: south}, North: record.Player{Agent: north}, Moves: []string{},
		Timing: record.Timing{Start: time.Date(2026, 1, 2, 3, 4, int(number%60), 0, time.UTC), Seconds: 1},
	}
	for {
		outcome, reason := game.Outcome()
		if outcome != rules.Undecided || game.Ply() >= 60 {
			g.Result, g.Reason = outcome.String(), string(reason)
			if outcome == rules.Undecided {
				g.Result, g.Reason, g.Adjudication = "1/2-1/2", record.AdjudicatedLength, "plies=60"
			}
			break
		}
		m := chooseMove(rng, game)
		g.Moves = append(g.Moves, m.String())
		game.PlayLegal(m)
	}
	g.Plies = game.Ply()
	return g
}

// chooseMove draws a move, and wins where it can.
func chooseMove(rng *rand.Rand, game *rules.Game) rules.Move {
	for m := range game.Legal().Goals() {
		return m
	}
	return game.Legal().At(rng.IntN(game.Legal().Len()))
}

// drawPair is the two games of a pair of the players a and b.
func drawPair(pair int64) []*record.Game {
	return []*record.Game{drawGame("standard", 2*pair, "a", "b"), drawGame("standard", 2*pair+1, "b", "a")}
}

// lines are games as a file has them.
func lines(games ...*record.Game) string {
	text, err := record.Lines(games...)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// writeRun makes a run's folder.
func writeRun(t testing.TB, dir, status, games string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.GamesFile), []byte(games), 0o644))
	if status != "" {
		manifest := fmt.Sprintf(`{"schema":1,"status":%q,"games":{"scheduled":100,"played":0},"config":{"agents":["a","b"],"rules":["standard"],"sprt":"elo0=0,elo1=200"}}`, status)
		require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.ManifestFile), []byte(manifest), 0o644))
	}
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, errors.Join(err, f.Close()))
}

// testServer is a server of an empty folder of results, with some agents.
type testServer struct {
	*web.Server
	games   *Pages
	t       testing.TB
	results string
}

// testConfig is the configuration of a test server.
type testConfig struct {
	web web.Config
	Config
}

func newTestServer(t testing.TB, change ...func(*testConfig)) *testServer {
	t.Helper()
	results := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.Mkdir(results, 0o755))
	spec := func(text string) agents.Spec {
		s, err := agents.ParseSpec(text)
		require.NoError(t, err)
		return s
	}
	c := testConfig{web.Config{Rate: math.MaxFloat64}, Config{
		Results: results, Registry: builtin.Registry(testKinds()...),
		Players: []Player{
			{Name: "random", Spec: spec("random"), Doc: "any move", Level: true},
			{Name: "greedy", Spec: spec("greedy"), Doc: "the best-looking move"},
			{Name: "alphabeta", Spec: spec("alphabeta"), Times: []agents.Spec{spec("alphabeta:nodes=10"),
				spec("alphabeta:nodes=20")}, Spans: []string{"short", "long"}},
			{Name: "panics", Spec: spec("panics")}, {Name: "cheats", Spec: spec("cheats")}, {Name: "sleeps",
				Spec: spec("sleeps")},
		},
		Hint: spec("alphabeta:nodes=200"), Analyst: spec("alphabeta:hash=1"), Searches: 1,
	}}
	for _, f := range change {
		f(&c)
	}
	s := web.New(c.web)
	runs, err := live.New(s, c.Results, nil)
	require.NoError(t, err)
	c.Run = runs.Run
	t.Cleanup(s.Close)
	return &testServer{s, New(s, c.Config), t, results}
}

// testKinds are agents that misbehave.
func testKinds() []agents.Kind {
	kind := func(name string, choose func(context.Context, *rules.Game) (agents.Decision, error)) agents.Kind {
		return agents.Kind{Name: name, New: func(agents.Values) (agents.Agent, error) { return testAgent(choose), nil }}
	}
	return []agents.Kind{
		kind("panics", func(context.Context, *rules.Game) (agents.Decision, error) { panic("<b>boom</b>") }),
		kind("cheats", func(context.Context, *rules.Game) (agents.Decision, error) {
			return agents.Decision{Move: rules.Pass}, nil
		}),
		kind("sleeps", func(ctx context.Context, _ *rules.Game) (agents.Decision, error) {
			<-ctx.Done()
			return agents.Decision{}, ctx.Err()
		}),
	}
}

type testAgent func(context.Context, *rules.Game) (agents.Decision, error)

func (testAgent) NewGame(context.Context, agents.Setup) error { return nil }

func (a testAgent) Choose(ctx context.Context, g *rules.Game, _ agents.Limits) (agents.Decision, error) {
	return a(ctx, g)
}

// get asks for a page.
func (s *testServer) get(path string) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
}

func (s *testServer) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// post sends JSON.
func (s *testServer) post(path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return s.do(r)
}

// state reads an answer that must have that status.
func (s *testServer) state(w *httptest.ResponseRecorder, status int) state {
	s.t.Helper()
	require.Equal(s.t, status, w.Code, w.Body.String())
	var now state
	d := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	d.DisallowUnknownFields()
	require.NoError(s.t, d.Decode(&now))
	return now
}

// begin begins a game.
func (s *testServer) begin(agent, set, side, setup string) state {
	s.t.Helper()
	return s.state(s.post("/api/games", fmt.Sprintf(`{"agent":%q,"time":0,"rules":%q,"side":%q,"setup":%q}`, agent, set,
		side, setup)), http.StatusCreated)
}

// settled waits until it is the person's turn, or the game is over.
func (s *testServer) settled(now state) state {
	s.t.Helper()
	for now.Waiting {
		now = s.state(s.get(fmt.Sprintf("/api/games/%s?after=%d", now.ID, now.Version)), http.StatusOK)
	}
	return now
}

// hostile is a text that would do harm wherever it isn't escaped.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'` + "`|&amp;\\ </style></script><!-- é {{.}} ${x}"
