package play

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
)

// The environment of the load test. See results/reference/serve.md.
const (
	loadBoards = "GYGES_LOAD_BOARDS" // numbers of boards, like "100,1000"
	loadTime   = "GYGES_LOAD_TIME"   // of each measurement, like "20s"
	loadCores  = "GYGES_LOAD_CORES"  // of the server, like "0,1", by taskset
	loadServer = "GYGES_LOAD_SERVER" // set in the process of the server: the folder of its runs
)

// usage is what the server's process has used.
type usage struct {
	CPU    time.Duration // since it started
	Memory uint64        // bytes of the heap and the stacks that are in use
}

// TestLoad lets visitors play on boards and follow a run that goes on, all over HTTP, with a server
// in a process of its own, and reports how long requests take, and what a board costs. Without the
// environment it has a few boards and hasty visitors, and checks that all are served.
func TestLoad(t *testing.T) {
	if dir := os.Getenv(loadServer); dir != "" {
		serveLoad(t, dir)
		return
	}
	boards, span, think := []int{12}, time.Second, 50*time.Millisecond
	if text := os.Getenv(loadBoards); text != "" {
		boards, span, think = nil, 20*time.Second, 3*time.Second
		for _, n := range strings.Split(text, ",") {
			number, err := strconv.Atoi(n)
			require.NoError(t, err)
			boards = append(boards, number)
		}
	}
	if text := os.Getenv(loadTime); text != "" {
		var err error
		span, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	for _, n := range boards {
		t.Run(strconv.Itoa(n), func(t *testing.T) { measureLoad(t, n, span, think) })
	}
}

// serveLoad serves without limits on visitors until its input ends. It prints its address, and for
// each line of input what it has used.
func serveLoad(t *testing.T, dir string) {
	s := newTestServer(t, func(c *testConfig) {
		c.Results, c.Games, c.web.Conns, c.web.Streams = dir, 1<<20, Conns(1<<20), 1<<20
	})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	fmt.Printf("http://%s\n", l.Addr())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		text, err := json.Marshal(usage{processTime(), m.HeapInuse + m.StackInuse})
		require.NoError(t, err)
		fmt.Println(string(text))
	}
	cancel()
	require.NoError(t, <-ended)
}

// loadProcess is the process of the server.
type loadProcess struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	url string
}

func startLoadProcess(t *testing.T, dir string) *loadProcess {
	args := []string{os.Args[0], "-test.run=^TestLoad$"}
	if cores := os.Getenv(loadCores); cores != "" {
		args = append([]string{"taskset", "-c", cores}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stderr = append(os.Environ(), loadServer+"="+dir), os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &loadProcess{t, in, bufio.NewScanner(out), ""}
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		for p.out.Scan() { // its last words
		}
		require.NoError(t, cmd.Wait())
	})
	require.True(t, p.out.Scan())
	p.url = p.out.Text()
	return p
}

func (p *loadProcess) usage() (u usage) {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in)
	require.NoError(p.t, err)
	require.True(p.t, p.out.Scan())
	require.NoError(p.t, json.Unmarshal(p.out.Bytes(), &u), p.out.Text())
	return u
}

// load is what visitors have seen.
type load struct {
	url   string
	think time.Duration

	mu      sync.Mutex
	counted bool            // requests count, since all visitors have come
	moves   []time.Duration // time of each request with a move
	replies []time.Duration // time until the agent's move was there, too
	events  int64           // bytes of events
	failed  []error
}

func measureLoad(t *testing.T, boards int, span, think time.Duration) {
	dir := t.TempDir()
	writeRun(t, filepath.Join(dir, "match"), "running", lines(drawPair(0)...))
	p := startLoadProcess(t, dir)
	l := &load{url: p.url, think: think}
	before := p.usage()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var visitors sync.WaitGroup
	visitors.Go(func() { l.goOn(ctx, t, filepath.Join(dir, "match")) })
	for i := range boards {
		visitors.Go(func() { l.visit(ctx, func(c *http.Client) error { return l.play(ctx, c, i) }) })
	}
	for range boards / 10 {
		visitors.Go(func() { l.visit(ctx, l.follow(ctx)) })
	}
	time.Sleep(think + span/10)
	l.count(true)
	from, start := p.usage(), time.Now()
	time.Sleep(span)
	l.count(false)
	to, took := p.usage(), time.Since(start)
	cancel()
	visitors.Wait()
	require.NoError(t, errors.Join(l.failed...))
	require.NotEmpty(t, l.moves)
	require.NotEmpty(t, l.replies)
	require.Positive(t, l.events)
	t.Logf("%d boards, %d pages that follow a run: %.0f moves/s; of their requests 50 %% took %v, 99 %% %v, the longest %v; "+
		"with the agent's move 50 %% %v, 99 %% %v; %.2f cores; %.0f KB of memory a visitor",
		boards, boards/10, float64(len(l.moves))/took.Seconds(), percentile(l.moves, 50), percentile(l.moves, 99),
		percentile(l.moves, 100), percentile(l.replies, 50), percentile(l.replies, 99),
		(to.CPU-from.CPU).Seconds()/took.Seconds(),
		(float64(to.Memory)-float64(before.Memory))/1e3/float64(boards+boards/10))
}

func percentile(list []time.Duration, n int) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)*n/100].Round(100 * time.Microsecond)
}

func (l *load) count(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counted = on
}

// visit is a visitor with connections of its own.
func (l *load) visit(ctx context.Context, act func(*http.Client) error) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	if err := act(&http.Client{Transport: transport}); err != nil && ctx.Err() == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.failed = append(l.failed, err)
	}
}

// goOn lets a run go on: pairs are recorded.
func (l *load) goOn(ctx context.Context, t *testing.T, dir string) {
	for n := int64(1); ctx.Err() == nil; n++ {
		pause(ctx, 4*time.Second)
		appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawPair(n)...))
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// follow has the page of a run open.
func (l *load) follow(ctx context.Context) func(*http.Client) error {
	return func(c *http.Client) error {
		if _, err := l.request(ctx, c, http.MethodGet, "/run/match", ""); err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+"/run-events/match", nil)
		if err != nil {
			return err
		}
		w, err := c.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = w.Body.Close() }()
		for buf := make([]byte, 64<<10); ; {
			n, err := w.Body.Read(buf)
			l.mu.Lock()
			l.events += int64(n)
			l.mu.Unlock()
			if err != nil {
				return err
			}
		}
	}
}

// request returns the body of an answer that must be a success.
func (l *load) request(ctx context.Context, c *http.Client, method, path, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, l.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(w.Body)
	if err = errors.Join(err, w.Body.Close()); err == nil && w.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s %s: %s: %s", method, path, body, w.Status, bytes.TrimSpace(text))
	}
	return text, err
}

// play plays games on a board, one after another.
func (l *load) play(ctx context.Context, c *http.Client, number int) error {
	rng := rand.New(rand.NewPCG(1, uint64(number)))
	pause(ctx, time.Duration(rng.Float64()*float64(l.think))) // not all at once
	for _, path := range []string{"/play", "/style.css", "/board.js", "/play.js"} {
		if _, err := l.request(ctx, c, http.MethodGet, path, ""); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		agent := []string{"random", "greedy"}[rng.IntN(2)]
		if err := l.playGame(ctx, c, rng, agent); err != nil {
			return err
		}
	}
	return nil
}

func (l *load) playGame(ctx context.Context, c *http.Client, rng *rand.Rand, agent string) error {
	text, err := l.request(ctx, c, http.MethodPost, "/api/games",
		fmt.Sprintf(`{"agent":%q,"time":0,"rules":"standard","side":"random","setup":"random"}`, agent))
	var sent, answered time.Time // the last move and its answer
	for {
		var now state
		if err = errors.Join(err, json.Unmarshal(text, &now)); err != nil || now.Result != "" || now.Problem != "" {
			return err
		}
		path := "/api/games/" + now.ID
		if len(now.Sources) == 0 {
			text, err = l.request(ctx, c, http.MethodGet, fmt.Sprintf("%s?after=%d", path, now.Version), "")
			continue
		}
		l.note(sent, answered)
		pause(ctx, time.Duration((0.5+rng.Float64())*float64(l.think)))
		from := now.Sources[rng.IntN(len(now.Sources))]
		move := fmt.Sprintf(`{"ply":%d,"move":%q}`, len(now.Moves), from.Ends[rng.IntN(len(from.Ends))].Course)
		sent = time.Now()
		text, err = l.request(ctx, c, http.MethodPost, path+"/move", move)
		answered = time.Now()
	}
}

// note counts a move that was answered, and then by the agent, too.
func (l *load) note(sent, answered time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counted && !sent.IsZero() {
		l.moves, l.replies = append(l.moves, answered.Sub(sent)), append(l.replies, time.Since(sent))
	}
}
