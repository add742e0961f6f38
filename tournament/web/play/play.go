// Package play serves pages on which people play against agents and analyse positions, and reviews recorded games.
//
// A game against an agent is played by package tournament: the person is an agent
// whose moves come from requests, so its record has the same form as any other.
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
	gamesPerClient = 6                // in progress for each address, where other machines have access
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
	c.Searches = cmp.Or(c.Searches, max(2, runtime.GOMAXPROCS(0)/2)) // one for others than who searches most
	s.Conns = connsPerGame * c.Games
	p := &Pages{
		Config: c, server: s, seed: func() uint64 { return mathrand.Uint64N(1e9) },
		games: map[string]*session{}, records: records{results: c.Results, log: s.Log},
		reviews: web.Quota{Max: reviewsPerClient},
	}
	share := c.Searches
	if s.Open {
		share, p.quota.Max = max(1, share-1), gamesPerClient
	}
	p.moves, p.light = newPool(c.Registry, c.Searches, share), newPool(c.Registry, c.Searches, share)
	p.lines = newPool(c.Registry, c.Searches, 1)
	s.AddAssets(assets)
	s.HandleFunc("GET /play", p.servePlay)
	s.HandleFunc("GET /analyse", func(w http.ResponseWriter, _ *http.Request) {
		numbers := []int{1, 2, 3, 4, maxLines} // of best moves to choose from
		s.WritePage(w, http.StatusOK, "analyse", map[string]any{"Rules": rules.Presets(), "Lines": numbers})
	})
	s.HandleFunc("GET /exercises", func(w http.ResponseWriter, _ *http.Request) {
		s.WritePage(w, http.StatusOK, "exercises", exercises())
	})
	s.HandleFunc("GET /game/{run...}", p.serveGame)
	web.Answer(s, "GET /api/rules", http.StatusOK, p.getRules)
	web.Post(s, "POST /api/position", http.StatusOK, getPosition)
	web.Post(s, "POST /api/exercise", http.StatusOK, p.judge)
	s.HandleFunc("GET /api/analyse", p.analyse)
	s.HandleFunc("POST /api/review", p.review)
	web.Post(s, "POST /api/games", http.StatusCreated, p.createGame)
	web.Answer(s, "GET /api/games/{game}", http.StatusOK, p.getGame)
	onGame(p, "move", func(g *session, q moveRequest) error { return g.move(q.Ply, q.Move) })
	onGame(p, "undo", func(g *session, q undoRequest) error { return g.undo(q.Ply) })
	onGame(p, "resign", func(g *session, _ struct{}) error {
		g.resigned = true
		g.change()
		return nil
	})
	onGame(p, "help", func(g *session, _ struct{}) error { // from elsewhere, such as the page to analyse
		g.helped = true
		return nil
	})
	web.Post(s, "POST /api/games/{game}/hint", http.StatusOK, p.hint)
	s.Go(func() {
		for tick := time.Tick(expireInterval); ; {
			select {
			case now := <-tick:
				p.endIdle(now)
				p.records.retry()
			case <-s.Context().Done():
				return
			}
		}
	})
	s.OnClose(p.close)
	return p
}

// onGame handles requests that change a game. The response is its state.
func onGame[Q any](p *Pages, action string, act func(*session, Q) error) {
	change := func(r *http.Request, q Q) (any, error) {
		g, err := p.find(r.PathValue("game"))
		if err == nil {
			err = g.update(func() error { return act(g, q) })
		}
		return stateAfter(g, err)
	}
	web.Post(p.server, "POST /api/games/{game}/"+action, http.StatusOK, change)
}

func stateAfter(g *session, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	now, _ := g.snapshot()
	return now, nil
}

// start starts a client's game, whose rules, start, human, agent, clock and, if it goes on, moves are set.
func (p *Pages) start(client string, g *session) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.server.Context().Err() != nil:
		return web.Unavailable("the server is being stopped")
	case !p.quota.Acquire(client):
		return web.TooMany("there are %d games from your address in progress already; finish or resign one", gamesPerClient)
	case !p.makeRoom():
		p.quota.Release(client)
		return web.Unavailable("there are %d games in progress already; "+
			"games are ended after %d idle minutes", p.Games, int(maxIdleTime.Minutes()))
	}
	now := time.Now()
	g.id, g.pages, g.client = rand.Text(), p, client
	g.seed, g.board, g.version = p.seed(), g.replayed(), 1
	g.left = g.clock.Base
	g.began, g.since, g.used = now, now, now
	g.changed, g.interrupt = make(chan struct{}), func() {}
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
	var oldest *session
	for _, g := range p.games {
		isOver := g.ctx.Err() != nil
		if isOver && (oldest == nil || g.used.Before(oldest.used)) {
			oldest = g
		}
	}
	if oldest == nil {
		return false
	}
	delete(p.games, oldest.id)
	return true
}

func (p *Pages) find(id string) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.games[id]
	if g == nil {
		return nil, web.Error{Status: http.StatusNotFound, Text: "there is no such game; idle games are ended"}
	}
	g.used = time.Now()
	return g, nil
}

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

func (p *Pages) close() error {
	for _, pool := range []*pool{p.moves, p.light, p.lines} {
		for range len(pool.idle) {
			(<-pool.idle).close()
		}
	}
	return p.records.close()
}

// choose returns the move of an agent. It blocks until it is the client's turn. An agent that can't be made, or not be
// prepared for the game, is an [agents.HostFailure].
func (p *Pages) choose(
	ctx context.Context, client string, spec agents.Spec, setup agents.Setup, g *rules.Game,
) (d agents.Decision, err error) {
	pool := p.moves
	if p.Registry.Light(spec) {
		pool = p.light
	}
	err = pool.use(ctx, client, spec, func(ctx context.Context, a agents.Agent) (err error) {
		if err := recovered(func() error { return a.NewGame(ctx, setup) }); err != nil {
			return &agents.HostFailure{Err: err}
		}
		d, err = a.Choose(ctx, g, agents.Request{})
		return err
	})
	return d, err
}
