package manage

import (
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
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/configs"
	"gyges/tournament"
	"gyges/tournament/internal/browsertest"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/live"
	"gyges/tournament/play"
	"gyges/tournament/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(browsertest.Main{M: m}) }

// testServer is a server of an empty folder of results.
type testServer struct {
	*web.Server
	t        testing.TB
	results  string
	registry *agents.Registry // of the program
}

func newTestServer(t testing.TB) *testServer {
	t.Helper()
	results := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.Mkdir(results, 0o755))
	program := agents.Kind{
		Name: "program", Params: []agents.ParamDef{{Name: "cmd", Type: agents.Text}},
		New: func(v agents.Values) (agents.Agent, error) {
			require.Equal(t, "engine", v["cmd"], "another command was run")
			return builtin.Registry().New(agents.Spec{Kind: "random"})
		},
	}
	s := web.New(web.Config{Rate: math.MaxFloat64})
	runs, err := live.New(s, results, nil)
	require.NoError(t, err)
	registry := builtin.Registry(program, explore.Kind(builtin.Registry(program)))
	mine, err := agents.ParseSpec("program:cmd=engine,name=my engine")
	require.NoError(t, err)
	New(s, Config{
		Results: results, Runs: runs, Registry: registry, Kinds: builtin.Registry(explore.Kind(builtin.Registry())),
		Players: []play.Player{{Name: "random", Level: true, Spec: agents.Spec{Kind: "random"}},
			{Name: "alphabeta", Spec: agents.Spec{Kind: "alphabeta"}}, {Name: mine.Label(), Spec: mine}},
		Workers: 2,
	})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &testServer{s, t, results, registry}
}

func (s *testServer) do(method, path, body string, headers ...string) (status int, answer map[string]any) {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	_ = json.Unmarshal(w.Body.Bytes(), &answer) // a page isn't JSON
	return w.Code, answer
}

// post sends a request that changes things, and returns its answer or its error.
func (s *testServer) post(what string, body map[string]string) (status int, answer map[string]any) {
	s.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	return s.do(http.MethodPost, "/api/manage/"+what, string(text))
}

func (s *testServer) manifest(id string) *tournament.Manifest {
	s.t.Helper()
	m, err := tournament.ReadManifest(os.DirFS(filepath.Join(s.results, id)))
	require.NoError(s.t, err)
	return m
}

// long is a tournament that takes long.
var long = map[string]string{"name": "long", "agents": "random\nrandom:name=b", "pairs": "100000", "rules": "standard"}

// A tournament of the form is played to its end as an ordinary run, with the operator's engine by its name.
func TestTournament(t *testing.T) {
	s := newTestServer(t)
	form := map[string]string{
		"name": "quick", "agents": "random\r\n\r\n my engine \n \nalphabeta:nodes=20,name=c", "pairs": " 1 ", "rules": "simplified\nkang",
		"limits.nodes": "50", "seed": "7", "schedule": "gauntlet", "adjudication": "plies=60", "sprt": "",
	}
	status, answer := s.post("check", form)
	require.Equal(t, http.StatusOK, status, answer)
	require.EqualValues(t, 2*2*2, answer["games"])
	file := filepath.Join(t.TempDir(), "t.yaml")
	require.NoError(t, os.WriteFile(file, []byte(answer["yaml"].(string)), 0o600))
	entries, err := os.ReadDir(s.results)
	require.NoError(t, err)
	require.Empty(t, entries, "a check begins nothing")

	status, begun := s.post("begin", form)
	require.Equal(t, http.StatusCreated, status, begun)
	id := begun["id"].(string)
	require.Regexp(t, `^quick-\d{8}-\d{6}$`, id)
	require.Eventually(t, func() bool { return s.manifest(id).Status == tournament.Finished }, time.Minute, 10*time.Millisecond)
	m := s.manifest(id)
	require.EqualValues(t, 8, m.Games.Played)
	require.Equal(t, []string{"random", "program:cmd=engine,name=my engine", "alphabeta:nodes=20,name=c"}, m.Config.Agents)
	require.Equal(t, 2, m.Config.Workers)
	var page map[string]any
	require.Eventually(t, func() bool {
		status, page = s.do(http.MethodGet, "/api/manage/run/"+id, "")
		return status == http.StatusOK && page["playing"] == false
	}, time.Minute, 10*time.Millisecond)
	require.Contains(t, page["command"], "gyges tournament --rules simplified,kang --agent random")

	for _, text := range []string{answer["yaml"].(string), page["yaml"].(string)} { // of the form, and of the run
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		c, err := configs.LoadTournament(file, s.registry)
		require.NoError(t, err, text)
		c.Out = filepath.Join(s.results, id)
		again, err := tournament.Run(t.Context(), c, s.registry, nil)
		require.NoError(t, err, "it is the same run")
		require.EqualValues(t, 8, again.Kept)
	}
}

// One tournament is played at a time; it is stopped by its page, or with the server, and what was played is kept and
// goes on from elsewhere.
func TestStop(t *testing.T) {
	s := newTestServer(t)
	status, begun := s.post("begin", long)
	require.Equal(t, http.StatusCreated, status, begun)
	id := begun["id"].(string)
	status, answer := s.post("begin", long)
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, "a tournament is being played, and one is at a time; stop it on its page first", answer["error"])
	_, page := s.do(http.MethodGet, "/api/manage/run/"+id, "")
	require.Equal(t, true, page["playing"])
	for _, what := range []string{"rename", "remove"} {
		status, answer = s.post(what, map[string]string{"id": id, "to": "other"})
		require.Equal(t, http.StatusConflict, status, what)
		require.Equal(t, id+" is in progress; stop it first", answer["error"])
	}
	status, answer = s.post("stop", map[string]string{"id": "other"})
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, `this server doesn't play "other"`, answer["error"])
	games := filepath.Join(s.results, id, tournament.GamesFile)
	recorded := func() bool {
		info, err := os.Stat(games)
		return err == nil && info.Size() > 0
	}
	require.Eventually(t, recorded, time.Minute, 10*time.Millisecond)
	status, _ = s.post("stop", map[string]string{"id": id})
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, tournament.Interrupted, s.manifest(id).Status)
	status, _ = s.post("stop", map[string]string{"id": id})
	require.Equal(t, http.StatusConflict, status, "it has been stopped")

	status, begun = s.post("begin", long) // another one may begin now
	require.Equal(t, http.StatusCreated, status, begun)
	second := begun["id"].(string)
	require.NoError(t, s.Close())
	require.Equal(t, tournament.Interrupted, s.manifest(second).Status, "the server stops it")
	c, err := s.manifest(id).Config.Settings()
	require.NoError(t, err)
	c.Out = filepath.Join(s.results, id)
	ctx, cancel := context.WithCancel(t.Context())
	c.OnBegin = func(int64) { cancel() }
	again, err := tournament.Run(ctx, c, s.registry, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, again.Kept)
}

// Mistakes are told by the settings that they are in, a line each, and nothing is begun. No request names a program or
// a file.
func TestMistakes(t *testing.T) {
	s := newTestServer(t)
	for _, c := range []struct{ key, text, want string }{
		{"agents", "", "agents: expected 2 to 1000 agents, found 0"},
		{"agents", "random\nrandom", `agents[1]: agent "random" is listed twice; give one a name, like random:name=b`},
		{"agents", "program:cmd=engine\nprogram:cmd=sh\nrandom", `agents: agent "program:cmd=engine": unknown kind "program"; ` +
			"expected one of: alphabeta, explore, greedy, mcts, random\n" + `agents: agent "program:cmd=sh": unknown kind "program"; ` +
			"expected one of: alphabeta, explore, greedy, mcts, random"},
		{"agents", "explore:agent='program:cmd=sh'\nrandom", `unknown kind "program"`},
		{"agents", "explore:agent='explore:agent=''alphabeta:weights=/etc/passwd'''\nrandom", "parameter weights: expected default or classic"},
		{"agents", "alphabeta:weights=/etc/passwd\nrandom", `agents: agent "alphabeta:weights=/etc/passwd": parameter weights: ` +
			"expected default or classic; an agent with a file needs gyges serve --agent"},
		{"agents", "alphabeta:depth=0,nodes=x\nrandom", "parameter depth: expected"},
		{"agents", "human\nrandom", `unknown kind "human"`},
		{"openings", "file:/etc/passwd", "openings: expected random, random:plies=N, book, setups or agents; a file needs the command line"},
		{"openings", "random:plies=99", "openings.plies: expected a number from 0 to 40, found 99"},
		{"name", "../x", "name: expected 1 to 64 letters"},
		{"name", ".x", "name: expected 1 to 64 letters"},
		{"pairs", "0", "pairs: expected a number from 1 to 1000000, found 0"},
		{"rules", "standard\nkong", `rules: unknown rules "kong", did you mean "kang"?`},
		{"sprt", "elo0=5,elo1=0", "sprt: "},
		{"out", "/tmp/x", `unknown setting "out"; expected one of: name, agents`},
		{"workers", "64", `unknown setting "workers"`},
		{"openings.file", "/etc/passwd", `unknown setting "openings.file"`},
	} {
		form := map[string]string{"agents": "random\ngreedy", c.key: c.text}
		for _, what := range []string{"check", "begin"} {
			status, answer := s.post(what, form)
			require.Equal(t, http.StatusUnprocessableEntity, status, c)
			require.Contains(t, answer["error"], c.want)
		}
	}
	entries, err := os.ReadDir(s.results)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// Requests of other sites change nothing; other methods and bodies neither.
func TestForeignRequests(t *testing.T) {
	s := newTestServer(t)
	runtest.WriteRun(t, filepath.Join(s.results, "match"), "finished", runtest.Lines(runtest.DrawPair(0)...))
	form, err := json.Marshal(long)
	require.NoError(t, err)
	for what, body := range map[string]string{
		"rename": `{"id":"match","to":"other"}`, "remove": `{"id":"match"}`, "begin": string(form), "stop": `{"id":"match"}`,
	} {
		for _, headers := range [][]string{
			{"Origin", "http://evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
			{"Origin", "null", "Sec-Fetch-Site", "cross-site"},
		} {
			status, _ := s.do(http.MethodPost, "/api/manage/"+what, body, headers...)
			require.Equal(t, http.StatusForbidden, status, what)
		}
		status, _ := s.do(http.MethodPost, "/api/manage/"+what, body, "Content-Type", "text/plain")
		require.Equal(t, http.StatusUnsupportedMediaType, status, what)
		status, _ = s.do(http.MethodPost, "/api/manage/"+what, `{"id":1}`)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, status, what)
		status, _ = s.do(http.MethodGet, "/api/manage/"+what, "")
		require.NotEqual(t, http.StatusOK, status, what)
	}
	entries, err := os.ReadDir(s.results)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// The pages of a server that isn't managing have no trace of it, and its addresses answer with 404.
func TestNotManaging(t *testing.T) {
	s := newTestServer(t)
	bare := web.New(web.Config{Rate: math.MaxFloat64})
	_, err := live.New(bare, s.results, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, bare.Close()) })
	runtest.WriteRun(t, filepath.Join(s.results, "match"), "finished", runtest.Lines(runtest.DrawPair(0)...))
	b := &testServer{bare, t, s.results, nil}
	for _, what := range []string{"rename", "remove", "check", "begin", "stop"} {
		status, _ := b.post(what, map[string]string{"id": "match", "to": "other"})
		require.Equal(t, http.StatusNotFound, status, what)
	}
	for _, path := range []string{"/new", "/api/manage/run/match"} {
		status, _ := b.do(http.MethodGet, path, "")
		require.Equal(t, http.StatusNotFound, status, path)
	}
	for path, shown := range map[string]string{"/": "/new", "/run/match": "/manage.js"} {
		for _, server := range []*testServer{s, b} {
			w := httptest.NewRecorder()
			server.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
			require.Equal(t, http.StatusOK, w.Code)
			require.Equal(t, server == s, strings.Contains(w.Body.String(), shown), fmt.Sprint(path, w.Body))
		}
	}
}
