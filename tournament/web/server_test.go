package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTestServer is a server with a page, a request with a body, and events.
func newTestServer(t *testing.T, c Config) *Server {
	t.Helper()
	s := New(c)
	s.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		s.WritePage(w, http.StatusOK, "refusal", map[string]string{"Title": "<b>", "Text": "x"})
	})
	s.HandleFunc("POST /api/echo", Post(s, http.StatusCreated, func(_ *http.Request, q map[string]int) (any, error) {
		if q["fail"] != 0 {
			return nil, errors.New("secret")
		}
		return q, nil
	}))
	s.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		to, err := s.NewEvents(w, r)
		if err != nil {
			s.Fail(w, err)
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
	return httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
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

// Only the server's own pages change anything.
func TestOrigins(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, Config{})
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"", "", 201}, // no browser
		{"Sec-Fetch-Site", "same-origin", 201}, {"Sec-Fetch-Site", "none", 201},
		{"Sec-Fetch-Site", "same-site", 403}, {"Sec-Fetch-Site", "cross-site", 403},
		{"Origin", "http://localhost", 201}, {"Origin", "http://localhost:81", 403},
		{"Origin", "http://evil.example", 403}, {"Origin", "null", 403},
		{"Content-Type", "text/plain", 415}, {"Content-Type", "application/x-www-form-urlencoded", 415},
		{"Content-Type", "", 415}, {"Content-Type", ";", 415},
	} {
		r := post("{}")
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		require.Equal(t, c.want, s.do(r).Code, "%s: %s", c.header, c.value)
	}
	r := get("/events")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "cors")
	require.Equal(t, http.StatusForbidden, s.do(r).Code)
	r = get("/")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	require.Equal(t, http.StatusOK, s.do(r).Code, "a link from elsewhere")
	r.URL.Path = "/api/analyse"
	require.Equal(t, http.StatusForbidden, s.do(r).Code, "a frame elsewhere")
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
	s := newTestServer(t, Config{Open: true, Streams: waitsPerClient + 1})
	open := func(from string) (*Events, error) {
		r := get("/events")
		r.RemoteAddr = from
		return s.NewEvents(httptest.NewRecorder(), r)
	}
	const one, neighbour, other = "[2001:db8:0:1::1]:1000", "[2001:db8:0:1:ffff::2]:2000", "[2001:db8:0:2::1]:1000"
	var last *Events
	for range waitsPerClient {
		var err error
		last, err = open(one)
		require.NoError(t, err)
		defer last.Close()
	}
	_, err := open(neighbour)
	require.ErrorContains(t, err, "too many pages are open at your address")
	e, err := open(other)
	require.NoError(t, err)
	defer e.Close()
	_, err = open(other)
	require.Equal(t, Error{http.StatusServiceUnavailable, "too many pages are open"}, err)
	require.Equal(t, 1, s.Waits.Used(clientOf(other)))
	w := s.do(get("/events"))
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
	w, err := c.Get(url)
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

// The bounds on the time of requests and answers don't cut short events that come late; who sends
// nothing is let go.
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

// Background work that ignores the end of its context doesn't keep the server from ending, and is named.
func TestCloseWithoutStuckWork(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	s.closeTimeout = time.Millisecond
	s.Busy = func() []string { return []string{"stuck"} }
	closed, release := false, make(chan struct{})
	s.OnClose(func() error { closed = true; return nil })
	s.Go(func() { <-release })
	require.NoError(t, s.Close())
	require.True(t, closed)
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "agents have not stopped after their search was cancelled")
	require.Contains(t, log.String(), "agents=[stuck]")
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
