package play

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/tournament/web"
)

// However many searches one address has under way and waiting, others have their moves, reviews and analyses, and the
// searches of whoever gives up end.
func TestFairness(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(c *testConfig) {
		c.web.Open, c.Searches, c.Hint = true, 2, agents.Spec{Kind: "sleeps"}
	})
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(shortGame()))
	greedy := s.at("127.0.0.2")
	var held []*replica
	for range gamesPerClient { // each waits for the person's move, and then for the agent's for good
		held = append(held, greedy.replica(greedy.begin("sleeps", "standard", "south", "random")))
	}
	attack := func() {
		for _, p := range held {
			w := p.post(p.path("move"), fmt.Sprintf(`{"ply":0,"move":%q}`, p.game.Legal().At(0)))
			require.True(t, p.state(w, http.StatusOK).Waiting)
		}
	}
	attack()
	address := listen(t, s)
	for i, other := range []*testServer{s.at("127.0.0.3"), s.at("127.0.0.4")} {
		for _, agent := range []string{"random", "greedy", "answers"} {
			p := other.replica(other.begin(agent, "standard", "south", "random"))
			p.play()
			for _, p := range held {
				if i == 0 { // takes back, and moves again
					require.Equal(t, http.StatusOK, p.post(p.path("undo"), "{}").Code)
				}
			}
			if i == 0 {
				attack()
			}
		}
	}
	status, kind, data := askReview(t, address, `{"run":"one","game":0}`) // from 127.0.0.1
	require.Equal(t, []any{200, "review"}, []any{status, kind}, data)
	at := analyseAt(t, address, question())
	event, _ := at.next()
	require.Equal(t, "lines", event)
	require.Equal(t, 1, s.games.moves.busy())
	require.Equal(t, 1, s.games.lines.busy())
	at.cancel()

	// who goes away while a hint is searched, or waited for
	for _, p := range held {
		require.Equal(t, http.StatusOK, p.post(p.path("undo"), "{}").Code)
	}
	s.idle()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	for _, p := range held[:3] {
		go func() {
			r := httptest.NewRequest(http.MethodPost, "http://localhost"+p.path("hint"), strings.NewReader(`{"ply":0}`))
			r.Header.Set("Content-Type", "application/json")
			done <- p.do(r.WithContext(ctx)).Code
		}()
	}
	require.Eventually(t, func() bool { return s.games.moves.busy() == 1 }, time.Minute, time.Millisecond)
	cancel()
	for range 3 {
		<-done
	}
	s.idle()
}

// A review that waits for its turn is heard of.
func TestReviewHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t)
		writeRun(t, filepath.Join(s.results, "one"), "finished", lines(shortGame()))
		end, err := s.games.light.Turn(t.Context(), "x")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequest(http.MethodPost, "http://localhost/api/review", strings.NewReader(`{"run":"one","game":0}`))
		r.Header.Set(web.PageHeader, "1")
		r.Header.Set("Content-Type", "application/json")
		w := recorder{httptest.NewRecorder()}
		var asked sync.WaitGroup
		asked.Go(func() { s.Handler().ServeHTTP(w, r.WithContext(ctx)) })
		time.Sleep(time.Minute + time.Second)
		cancel()
		asked.Wait()
		require.Equal(t, ":\n\nevent: progress\ndata: {\"all\":1,\"done\":0}\n\n:\n\n:\n\n:\n\n", w.Body.String())
		end()
		s.Close()
	})
}

// recorder records an answer that may take long.
type recorder struct{ *httptest.ResponseRecorder }

func (recorder) SetWriteDeadline(time.Time) error { return nil }

// closing is an agent that counts how often it is started and closed.
type closing struct {
	testAgent
	started, closed int
	panics          bool // at its end
}

func (a *closing) Start(context.Context) error {
	a.started++
	return nil
}

func (a *closing) Close() error {
	a.closed++
	if a.panics {
		panic("boom")
	}
	return nil
}

// A slot keeps its agent for the next search of the same spec, unless a search has failed; one that is replaced is closed.
func TestSlotsKeepAgents(t *testing.T) {
	t.Parallel()
	var made []*closing
	kind := func(name string) agents.Kind {
		return agents.Kind{Name: name, New: func(agents.Config) (agents.Agent, error) {
			made = append(made, new(closing))
			return made[len(made)-1], nil
		}}
	}
	p := newPool(agents.NewRegistry(kind("one"), kind("two")), 1, 1)
	for _, c := range []struct {
		kind string
		err  error
		made int
	}{
		{"one", nil, 1}, {"one", errors.New("no"), 1}, {"one", nil, 2}, {"two", nil, 3}, {"two", nil, 3}, {"one", nil, 4},
	} {
		err := p.use(t.Context(), "", agents.Spec{Kind: c.kind}, func(_ context.Context, a agents.Agent) error {
			require.Same(t, made[c.made-1], a)
			return c.err
		})
		require.Equal(t, c.err, err)
		require.Len(t, made, c.made)
		for i, a := range made {
			require.Equal(t, 1, a.started)
			require.Equal(t, i < c.made-1, a.closed == 1, "agent %d of %d", i, c.made)
		}
	}

	// An end that panics is an error of the host, and leaves the slot to another agent.
	made[3].panics = true
	use := func() error {
		return p.use(t.Context(), "", agents.Spec{Kind: "two"}, func(context.Context, agents.Agent) error { return nil })
	}
	require.ErrorAs(t, use(), new(*agents.HostFailure))
	require.NoError(t, use())
	require.Zero(t, p.busy())
}
