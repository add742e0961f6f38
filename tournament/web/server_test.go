package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/time/rate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTestServer is a server with a page, a request with a body, and events.
func newTestServer(t *testing.T, c Config) *Server {
	t.Helper()
	s := New(c)
	s.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		s.WritePage(w, http.StatusOK, "refusal", map[string]string{"Title": "<b>", "Text": "x"})
	})
	Post(s, "POST /api/echo", http.StatusCreated, func(_ *http.Request, q map[string]int) (any, error) {
		if q["fail"] != 0 {
			return nil, errors.New("secret")
		}
		return q, nil
	})
	s.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		to := s.NewEvents(w, r)
		if to == nil {
			return
		}
		defer to.Close()
		select {
		case <-time.After(300 * time.Millisecond):
			to.Send("late", "yes")
		case <-to.Context().Done():
		}
	})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func (s *Server) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func get(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	r.Header.Set(PageHeader, "1")
	return r
}

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/api/echo", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// Every answer has the headers that keep browsers from harm. Files have tags: those that are known aren't sent again.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	for path, want := range map[string]int{
		"/": 200, "/style.css": 200, "/dom.js": 200, "/board.js": 200, "/viewer.js": 200, "/review.js": 200,
		"/none": 404, "/api/echo": 404, "/assets/page.tmpl": 404,
	} {
		w := s.do(get(path))
		require.Equal(t, want, w.Code, path)
		require.NotContains(t, w.Body.String(), "<b>", path)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'", path)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), path)
		require.Equal(t, want == 200 && path != "/", w.Header().Get("ETag") != "", path)
	}
	w := s.do(get("/board.js"))
	require.Equal(t, "text/javascript; charset=utf-8", w.Header().Get("Content-Type"))
	r := get("/board.js")
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, s.do(r).Code)
	r = httptest.NewRequest(http.MethodGet, "http://localhost/", strings.NewReader("x"))
	require.Equal(t, http.StatusBadRequest, s.do(r).Code)
	for _, path := range []string{"/", "/board.js"} {
		r := httptest.NewRequest(http.MethodDelete, "http://localhost"+path, nil)
		require.GreaterOrEqual(t, s.do(r).Code, 400, path)
	}
}

// Requests that call the server by a name that isn't its own are refused.
func TestHosts(t *testing.T) {
	t.Parallel()
	servers := []*Server{newTestServer(t, Config{}), newTestServer(t, Config{Open: true, Hosts: []string{"Box.example.org"}})}
	both, open, none := [2]bool{true, true}, [2]bool{false, true}, [2]bool{}
	for host, want := range map[string][2]bool{ // local, open
		"localhost": both, "localhost:8080": both, "LOCALHOST.": both, "127.0.0.1": both, "127.0.0.1:1": both,
		"127.9.9.9": both, "[::1]:8080": both, "[::1]": both, "[::ffff:127.0.0.1]:80": both,
		"192.168.0.7:8080": open, "[fe80::1]:8080": open, "box.example.org:8080": open,
		"evil.example": none, "evil.example:8080": none, "localhost.evil.example": none, "127.0.0.1.evil.example": none,
		"": none, ":8080": none, "a box": none, "<script>alert(1)</script>": none,
	} {
		for i, s := range servers {
			r := get("/")
			r.Host = host
			code := http.StatusMisdirectedRequest
			if want[i] {
				code = http.StatusOK
			}
			w := s.do(r)
			require.Equal(t, code, w.Code, "%q, open %v", host, i == 1)
			require.NotContains(t, w.Body.String(), "alert")
		}
	}
}

// Only the server's own pages change anything, ask for data or follow events; links from elsewhere lead to pages.
func TestOrigins(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	s.HandleFunc("GET /api/data", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, 1) })
	const site, mode, origin = "Sec-Fetch-Site", "Sec-Fetch-Mode", "Origin"
	own := []http.Header{
		{}, // no browser
		{site: {"same-origin"}}, {site: {"none"}}, {site: {"same-origin"}, origin: {"null"}},
		{origin: {"http://localhost"}}, {origin: {"https://localhost"}}, {site: {"same-origin"}, origin: {"http://localhost"}},
	}
	foreign := []http.Header{
		{site: {"same-site"}}, {site: {"cross-site"}}, {site: {"cross-site"}, mode: {"no-cors"}}, {site: {"x"}},
		{origin: {"http://localhost:81"}}, {origin: {"http://evil.example"}}, {origin: {"null"}}, {origin: {"%"}},
		{origin: {"http://localhost.evil.example"}}, {origin: {"http://evil.example/localhost"}}, {origin: {"localhost"}},
		{site: {"cross-site"}, origin: {"http://localhost"}},
	}
	link := http.Header{site: {"cross-site"}, mode: {"navigate"}}
	ask := func(method, path string, h http.Header, want int) {
		t.Helper()
		body := ""
		if method == http.MethodPost {
			body = "{}"
		}
		r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		r.Header = h.Clone()
		r.Header.Set("Content-Type", "application/json")
		require.Equal(t, want, s.do(r).Code, "%s %s %v", method, path, h)
	}
	for _, h := range own {
		ask("POST", "/api/echo", h, 201)
		ask("GET", "/api/data", h, 200)
		ask("GET", "/", h, 200)
	}
	for _, h := range own { // a browser may say as little of another site's page
		ask("GET", "/events", h, 403)
	}
	ask("GET", "/events", http.Header{"Gyges-Page": {"1"}}, 200)
	for _, h := range append(foreign, link) {
		ask("POST", "/api/echo", h, 403)
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "PUT", "DELETE"} {
			ask(method, "/api/data", h, 403)
			ask(method, "/api/none", h, 403)
		}
		ask("GET", "/events", h, 403)
	}
	for _, h := range foreign {
		ask("GET", "/", h, 403) // fetched by a script, or part of a page
	}
	for _, path := range []string{"/", "/board.js"} {
		ask("GET", path, link, 200)
		ask("HEAD", path, http.Header{site: {"same-site"}, mode: {"navigate"}}, 200)
		ask("POST", path, link, 403)
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "", ";"} {
		r := post("{}")
		r.Header.Set("Content-Type", kind)
		require.Equal(t, http.StatusUnsupportedMediaType, s.do(r).Code, kind)
	}
}

// The bounds count addresses; beyond the machine's own networks IPv6 networks of customers.
func TestClients(t *testing.T) {
	t.Parallel()
	addrs := func(list ...string) func() ([]net.Addr, error) {
		return func() ([]net.Addr, error) {
			var found []net.Addr
			for _, text := range list {
				ip, network, err := net.ParseCIDR(text)
				require.NoError(t, err)
				found = append(found, &net.IPNet{IP: ip, Mask: network.Mask})
			}
			return found, nil
		}
	}
	s := newTestServer(t, Config{})
	s.interfaces = addrs("127.0.0.1/8", "::1/128", "192.168.0.7/24", "fd77::1/64", "2001:db8:5::1/48", "fe80::1/64")
	for remote, want := range map[string]string{
		"192.0.2.1:5":           "192.0.2.1",
		"[::ffff:192.0.2.1]:5":  "192.0.2.1",
		"[fd77::2]:5":           "fd77::2",
		"[fd77::3]:6":           "fd77::3",
		"[2001:db8:5:9::1]:6":   "2001:db8:5:9::1",
		"[fd77:0:0:1::3]:6":     "fd77:0:0:1::/64",
		"[2001:db8:1:2:3::4]:5": "2001:db8:1:2::/64",
		"[fe80::2%eth0]:5":      "fe80::2%eth0",
		"[febf::2%eth1]:5":      "febf::2%eth1",
		"[::1]:5":               "::1",
		"@":                     "@",
	} {
		require.Equal(t, want, s.client(remote))
	}
	s.interfaces = addrs("fd78::1/64") // the network has another prefix from now on
	require.Equal(t, "fd78::2", s.client("[fd78::2]:5"))
	require.Equal(t, "fd77::/64", s.client("[fd77::2]:5"))
	s.interfaces = func() ([]net.Addr, error) { return nil, errors.New("no") }
	require.Equal(t, "fd78::/64", s.client("[fd78::2]:5"))
}

// Bodies are JSON and bounded; the reason of a failure stays in the log.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	for body, want := range map[string]int{
		"": 400, "{": 400, "[]": 400, `"x"`: 400, `{"a":"x"}`: 400, `{} {}`: 400, `{"a":1,"a":2}`: 400,
		`{"` + strings.Repeat("x", MaxBody) + `":1}`: 413, `{}` + strings.Repeat(" ", MaxBody): 413,
		`{"fail":1}`: 500, `{"a":1}`: 201,
	} {
		w := s.do(post(body))
		require.Equal(t, want, w.Code, "%.90s: %s", body, w.Body)
		require.Equal(t, want != 201, strings.Contains(w.Body.String(), `"error"`))
		require.NotContains(t, w.Body.String(), "secret")
	}
}

// A request that was given up isn't logged; one for which the host lacks something may be tried again later.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		logged bool
	}{
		{Conflict("no"), http.StatusConflict, false},
		{TooMany("no"), http.StatusTooManyRequests, false},
		{context.Canceled, http.StatusServiceUnavailable, false},
		{fmt.Errorf("agent: %w", context.Canceled), http.StatusServiceUnavailable, false},
		{context.DeadlineExceeded, http.StatusInternalServerError, true},
		{&fs.PathError{Op: "open", Path: "secret", Err: syscall.EMFILE}, http.StatusServiceUnavailable, true},
		{&fs.PathError{Op: "open", Path: "secret", Err: syscall.ENOENT}, http.StatusInternalServerError, true},
	} {
		var log bytes.Buffer
		s := newTestServer(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
		for _, fail := range []func(http.ResponseWriter, error){s.Fail, s.FailPage} {
			log.Reset()
			w := httptest.NewRecorder()
			fail(w, c.err)
			require.Equal(t, c.status, w.Code, c.err)
			require.Equal(t, c.logged, log.Len() > 0, c.err)
			require.NotContains(t, w.Body.String(), "secret")
			later := c.status == http.StatusTooManyRequests || c.status == http.StatusServiceUnavailable
			require.Equal(t, later, w.Header().Get("Retry-After") == retryAfter, c.err)
		}
	}
}

// Requests of one address are limited, those of others aren't.
func TestLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter{limit: requestsPerSecond, clients: map[string]*rate.Limiter{}}
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
	s := newTestServer(t, Config{Rate: 1e-9})
	for range requestBurst {
		require.Equal(t, http.StatusOK, s.do(get("/dom.js")).Code)
	}
	w := s.do(get("/dom.js"))
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
}

// Streams are bounded, for each address and in all: those beyond are told to come later.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{Open: true})
	s.streams.Max = waitsPerClient + 1
	open := func(from string) (*Events, *httptest.ResponseRecorder) {
		r, w := get("/events"), httptest.NewRecorder()
		r.RemoteAddr = s.client(from)
		return s.NewEvents(w, r), w
	}
	const one, neighbour, other = "[2001:db8:0:1::1]:1000", "[2001:db8:0:1:ffff::2]:2000", "[2001:db8:0:2::1]:1000"
	for range waitsPerClient {
		e, _ := open(one)
		require.NotNil(t, e)
		defer e.Close()
	}
	_, w := open(neighbour)
	require.Contains(t, w.Body.String(), "too many pages are open at your address")
	e, _ := open(other)
	require.NotNil(t, e)
	defer e.Close()
	_, w = open(other)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "too many pages are open\"")
	require.Equal(t, 1, s.Waits.used["2001:db8:0:2::/64"])
	w = s.do(get("/events"))
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, retryAfter, w.Header().Get("Retry-After"))
}

// serve serves connections until the test ends.
func serve(t *testing.T, s *Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
		_, err = net.Dial("tcp", l.Addr().String())
		require.Error(t, err)
	})
	return l.Addr().String()
}

// ask asks for a page over a connection of the client.
func ask(c *http.Client, url string) (int, string, error) {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	r.Header.Set(PageHeader, "1")
	w, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(w.Body)
	return w.StatusCode, string(text), errors.Join(err, w.Body.Close())
}

// An address with too many connections has further ones closed, until it closes some.
func TestShareOfConnections(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	s.conns.Max = 2
	url := "http://" + serve(t, s)
	client := func() *http.Client {
		c := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(c.CloseIdleConnections)
		return c
	}
	works := func(c *http.Client) bool {
		code, _, err := ask(c, url)
		return err == nil && code == http.StatusOK
	}
	first, second := client(), client()
	require.True(t, works(first))
	require.True(t, works(second))
	for range 20 {
		require.False(t, works(client()))
	}
	require.True(t, works(first))
	second.CloseIdleConnections()
	third := client()
	require.Eventually(t, func() bool { return works(third) }, time.Minute, time.Millisecond)
}

// A connection beyond those that the server has at a time waits until another one is closed.
func TestConnectionsWait(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	address := serve(t, s)
	var open []net.Conn
	for range minConns + 1 {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer func() { _ = c.Close() }()
		open = append(open, c)
	}
	last := open[minConns]
	_, err := io.WriteString(last, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, open[0].Close())
	text, err := io.ReadAll(last)
	require.NoError(t, err)
	require.Contains(t, string(text), "200 OK")
}

// The bounds on the time of requests and answers don't cut short events that come late; who sends nothing is let go.
func TestServeWaits(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	s.readTimeout, s.writeTimeout = 50*time.Millisecond, 50*time.Millisecond
	address := serve(t, s)
	silent, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	_, err = io.WriteString(silent, "GET / HTTP/1.1\r\nHost: localhost\r\nX:")
	require.NoError(t, err)
	_, err = io.ReadAll(silent)
	require.NoError(t, err, "the server closes it")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	code, text, err := ask(client, "http://"+address+"/events")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, ":\n\nevent: late\ndata: \"yes\"\n\n", text)
}

// Background work that ignores the end of its context doesn't keep the server from ending, and is logged.
func TestCloseWithoutStuckWork(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	s.closeTimeout = time.Millisecond
	closed, release := false, make(chan struct{})
	s.OnClose(func() error { closed = true; return nil })
	s.Go(func() { <-release })
	require.NoError(t, s.Close())
	require.True(t, closed)
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "searches have not stopped after they were cancelled")
	close(release)
	s.work.Wait()
}

func TestServeFails(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.ErrorContains(t, s.Serve(t.Context(), l), "serving: ")
}

var (
	replacement         = regexp.MustCompile(`\.replace(All)?\([^\n]*`)
	constantReplacement = regexp.MustCompile(`^\.replace(All)?\((/(\\.|[^/\\])+/[a-z]*|"[^"]*"), ("[^"]*"|\([^()]*\) =>)`)
)

// What takes the place of a match in the scripts of pages is a constant or a function's result: in any other text $&
// and the like would stand for what was matched.
func TestReplacementsAreConstants(t *testing.T) {
	shared, err := filepath.Glob("assets/*")
	require.NoError(t, err)
	others, err := filepath.Glob("*/assets/*")
	require.NoError(t, err)
	found := 0
	for _, path := range append(shared, others...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, call := range replacement.FindAllString(string(text), -1) {
			if regexp.MustCompile(`^\.replace\(pageOf`).MatchString(call) { // of a location
				continue
			}
			found++
			require.Regexp(t, constantReplacement, call, path)
		}
	}
	require.NotZero(t, found)
}
