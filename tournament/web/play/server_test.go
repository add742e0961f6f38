package play

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament/web"
)

// The pages and their scripts are answered, and requests about what there is not are refused.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/play":                            {200, `value="place" checked> Place the pieces</label>`},
		"/analyse":                         {200, "The analysis board"},
		"/play.js":                         {200, "import"},
		"/input.js":                        {200, "aria-label"},
		"/api/games":                       {404, "no such page"},
		"/api/games/none":                  {404, "no such game"},
		"/api/rules":                       {422, `unknown rules`},
		"/api/rules?rules=chess":           {422, `unknown rules \"chess\"`},
		"/api/rules?rules=kang:max_plies=": {422, "expected a whole number"},
		"/api/rules?rules=" + strings.Repeat("x", 1001): {422, "at most 1000 bytes"},
		"/api/rules?rules=russian:null_move=forbid":     {200, `"name":"russian:null_move=forbid"`},
		"/api/rules?rules=italian-kang":                 {200, "may bring one in"},
		"/api/games/none?after=1":                       {404, "no such game"},
	} {
		w := s.get(path)
		require.Equal(t, want.status, w.Code, path)
		require.Contains(t, w.Body.String(), want.text, path)
	}
	for _, label := range []string{`value="random"> Random</label>`, "No take-backs in timed"} {
		require.Contains(t, s.get("/play").Body.String(), label)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	game := s.begin("sleeps", "standard", "north", "random")
	for body, want := range map[string]int{
		"null": 422, `{"agent":1}`: 400, `{"agent":"random","x":1}`: 400,
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
		require.Equal(t, 400, s.post(path, `{"x":1}`).Code, what)
		require.Equal(t, 404, s.post("/api/games/NOSUCHGAME/"+what, "{}").Code, what)
	}
	require.Equal(t, 404, s.post("/api/games/"+game.ID+"/cheat", "{}").Code)
}

// One address has its share of connections, of requests that wait and of games, and leaves room for others.
func TestSharesOfClients(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(c *testConfig) { c.web.Open = true })
	refused := func(w *httptest.ResponseRecorder, text string) {
		require.Equal(t, http.StatusTooManyRequests, w.Code, w.Body.String())
		require.NotEmpty(t, w.Header().Get("Retry-After"))
		require.Contains(t, w.Body.String(), text)
	}
	one, neighbour, other := s.at("[2001:db8:0:1::1]"), s.at("[2001:db8:0:1:ffff::2]"), s.at("[2001:db8:0:2::1]")
	const body = `{"agent":"sleeps","rules":"standard","side":"south","setup":"random"}`
	var last *httptest.ResponseRecorder
	for range gamesPerClient {
		last = one.post("/api/games", body)
		require.Equal(t, http.StatusCreated, last.Code)
	}
	refused(one.post("/api/games", body), "games from your address in progress")
	refused(neighbour.post("/api/games", body), "games from your address in progress")
	require.Equal(t, http.StatusCreated, other.post("/api/games", body).Code)
	game := s.state(last, http.StatusCreated)
	require.Equal(t, http.StatusOK, one.post("/api/games/"+game.ID+"/resign", "{}").Code)
	require.Eventually(t, func() bool { return one.post("/api/games", body).Code == http.StatusCreated },
		time.Minute, time.Millisecond)

	held := 0
	for s.Waits.Acquire("2001:db8:0:1::/64") {
		held++
	}
	require.Positive(t, held)
	game = s.state(other.post("/api/games", body), http.StatusCreated)
	wait := "/api/games/" + game.ID + "?after=0"
	refused(one.get(wait), "waiting for a move")
	require.Equal(t, http.StatusOK, other.get(wait).Code)
	s.Waits.Release("2001:db8:0:1::/64")
	require.Equal(t, http.StatusOK, one.get(wait).Code)
	require.True(t, s.Waits.Acquire("2001:db8:0:1::/64"))
	require.False(t, s.Waits.Acquire("2001:db8:0:1::/64"))
}

// Serve ends when it is told to, with pages open and games under way, and leaves nothing behind.
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
	ask, err := http.NewRequest(http.MethodGet, base+"/run-events/one?after=0", nil)
	require.NoError(t, err)
	ask.Header.Set(web.PageHeader, "1")
	events, err := client.Do(ask)
	require.NoError(t, err)
	line, err := bufio.NewReader(events.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, ":\n", line)
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
