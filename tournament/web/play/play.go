// Package play serves pages on which people play against agents and analyse positions, and reviews
// recorded games.
//
// A reader may begin with [Pages] and then with session (game.go), a game under way. Package
// tournament/game plays it as it plays the games of runs, so that the record has the same form: the
// agent in the person's seat gets its moves from requests, and the agent in the opponent's seat
// waits for its turn in a pool (pool.go). Requests (api.go) change the session, and get its state
// (state.go), which the page draws. The other pages are those of analyses (analyse.go), exercises
// (exercises.go) and recorded games (review.go).
//
// Requests name agents from a list, never a program or a file; games and searches are bounded.
package play

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	mathrand "math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/web"
	"gyges/tournament/web/live"
)

//go:embed assets
var assets embed.FS

// Config is the configuration of the pages.
type Config struct {
	Results string // folder of runs, in which games are recorded. "": they are not

	Registry *agents.Registry // of the kinds in Players
	Players  []Player         // the opponents to choose from; the first is the default
	Hint     agents.Spec      // the agent that gives hints
	Analyst  agents.Spec      // the agent that analyses positions

	Searches int // maximum number of concurrent searches; 0: half the cores, at least two
	Games    int // maximum number of games in progress

	Runs *live.Pages // whose games can be reviewed
}

const (
	gamesPerClient = 6                // in progress for each address, if others have access
	maxIdleTime    = 30 * time.Minute // of a game: the time without requests
	expireInterval = time.Minute      // how often idle games are ended
	maxSearchTime  = time.Minute      // of a search, in addition to the agent's own bounds
	connsPerGame   = 4                // that a page may have
)

// Pages are the pages, and the games played on them.
type Pages struct {
	Config
	server   *web.Server
	moves    *pool
	light    *pool         // of searches that take some hundredths of a second
	lines    *pool         // of analyses
	seed     func() uint64 // of the next game
	records  records
	quota    web.Quota // of games in progress
	analyses sync.Map  // by client: the *context.CancelCauseFunc of the one under way
	reviews  web.Quota // under way

	mu    sync.Mutex
	games map[string]*session
}

// New adds the pages to a server.
func New(s *web.Server, c Config) *Pages {
	// There is one search for others than who searches most.
	c.Searches = cmp.Or(c.Searches, max(2, runtime.GOMAXPROCS(0)/2))
	s.Conns = connsPerGame * c.Games
	p := &Pages{
		Config:  c,
		server:  s,
		seed:    func() uint64 { return mathrand.Uint64N(1e9) },
		games:   map[string]*session{},
		records: records{results: c.Results, log: s.Log},
		reviews: web.Quota{Max: reviewsPerClient},
	}
	// Where other machines have access, no client can have all searches.
	share := c.Searches
	if s.Open {
		share = max(1, share-1)
		p.quota.Max = gamesPerClient
	}
	// An analysis lasts long, so each client has one at a time.
	p.moves = newPool(c.Registry, c.Searches, share)
	p.light = newPool(c.Registry, c.Searches, share)
	p.lines = newPool(c.Registry, c.Searches, 1)
	s.AddAssets(assets)
	s.AddPage("play", p.playPage())
	s.AddPage("analyse", analysisPage)
	s.AddPage("exercises", exercises())
	s.HandleFunc("GET /game/{run...}", p.serveGame)
	web.Answer(s, "GET /api/rules", http.StatusOK, p.getRules)
	web.Post(s, "POST /api/position", http.StatusOK, getPosition)
	web.Post(s, "POST /api/exercise", http.StatusOK, p.judge)
	s.HandleFunc("GET /api/analyse", p.analyse)
	s.HandleFunc("POST /api/review", p.review)
	web.Post(s, "POST /api/games", http.StatusCreated, p.createGame)
	web.Answer(s, "GET /api/games/{game}", http.StatusOK, p.getGame)
	onGame(p, "move", (*session).move)
	onGame(p, "undo", (*session).undo)
	onGame(p, "resign", (*session).resign)
	onGame(p, "help", (*session).noteHelp)
	web.Post(s, "POST /api/games/{game}/hint", http.StatusOK, p.hint)
	s.Go(p.maintain)
	s.OnClose(p.close)
	return p
}

// maintain ends idle games and records what could not be recorded, until the server is closed.
func (p *Pages) maintain() {
	tick := time.Tick(expireInterval)
	for {
		select {
		case now := <-tick:
			p.endIdle(now)
			p.records.retry()
		case <-p.server.Context().Done():
			return
		}
	}
}

// onGame handles requests that change a game, by a function that is called with its lock. The
// response is its state.
func onGame[Q any](p *Pages, action string, act func(*session, Q) error) {
	change := func(r *http.Request, q Q) (any, error) {
		g, err := p.find(r.PathValue("game"))
		if err != nil {
			return nil, err
		}
		err = g.update(func() error { return act(g, q) })
		return stateAfter(g, err)
	}
	web.Post(p.server, "POST /api/games/{game}/"+action, http.StatusOK, change)
}

// stateAfter returns the state of a game after a request that changed it.
func stateAfter(g *session, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	now, _ := g.snapshot()
	return now, nil
}

// start starts a client's game, whose terms and, if it goes on, moves are set.
func (p *Pages) start(client string, g *session) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server.Context().Err() != nil {
		return web.Unavailable("the server is being stopped")
	}
	if !p.quota.Acquire(client) {
		return web.TooMany("there are %d games from your address in progress already; "+
			"finish or resign one", gamesPerClient)
	}
	if !p.makeRoom() {
		p.quota.Release(client)
		return web.Unavailable("there are %d games in progress already; "+
			"games are ended after %d idle minutes", p.Games, int(maxIdleTime.Minutes()))
	}
	// All that the session needs beside its terms and moves.
	now := time.Now()
	g.id = rand.Text()
	g.pages = p
	g.client = client
	g.seed = p.seed()
	g.board = g.replayed()
	g.version = 1
	g.left = g.clock.Base
	g.began, g.since, g.used = now, now, now
	g.changed = make(chan struct{})
	g.interrupt = func() {}
	g.ctx, g.cancel = context.WithCancelCause(p.server.Context())
	p.games[g.id] = g
	p.server.Go(func() {
		defer p.quota.Release(client)
		defer g.cancel(nil)
		for !g.play() { // moves were undone: from its beginning again
		}
	})
	return nil
}

// makeRoom removes a game that is over, the one used longest ago, if there are too many.
func (p *Pages) makeRoom() bool {
	if len(p.games) < p.Games {
		return true
	}
	// A game is over once its context has ended.
	var oldest *session
	for _, g := range p.games {
		if g.ctx.Err() == nil {
			continue
		}
		if oldest == nil || g.used.Before(oldest.used) {
			oldest = g
		}
	}
	if oldest == nil {
		return false
	}
	delete(p.games, oldest.id)
	return true
}

// errNoGame is the error of an id that no game has.
var errNoGame = web.Error{
	Status: http.StatusNotFound, Text: "there is no such game; idle games are ended",
}

// find returns the game of an id, which is used by that.
func (p *Pages) find(id string) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.games[id]
	if g == nil {
		return nil, errNoGame
	}
	g.used = time.Now()
	return g, nil
}

// endIdle ends and removes the games without requests for maxIdleTime.
func (p *Pages) endIdle(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, g := range p.games {
		if now.Sub(g.used) > maxIdleTime {
			g.cancel(errIdle)
			delete(p.games, id)
		}
	}
}

// close gives up all agents, and writes the games that are not recorded yet.
func (p *Pages) close() error {
	for _, pool := range []*pool{p.moves, p.light, p.lines} {
		for range len(pool.idle) {
			(<-pool.idle).close()
		}
	}
	return p.records.close()
}

// choose returns the move of an agent. It blocks until it is the client's turn. An agent that can't
// be made, or not be prepared for the game, is an [agents.HostFailure].
func (p *Pages) choose(
	ctx context.Context, client string, spec agents.Spec, setup agents.Setup, g *rules.Game,
) (d agents.Decision, err error) {
	pool := p.moves
	if p.Registry.Light(spec) {
		pool = p.light
	}
	search := func(ctx context.Context, a agents.Agent) error {
		err := recovered(func() error { return a.NewGame(ctx, setup) })
		if err != nil {
			return &agents.HostFailure{Err: err}
		}
		d, err = a.Choose(ctx, g, agents.Request{})
		return err
	}
	err = pool.use(ctx, client, spec, search)
	return d, err
}
