package live

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules"
)

const (
	// maxRest is how long a game waits for its player.
	maxRest = 30 * time.Minute
	// lookEvery is how often such games are looked for.
	lookEvery = time.Minute
)

// gameTable holds the games against agents.
type gameTable struct {
	server  *Server
	pool    *pool
	seed    func() uint64 // of the next game
	records records
	share   share // of games in progress
	work    sync.WaitGroup

	mu    sync.Mutex
	games map[string]*seated
}

// seated is a game with what ends it.
type seated struct {
	*game
	cancel context.CancelCauseFunc
	done   chan struct{}
}

func newTable(s *Server) *gameTable {
	t := &gameTable{
		server: s, seed: randomSeed, pool: newPool(s.config.Registry, s.config.Searches, s.config.Log), games: map[string]*seated{},
		records: records{results: s.config.Results, log: s.config.Log},
	}
	if s.config.Open {
		t.share.most = gamesPerClient
	}
	return t
}

// newGame begins a game that a client asked for.
func (t *gameTable) newGame(who string, r *rules.Rules, start rules.Position, policy string, you rules.Side, agent agents.Spec) (*game, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.server.ctx.Err() != nil {
		return nil, mistake{503, "the server is being stopped"}
	}
	if !t.share.take(who) {
		return nil, mistake{429, fmt.Sprintf("there are %d games from your address in progress already; finish or resign one", gamesPerClient)}
	}
	if !t.makeRoom() {
		t.share.give(who)
		return nil, mistake{503, fmt.Sprintf("there are %d games already; one that rests for %d minutes makes room", maxGames, int(maxRest.Minutes()))}
	}
	now := time.Now()
	g := &game{
		id: rand.Text(), table: t, rules: r, start: start, policy: policy, you: you, agent: agent, seed: t.seed(), began: now,
		board: rules.NewGame(r, start), since: now, version: 1, changed: make(chan struct{}), used: now, stop: func() {},
	}
	ctx, cancel := context.WithCancelCause(t.server.ctx)
	x := &seated{g, cancel, make(chan struct{})}
	t.games[g.id] = x
	t.work.Go(func() {
		defer cancel(nil)
		defer close(x.done)
		defer t.share.give(who)
		g.play(ctx)
	})
	return g, nil
}

// randomSeed is short enough to type.
func randomSeed() uint64 {
	n, err := rand.Int(rand.Reader, big.NewInt(1e9))
	if err != nil {
		return 1 // it has no errors on any system Go runs on
	}
	return n.Uint64()
}

// makeRoom forgets a game that is over, the one used longest ago, if there are
// too many.
func (t *gameTable) makeRoom() bool {
	if len(t.games) < maxGames {
		return true
	}
	var over []*seated
	for _, x := range t.games {
		select {
		case <-x.done:
			over = append(over, x)
		default:
		}
	}
	if len(over) == 0 {
		return false
	}
	oldest := slices.MinFunc(over, func(a, b *seated) int { return cmp.Compare(a.lastUsed().UnixNano(), b.lastUsed().UnixNano()) })
	delete(t.games, oldest.id)
	return true
}

func (g *game) lastUsed() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.used
}

// find returns a game, nil if there is none.
func (t *gameTable) find(id string) *game {
	t.mu.Lock()
	x := t.games[id]
	t.mu.Unlock()
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.used = time.Now()
	return x.game
}

// janitor ends games that rest, and records those that could not be recorded,
// until the server is closed.
func (t *gameTable) janitor() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.server.ctx.Done():
			return
		case now := <-tick.C:
			t.sweep(now)
			t.records.retry()
		}
	}
}

// sweep ends the games that nobody has used for long.
func (t *gameTable) sweep(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, x := range t.games {
		if now.Sub(x.lastUsed()) > maxRest {
			x.cancel(errResting)
			delete(t.games, id)
		}
	}
}

// close closes the agents at rest and the records.
func (t *gameTable) close() {
	t.pool.close()
	if err := t.records.close(); err != nil {
		t.server.config.Log.Error("the records of games can't be closed", "error", err)
	}
}
