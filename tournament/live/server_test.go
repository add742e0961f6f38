package live

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/netutil"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/training"
)

// Every page and file is answered, with the headers that keep browsers from
// harm, and nothing else is.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "group", "two é"), "", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "empty"), "running", "")
	writeRun(t, filepath.Join(s.results, "one", "deep", "match"), "running", lines(drawPair(0)...))
	require.NoError(t, os.WriteFile(filepath.Join(s.results, "secret.txt"), []byte("secret"), 0o644))
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/":                                 {200, `href="/run/group/two%20%C3%A9"`},
		"/run/one":                          {200, "Standings"},
		"/run/group/two%20%C3%A9":           {200, "Standings"},
		"/run/one/deep/match":               {200, "Standings"},
		"/run/empty":                        {200, "Reproducibility"},
		"/play":                             {200, "A new game"},
		"/style.css":                        {200, ".cell"},
		"/report.js":                        {200, "gygesBoard"},
		"/live.js":                          {200, "EventSource"},
		"/input.js":                         {200, "aria-label"},
		"/page.js":                          {200, "gygesPage"},
		"/motion.js":                        {200, "prefers-reduced-motion"},
		"/form.js":                          {200, "gygesForm"},
		"/play.js":                          {200, "gygesInput"},
		"/analyse":                          {200, "The analysis board"},
		"/analyse.js":                       {200, "variation"},
		"/run/none":                         {404, "no such run"},
		"/run/":                             {404, "no such run"},
		"/run/group":                        {404, "no such run"},
		"/run/one/games.jsonl":              {404, "no such run"},
		"/run/secret.txt":                   {404, "no such run"},
		"/run/one%2F..%2Fone":               {404, "no such run"},
		"/run/%2Fetc":                       {404, "no such run"},
		"/run/one%00":                       {404, "no such run"},
		"/run/..%2Fresults%2Fone":           {404, "no such run"},
		"/run/one%5C..":                     {404, "no such run"},
		"/run/" + strings.Repeat("a/", 600): {404, "no such run"},
		"/run-events/none":                  {404, "no such run"},
		"/results/one/games.jsonl":          {404, "no such page"},
		"/games.jsonl":                      {404, "no such page"},
		"/assets/live.js":                   {404, "no such page"},
		"/api/games":                        {404, "no such page"},
		"/api/games/none":                   {404, "no such game"},
		"/api/rules":                        {422, `unknown rules`},
		"/api/rules?rules=chess":            {422, `unknown rules \"chess\"`},
		"/api/rules?rules=kang:kang_goals=": {422, "a number from 1 to 9"},
		"/api/rules?rules=" + strings.Repeat("x", 1001): {422, "at most 1000 bytes"},
		"/api/rules?rules=russian:null_move=forbid":     {200, `"name":"russian:null_move=forbid"`},
		"/api/rules?rules=italian-kang":                 {200, "may bring one in"},
		"/api/games/none?after=1":                       {404, "no such game"},
	} {
		w := s.get(path)
		require.Equal(t, want.status, w.Code, path)
		require.Contains(t, w.Body.String(), want.text, path)
		require.NotContains(t, w.Body.String(), "secret</", path)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'", path)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), path)
	}
	require.Contains(t, s.get("/").Body.String(), `href="/run/one/deep/match"`)
	r := httptest.NewRequest(http.MethodGet, "http://localhost/", strings.NewReader("x"))
	require.Equal(t, http.StatusBadRequest, s.do(r).Code)
	for _, path := range []string{"/", "/run/one", "/play.js"} {
		r := httptest.NewRequest(http.MethodDelete, "http://localhost"+path, nil)
		require.GreaterOrEqual(t, s.do(r).Code, 400, path)
	}
}

// A path that leads out of the folder of results is no run, however it is written:
// with dots, by a link, or through a link to a file.
func TestNothingOutsideIsServed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	outside := filepath.Join(filepath.Dir(s.results), "outside")
	writeRun(t, outside, "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "inside"), "running", lines(drawPair(1)...))
	writeRun(t, filepath.Join(s.results, ".hidden"), "running", lines(drawPair(0)...))
	require.NoError(t, os.Symlink(outside, filepath.Join(s.results, "link")))
	require.NoError(t, os.Symlink("../outside", filepath.Join(s.results, "relative")))
	require.NoError(t, os.Symlink("inside", filepath.Join(s.results, "alias")))
	mixed := filepath.Join(s.results, "mixed")
	writeRun(t, mixed, "", lines(drawPair(2)...))
	require.NoError(t, os.Symlink(filepath.Join(outside, tournament.ManifestFile),
		filepath.Join(mixed, tournament.ManifestFile)))

	for _, path := range []string{"/run/link", "/run/relative", "/run/../outside", "/run/..%2Foutside",
		"/run/inside%2F..%2F..%2Foutside", "/run/.hidden", "/run/" + url.PathEscape(outside)} {
		w := s.get(path)
		require.NotEqual(t, http.StatusOK, w.Code, path)
	}
	require.Equal(t, http.StatusOK, s.get("/run/alias").Code, "a link that stays inside")
	list := s.get("/").Body.String()
	for _, name := range []string{"link", "relative", ".hidden", "outside"} {
		require.NotContains(t, list, "/run/"+name+`"`)
	}
	require.Contains(t, list, `/run/inside"`)
	page := s.get("/run/mixed")
	require.Equal(t, http.StatusOK, page.Code)
	require.NotContains(t, page.Body.String(), "elo1=200", "the manifest lies outside")
	require.Contains(t, page.Body.String(), "manifest.json: ", "and a note says so")
}

// A pipe in a run's place blocks nobody.
func TestNoPipeIsOpened(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "pipe")
	require.NoError(t, os.Mkdir(dir, 0o755))
	makePipe(t, filepath.Join(dir, tournament.GamesFile))
	require.Equal(t, http.StatusNotFound, s.get("/run/pipe").Code)
	half := filepath.Join(s.results, "half")
	writeRun(t, half, "", lines(drawPair(0)...))
	makePipe(t, filepath.Join(half, tournament.ManifestFile))
	makePipe(t, filepath.Join(half, training.HistoryFile))
	w := s.get("/run/half")
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), "expected a regular file")
	require.Equal(t, http.StatusOK, s.get("/").Code)
}

// Requests that call the server by a name that isn't its own are refused.
func TestHosts(t *testing.T) {
	t.Parallel()
	local, open := newTestServer(t), newTestServer(t, func(c *Config) {
		c.Open, c.Hosts = true,
			[]string{"Box.example.org"}
	})
	for host, want := range map[string][2]bool{ // local, open
		"localhost": {true, true}, "localhost:8080": {true, true}, "LOCALHOST.": {true, true}, "127.0.0.1": {true,
			true}, "127.0.0.1:1": {true, true},
		"127.9.9.9": {true, true}, "[::1]:8080": {true, true}, "[::1]": {true, true}, "[::ffff:127.0.0.1]:80": {true, true},
		"192.168.0.7:8080": {false, true}, "[fe80::1]:8080": {false, true}, "box.example.org:8080": {false, true},
		"evil.example": {false, false}, "evil.example:8080": {false, false}, "localhost.evil.example": {false,
			false}, "127.0.0.1.evil.example": {false, false},
		"": {false, false}, ":8080": {false, false}, "a box": {false, false},
	} {
		for i, s := range []*testServer{local, open} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = host
			code := http.StatusMisdirectedRequest
			if want[i] {
				code = http.StatusOK
			}
			require.Equal(t, code, s.do(r).Code, "%q, open %v", host, i == 1)
		}
	}
}

// Only the server's own pages change anything.
func TestOrigins(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	const body = `{"agent":"random","time":0,"rules":"standard","side":"south","setup":"random"}`
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"", "", 201}, // no browser
		{"Sec-Fetch-Site", "same-origin", 201}, {"Sec-Fetch-Site", "none", 201},
		{"Sec-Fetch-Site", "same-site", 403}, {"Sec-Fetch-Site", "cross-site", 403},
		{"Origin", "http://localhost", 201}, {"Origin", "http://localhost:81", 403}, {"Origin", "http://evil.example",
			403}, {"Origin", "null", 403},
		{"Content-Type", "text/plain", 415}, {"Content-Type", "application/x-www-form-urlencoded", 415}, {"Content-Type",
			"", 415}, {"Content-Type", ";", 415},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/api/games", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		require.Equal(t, c.want, s.do(r).Code, "%s: %s", c.header, c.value)
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost/events", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "cors")
	require.Equal(t, http.StatusForbidden, s.do(r).Code)
	r = httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	require.Equal(t, http.StatusOK, s.do(r).Code, "a link from elsewhere")
	r.URL.Path = "/api/analyse"
	require.Equal(t, http.StatusForbidden, s.do(r).Code, "a frame elsewhere")
}

func TestBodies(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	game := s.begin("sleeps", "standard", "north", "random")
	for body, want := range map[string]int{
		"": 400, "{": 400, "null": 422, "[]": 400, `"x"`: 400, `{"agent":1}`: 400, `{"agent":"random","x":1}`: 400,
		`{"agent":"random","rules":"standard","side":"south","setup":"random"} {}`:          400,
		`{"agent":"` + strings.Repeat("x", maxBody) + `"}`:                                  413,
		`{}` + strings.Repeat(" ", maxBody):                                                 413,
		`{"agent":"nobody","rules":"standard","side":"south","setup":"random"}`:             422,
		`{"agent":"ugi:cmd=sh","rules":"standard","side":"south","setup":"place"}`:          422,
		`{"agent":"alphabeta:depth=60","rules":"standard","side":"south","setup":"place"}`:  422,
		`{"agent":"random","rules":"none","side":"south","setup":"random"}`:                 422,
		`{"agent":"random","rules":"standard:none=9","side":"south","setup":"random"}`:      422,
		`{"agent":"random","rules":"/etc/passwd","side":"south","setup":"random"}`:          422,
		`{"agent":"random","rules":"standard","side":"up","setup":"random"}`:                422,
		`{"agent":"random","rules":"standard","side":"south","setup":"x"}`:                  422,
		`{"agent":"alphabeta","time":2,"rules":"standard","side":"south","setup":"place"}`:  422,
		`{"agent":"alphabeta","time":-1,"rules":"standard","side":"south","setup":"place"}`: 422,
		`{"agent":"alphabeta","time":1,"rules":"standard","side":"south","setup":"place"}`:  201,
	} {
		w := s.post("/api/games", body)
		require.Equal(t, want, w.Code, "%.90s: %s", body, w.Body)
		var answer map[string]any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
		require.Equal(t, want != 201, answer["error"] != nil)
	}
	for _, what := range []string{"move", "undo", "hint", "resign"} {
		path := "/api/games/" + game.ID + "/" + what
		require.Equal(t, 400, s.post(path, "").Code, what)
		require.Equal(t, 400, s.post(path, `{"x":1}`).Code, what)
		require.Equal(t, 413, s.post(path, strings.Repeat(" ", maxBody+1)).Code, what)
		require.Equal(t, 404, s.post("/api/games/NOSUCHGAME/"+what, "{}").Code, what)
	}
	require.Equal(t, 404, s.post("/api/games/"+game.ID+"/cheat", "{}").Code)
}

// Requests of one address are limited, those of others aren't.
func TestLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter{limit: requestsPerSecond}
		count := func(client string, tries int) (n int) {
			for range tries {
				if l.allow(client) {
					n++
				}
			}
			return n
		}
		require.Equal(t, requestBurst, count("a", 1000))
		require.Equal(t, requestBurst, count("b", 1000))
		time.Sleep(time.Second)
		require.Equal(t, requestsPerSecond, count("a", 1000))
		time.Sleep(time.Hour)
		require.Equal(t, requestBurst, count("a", 1000))
		for i := range 10 * maxClients {
			l.allow(fmt.Sprint(i))
		}
		require.LessOrEqual(t, len(l.clients), maxClients+1)
	})
	s := newTestServer(t)
	s.limiter.limit = 1e-9
	for range int(requestBurst) {
		require.Equal(t, http.StatusOK, s.get("/live.js").Code)
	}
	w := s.get("/live.js")
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
}

// One address has its share of connections, of requests that wait and of games,
// and leaves room for others.
func TestSharesOfClients(t *testing.T) {
	t.Parallel()
	s := noRate(newTestServer(t, func(c *Config) { c.Open = true }))
	ask := func(from, method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr = from
		return s.do(r)
	}
	refused := func(w *httptest.ResponseRecorder, text string) {
		require.Equal(t, http.StatusTooManyRequests, w.Code, w.Body.String())
		require.NotEmpty(t, w.Header().Get("Retry-After"))
		require.Contains(t, w.Body.String(), text)
	}
	const one, neighbour, other = "[2001:db8:0:1::1]:1000", "[2001:db8:0:1:ffff::2]:2000", "[2001:db8:0:2::1]:1000"
	const body = `{"agent":"sleeps","rules":"standard","side":"south","setup":"random"}`
	var last *httptest.ResponseRecorder
	for range gamesPerClient {
		last = ask(one, http.MethodPost, "/api/games", body)
		require.Equal(t, http.StatusCreated, last.Code)
	}
	refused(ask(one, http.MethodPost, "/api/games", body), "games from your address in progress")
	refused(ask(neighbour, http.MethodPost, "/api/games", body), "games from your address in progress")
	require.Equal(t, http.StatusCreated, ask(other, http.MethodPost, "/api/games", body).Code)
	game := s.state(last, http.StatusCreated)
	require.Equal(t, http.StatusOK, ask(one, http.MethodPost, "/api/games/"+game.ID+"/resign", "{}").Code)
	require.Eventually(t, func() bool {
		return ask(one, http.MethodPost, "/api/games",
			body).Code == http.StatusCreated
	}, time.Minute, time.Millisecond)

	for range waitsPerClient {
		require.True(t, s.waits.acquire(client(one)))
	}
	game = s.state(ask(other, http.MethodPost, "/api/games", body), http.StatusCreated)
	wait := "/api/games/" + game.ID + "?after=0"
	refused(ask(one, http.MethodGet, wait, ""), "waiting for a move")
	refused(ask(one, http.MethodGet, "/events", ""), "too many pages are open at your address")
	require.Equal(t, http.StatusOK, ask(other, http.MethodGet, wait, "").Code)
	s.waits.release(client(one))
	require.Equal(t, http.StatusOK, ask(one, http.MethodGet, wait, "").Code)
	require.Equal(t, waitsPerClient-1, s.waits.used[client(one)])
	require.NotContains(t, s.waits.used, client(other))
}

// An address with too many connections is answered with 429 on each further one,
// until it closes some.
func TestShareOfConnections(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := netutil.LimitListener(newClientListener(inner, &quota{most: 2}), 10)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	require.NoError(t, srv.Listener.Close())
	srv.Listener = l
	srv.Start()
	defer srv.Close()
	client := func() *http.Client { return &http.Client{Transport: &http.Transport{}} }
	ask := func(c *http.Client) int {
		w, err := c.Get(srv.URL)
		require.NoError(t, err)
		text, err := io.ReadAll(w.Body)
		require.NoError(t, errors.Join(err, w.Body.Close()))
		if w.StatusCode == http.StatusTooManyRequests {
			require.Contains(t, string(text), "too many connections from your address")
			require.Equal(t, "10", w.Header.Get("Retry-After"))
		}
		return w.StatusCode
	}
	first, second := client(), client()
	require.Equal(t, http.StatusNoContent, ask(first))
	require.Equal(t, http.StatusNoContent, ask(second))
	for range 20 {
		require.Equal(t, http.StatusTooManyRequests, ask(client()))
	}
	require.Equal(t, http.StatusNoContent, ask(first))
	second.CloseIdleConnections()
	third := client()
	require.Eventually(t, func() bool { return ask(third) == http.StatusNoContent }, time.Minute, time.Millisecond)
	first.CloseIdleConnections()
	third.CloseIdleConnections()
}

// Serve ends when it is told to, with pages open and games under way, and leaves
// nothing behind.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "running", lines(drawPair(0)...))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	base := "http://" + l.Addr().String()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	events, err := client.Get(base + "/run-events/one?after=0")
	require.NoError(t, err)
	line, err := bufio.NewReader(events.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "retry: 2000\n", line)
	game, err := client.Post(base+"/api/games", "application/json",
		strings.NewReader(`{"agent":"sleeps","rules":"standard","side":"north","setup":"random"}`))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, game.StatusCode)
	cancel()
	require.NoError(t, <-done)
	_, _ = io.Copy(io.Discard, events.Body)
	require.NoError(t, game.Body.Close())
	require.NoError(t, events.Body.Close())
	_, err = net.Dial("tcp", l.Addr().String())
	require.Error(t, err)
	require.Equal(t, http.StatusServiceUnavailable, s.post("/api/games",
		`{"agent":"random","rules":"standard","side":"north","setup":"random"}`).Code)
}

// An agent that ignores its context doesn't keep the server from ending, and is
// named.
func TestCloseWithoutStuckAgent(t *testing.T) {
	t.Parallel()
	asked, release, released := make(chan struct{}), make(chan struct{}), make(chan struct{})
	stuck := agents.Kind{Name: "stuck", New: func(agents.Values) (agents.Agent, error) {
		return testAgent(func(ctx context.Context, _ *rules.Game) (agents.Decision, error) {
			close(asked)
			<-release
			close(released)
			return agents.Decision{}, ctx.Err()
		}), nil
	}}
	var log bytes.Buffer
	s := newTestServer(t, func(c *Config) {
		c.Registry = builtin.Registry(stuck)
		c.Players = []Player{{Name: "stuck", Spec: agents.Spec{Kind: "stuck"}}}
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	s.closeTimeout = time.Millisecond
	s.begin("stuck", "standard", "north", "random")
	<-asked
	s.Close()
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "agents have not stopped after their search was cancelled")
	require.Contains(t, log.String(), "agents=[stuck]")
	close(release)
	<-released
	s.games.work.Wait()
}

// The bounds on the time of requests and answers don't cut short those that wait
// for something to happen; who sends nothing is let go.
func TestServeWaits(t *testing.T) {
	s := newTestServer(t)
	s.readTimeout, s.writeTimeout = 50*time.Millisecond, 50*time.Millisecond
	dir := filepath.Join(s.results, "one")
	writeRun(t, dir, "running", lines(drawPair(0)...))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	defer func() { // also when something fails
		cancel()
		require.NoError(t, <-done)
	}()
	base := "http://" + l.Addr().String()

	silent, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	_, err = io.WriteString(silent, "GET / HTTP/1.1\r\nHost: localhost\r\nX:")
	require.NoError(t, err)
	_, err = io.ReadAll(silent)
	require.NoError(t, err, "the server closes it")

	game := s.begin("greedy", "standard", "south", "random")
	answer := make(chan string)
	go func() {
		_, body := askFor(t, base+fmt.Sprintf("/api/games/%s?after=%d", game.ID, game.Version))
		answer <- body
	}()
	n := 0
	eventsOf(t, base+"/run-events/one?after=0", func(_ string, parts map[string]json.RawMessage) bool {
		n++
		if n == 1 {
			time.Sleep(6 * s.readTimeout)
			appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawPair(1)...))
			return true
		}
		require.Contains(t, string(parts["facts"]), `"4"`)
		return false
	})
	select {
	case body := <-answer:
		t.Fatalf("answered before anything happened: %s", body)
	default:
	}
	s.post("/api/games/"+game.ID+"/move", fmt.Sprintf(`{"ply":0,"move":%q}`, game.Sources[0].Ends[0].Course))
	require.Contains(t, <-answer, `"moves":["`)
}

func askFor(t *testing.T, url string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = r.Body.Close() }()
	body, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(body)
}

func TestServeFails(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.ErrorContains(t, s.Serve(t.Context(), l), "serving: ")
}

func TestNamedRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRun(t, filepath.Join(dir, "a", "run"), "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(dir, "b", "run"), "finished", lines(drawPair(0)...))
	s := newTestServer(t, func(c *Config) {
		c.Results = ""
		c.Runs = []string{filepath.Join(dir, "a", "run"), filepath.Join(dir, "b", "run", tournament.GamesFile)}
	})
	require.Equal(t, http.StatusOK, s.get("/run/run").Code)
	require.Equal(t, http.StatusOK, s.get("/run/run-2").Code)
	require.Equal(t, http.StatusNotFound, s.get("/run/run-3").Code)
	require.Contains(t, s.get("/run/run-2").Body.String(), "finished")
	_, err := New(Config{Runs: []string{filepath.Join(dir, "none"),
		filepath.Join(dir, "a", "run", tournament.ManifestFile)}})
	require.ErrorContains(t, err, "none")
	require.ErrorContains(t, err, "manifest.json")
}

// Streams are bounded: those beyond are told to come later.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for range maxStreams {
		s.streams <- struct{}{}
	}
	w := s.get("/events")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "10", w.Header().Get("Retry-After"))
}
