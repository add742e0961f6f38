package play

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/rules"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/web"
	"gyges/tournament/web/internal/browsertest"
	"gyges/tournament/web/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(browsertest.Main{M: m}) }

// The games and folders that the tests share with those of other packages.
var (
	drawGame   = runtest.DrawGame
	chooseMove = runtest.ChooseMove
	drawPair   = runtest.DrawPair
	lines      = runtest.Lines
	writeRun   = runtest.WriteRun
)

// testServer is a server of an empty folder of results, with some agents.
type testServer struct {
	*web.Server
	games   *Pages
	t       testing.TB
	results string
	from    string // the address of those who ask; "": some
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
			{Name: "human", Spec: agents.Spec{Kind: "human"}, Doc: "another person"},
			{Name: "alphabeta", Spec: spec("alphabeta:nodes=10"), Times: []string{"10s", "20s"}},
			{Name: "panics", Spec: spec("panics")}, {Name: "cheats", Spec: spec("cheats")}, {Name: "sleeps",
				Spec: spec("sleeps")}, {Name: "answers", Spec: spec("answers")},
		},
		Hint: spec("alphabeta:nodes=200"), Analyst: spec("alphabeta:hash=1"), Searches: 1, Games: 24,
	}}
	for _, f := range change {
		f(&c)
	}
	s := web.New(c.web)
	runs, err := live.New(s, c.Results, nil)
	require.NoError(t, err)
	c.Runs = runs
	t.Cleanup(func() { _ = s.Close() }) // tests of its error call it
	return &testServer{s, New(s, c.Config), t, results, ""}
}

// at returns the server for another client.
func (s testServer) at(address string) *testServer {
	s.from = address + ":1"
	return &s
}

// testKinds are agents that misbehave, and one that takes its turn among the long searches.
func testKinds() []agents.Kind {
	kind := func(name string, choose func(context.Context, *rules.Game) (agents.Decision, error)) agents.Kind {
		return agents.Kind{Name: name, New: func(agents.Config) (agents.Agent, error) { return testAgent{choose: choose}, nil }}
	}
	return []agents.Kind{
		kind("panics", func(context.Context, *rules.Game) (agents.Decision, error) { panic("<b>boom</b>") }),
		kind("cheats", func(context.Context, *rules.Game) (agents.Decision, error) {
			return agents.Decision{Move: rules.Pass}, nil
		}),
		kind("answers", func(_ context.Context, g *rules.Game) (agents.Decision, error) {
			return agents.Decision{Move: g.Legal().At(0)}, nil
		}),
		kind("sleeps", func(ctx context.Context, _ *rules.Game) (agents.Decision, error) {
			<-ctx.Done()
			return agents.Decision{}, ctx.Err()
		}),
	}
}

type testAgent struct {
	agents.Base
	choose func(context.Context, *rules.Game) (agents.Decision, error)
}

func (testAgent) NewGame(context.Context, agents.Setup) error { return nil }

func (a testAgent) Choose(ctx context.Context, g *rules.Game, _ agents.Request) (agents.Decision, error) {
	return a.choose(ctx, g)
}

// get asks for a page.
func (s *testServer) get(path string) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
}

func (s *testServer) do(r *http.Request) *httptest.ResponseRecorder {
	if s.from != "" {
		r.RemoteAddr = s.from
	}
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

// bounces counts the pieces that a move's course bounces off.
func bounces(r *rules.Rules, p rules.Position, m rules.Move) int {
	course, _ := r.Course(p, m)
	n := 0
	for i, s := range course {
		if !s.Crossed && i < len(course)-1 && (i > 0 || m.FromHand() > 0) {
			n++
		}
	}
	return n
}

// hostile is a text that would do harm wherever it isn't escaped.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'` + "`|&amp;\\ </style></script><!-- é {{.}} ${x}"

// busy is the number of searches under way.
func (p *pool) busy() int { return cap(p.idle) - len(p.idle) }
