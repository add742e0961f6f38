package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"gyges/tournament"
)

// load is what visitors see of a server. See results/reference/reliability.md.
type load struct {
	url   string
	think time.Duration // over a move

	mu             sync.Mutex
	counted        bool            // requests count, since all visitors have come
	moves, replies []time.Duration // of each move: until it was answered, and until the agent's move was there, too
	events         int64           // bytes of the events of runs
}

// TestLoad lets visitors play on boards and follow a run that goes on, and reports how long requests take.
// GYGES_LOAD_BOARDS sets the number of boards; without it there are a few, hasty visitors, and all must be served.
func TestLoad(t *testing.T) {
	boards, span, think := 12, 300*time.Millisecond, 20*time.Millisecond
	if text := os.Getenv("GYGES_LOAD_BOARDS"); text != "" {
		var err error
		boards, err = strconv.Atoi(text)
		require.NoError(t, err)
		span, think = 12*time.Second, 3*time.Second
	}
	s := newTestServer(t, func(c *testConfig) { c.Games, c.web.Streams = 1<<20, 1<<20 })
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(drawPair(0)...))
	l := &load{url: listen(t, s), think: think}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var visitors errgroup.Group
	visit := func(act func(context.Context, *http.Client) error) {
		visitors.Go(func() error {
			transport := &http.Transport{} // with connections of its own
			defer transport.CloseIdleConnections()
			if err := act(ctx, &http.Client{Transport: transport}); ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
	for i := range boards {
		visit(func(ctx context.Context, c *http.Client) error {
			return l.play(ctx, c, rand.New(rand.NewPCG(1, uint64(i))))
		})
	}
	for range boards / 10 {
		visit(l.follow)
	}
	count := func(on bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.counted = on
	}
	time.Sleep(think + span/10)
	count(true)
	for pair := int64(1); pair <= 3; pair++ { // the run goes on
		appendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawPair(pair)...))
		time.Sleep(span / 3)
	}
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.replies) > 0
	}, time.Minute, time.Millisecond)
	count(false)
	cancel()
	require.NoError(t, visitors.Wait())
	require.Positive(t, l.events)
	slices.Sort(l.moves)
	slices.Sort(l.replies)
	percentile := func(list []time.Duration, n int) time.Duration {
		return list[(len(list)-1)*n/100].Round(100 * time.Microsecond)
	}
	t.Logf("%d boards, %d pages that follow a run: %.0f moves/s; of their requests 50 %% took %v, 99 %% %v; "+
		"with the agent's move 99 %% %v", boards, boards/10, float64(len(l.moves))/span.Seconds(),
		percentile(l.moves, 50), percentile(l.moves, 99), percentile(l.replies, 99))
}

// request sends a request, whose answer must be a success.
func (l *load) request(ctx context.Context, c *http.Client, method, path, body string, read func(io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, method, l.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	w, err := c.Do(r)
	if err != nil {
		return err
	}
	if w.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s %s: %s", method, path, body, w.Status)
	}
	return errors.Join(err, read(w.Body), w.Body.Close())
}

// follow has the page of a run open.
func (l *load) follow(ctx context.Context, c *http.Client) error {
	return l.request(ctx, c, http.MethodGet, "/run-events/match", "", func(events io.Reader) error {
		for buf := make([]byte, 64<<10); ; {
			n, err := events.Read(buf)
			l.mu.Lock()
			l.events += int64(n)
			l.mu.Unlock()
			if err != nil {
				return err
			}
		}
	})
}

// play plays games, one after another.
func (l *load) play(ctx context.Context, c *http.Client, rng *rand.Rand) error {
	var now state
	var sent, answered time.Time // the last move and its answer
	for err := error(nil); ; {
		if err != nil {
			return err
		}
		method, path, body := http.MethodGet, fmt.Sprintf("/api/games/%s?after=%d", now.ID, now.Version), ""
		moves := len(now.Sources) > 0
		switch {
		case now.ID == "" || now.Result != "" || now.Problem != "":
			method, path, sent = http.MethodPost, "/api/games", time.Time{}
			body = fmt.Sprintf(`{"agent":%q,"time":0,"rules":"standard","side":"random","setup":"random"}`,
				[]string{"random", "greedy"}[rng.IntN(2)])
		case moves:
			l.note(sent, answered)
			time.Sleep(time.Duration((0.5 + rng.Float64()) * float64(l.think)))
			from := now.Sources[rng.IntN(len(now.Sources))]
			method, path, sent = http.MethodPost, "/api/games/"+now.ID+"/move", time.Now()
			body = fmt.Sprintf(`{"ply":%d,"move":%q}`, len(now.Moves), from.Ends[rng.IntN(len(from.Ends))].Course)
		}
		err = l.request(ctx, c, method, path, body, func(text io.Reader) error {
			now = state{}
			return json.NewDecoder(text).Decode(&now)
		})
		if moves {
			answered = time.Now()
		}
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
