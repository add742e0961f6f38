package live

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/rules"
)

const (
	// maxIdleTime is how long a game may have no requests.
	maxIdleTime = 30 * time.Minute
	// expireInterval is how often idle games are ended.
	expireInterval = time.Minute
	// maxSearchTime bounds a search, in addition to the agent's own bounds.
	maxSearchTime = time.Minute
)

// gameTable holds the games against agents.
type gameTable struct {
	server  *Server
	pool    *analysis.Pool
	seed    func() uint64 // of the next game
	records records
	quota   quota // of games in progress
	work    sync.WaitGroup

	mu    sync.Mutex
	games map[string]*game
}

func newGameTable(s *Server) *gameTable {
	t := &gameTable{
		server: s, seed: func() uint64 { return mathrand.Uint64N(1e9) },
		pool:  analysis.NewPool(s.config.Registry, s.config.Searches, maxSearchTime, s.config.Log),
		games: map[string]*game{}, records: records{results: s.config.Results, log: s.config.Log},
	}
	if s.config.Open {
		t.quota.most = gamesPerClient
	}
	return t
}

// newGame starts a game of a client, whose rules, start, policy, human, agent and clock
// are set, and the moves of another game that it goes on from.
func (t *gameTable) newGame(client string, g *game) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.server.ctx.Err() != nil:
		return requestError{http.StatusServiceUnavailable, "the server is being stopped"}
	case !t.quota.acquire(client):
		return requestError{http.StatusTooManyRequests, fmt.Sprintf(
			"there are %d games from your address in progress already; finish or resign one", gamesPerClient)}
	case !t.makeRoom():
		t.quota.release(client)
		return requestError{http.StatusServiceUnavailable, fmt.Sprintf(
			"there are %d games in progress already; games are ended after %d idle minutes",
			t.server.config.Games, int(maxIdleTime.Minutes()))}
	}
	now := time.Now()
	g.id, g.table, g.seed, g.board, g.version = rand.Text(), t, t.seed(), rules.NewGame(g.rules, g.start), 1
	for _, d := range g.decisions {
		g.board.PlayLegal(d.Move)
	}
	g.left = g.clock.Base
	g.began, g.since, g.used = now, now, now
	g.changed, g.interrupt = make(chan struct{}), func() {}
	g.ctx, g.cancel = context.WithCancelCause(t.server.ctx)
	t.games[g.id] = g
	t.work.Go(func() {
		defer t.quota.release(client)
		g.play()
	})
	return nil
}

// choose returns the move of an agent. It blocks while too many others search.
func (t *gameTable) choose(
	ctx context.Context, spec agents.Spec, setup agents.Setup, g *rules.Game,
) (d agents.Decision, err error) {
	err = t.pool.Use(ctx, spec, func(ctx context.Context, a agents.Agent) error {
		if err := a.NewGame(ctx, setup); err != nil {
			return err
		}
		var err error
		d, err = a.Choose(ctx, g, agents.Limits{})
		return err
	})
	return d, err
}

// makeRoom removes a game that is over, the one used longest ago, if there are
// too many.
func (t *gameTable) makeRoom() bool {
	if len(t.games) < t.server.config.Games {
		return true
	}
	over := slices.DeleteFunc(slices.Collect(maps.Values(t.games)), func(g *game) bool { return g.ctx.Err() == nil })
	if len(over) == 0 {
		return false
	}
	oldest := slices.MinFunc(over, func(a, b *game) int { return a.lastUsed().Compare(b.lastUsed()) })
	delete(t.games, oldest.id)
	return true
}

func (g *game) lastUsed() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.used
}

// find returns a game.
func (t *gameTable) find(id string) (*game, error) {
	t.mu.Lock()
	g := t.games[id]
	t.mu.Unlock()
	if g == nil {
		return nil, requestError{http.StatusNotFound, "there is no such game; idle games are ended"}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used = time.Now()
	return g, nil
}

// expire ends idle games, and records those that could not be recorded, until the
// server is closed.
func (t *gameTable) expire() {
	tick := time.NewTicker(expireInterval)
	defer tick.Stop()
	for {
		select {
		case <-t.server.ctx.Done():
			return
		case now := <-tick.C:
			t.endIdle(now)
			t.records.retry()
		}
	}
}

// endIdle ends the games that were idle for too long.
func (t *gameTable) endIdle(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, g := range t.games {
		if now.Sub(g.lastUsed()) > maxIdleTime {
			g.cancel(errIdle)
			delete(t.games, id)
		}
	}
}

// close closes the idle agents and the records.
func (t *gameTable) close() {
	t.pool.Close()
	if err := t.records.close(); err != nil {
		t.server.config.Log.Error("the records of games can't be closed", "error", err)
	}
}
