// Package live serves pages over HTTP: runs as package report shows them, which
// change while a run goes on, and pages to play and to analyse positions on.
//
// A run in progress is read from its files alone: complete lines that were appended to its
// records, and the file of games under way, are read every second while a page is open,
// and pages get what changed by server-sent events. The program that plays the run is not involved.
//
// A game against an agent is played by package tournament: the person is an agent
// whose moves come from requests, so its record has the same form as any other.
//
// Nothing that comes over the network is trusted. Names of runs lead to folders
// below those that the operator has named and nowhere else (see [os.Root]),
// requests must name the server by an address or a name of its own (against DNS
// rebinding) and change things from its own pages only, their size, rate and
// number are bounded, and so are games and searches.
package live

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"gyges/agents"
)

// Config is the configuration of a server.
type Config struct {
	Results string   // folder below which runs are; it need not exist yet. "": none
	Runs    []string // folders of further runs

	Registry *agents.Registry // of the kinds in Players
	Players  []Player         // the opponents to choose from; the first is the default
	Hint     agents.Spec      // the agent that gives hints
	Analyst  agents.Spec      // the agent that analyses positions

	Open     bool     // requests may come from other machines
	Hosts    []string // names of this machine in requests, beside localhost and addresses
	Searches int      // maximum number of concurrent searches; 0: half the cores, at least one
	Games    int      // maximum number of games in progress; 0: 24
	Log      *slog.Logger
}

// defaultGames is the maximum number of games in progress unless the operator sets another.
const defaultGames = 24

// Bounds on what the server does at a time.
const (
	maxConns          = 256 // or connsPerGame for each game, if that is more
	connsPerGame      = 4
	maxStreams        = 48               // pages that get events
	maxRenders        = 2                // pages rendered at a time
	maxBody           = 16 << 10         // bytes of a request's body
	maxHeader         = 16 << 10         // bytes of a request's head
	shutdownTimeout   = 3 * time.Second  // of requests at the end
	closeTimeout      = 5 * time.Second  // of games and pages at the end
	readTimeout       = 10 * time.Second // of a request
	writeTimeout      = 90 * time.Second // of a response
	longWriteTimeout  = 10 * time.Minute // of a response that waits for a search
	idleTimeout       = 60 * time.Second
	requestsPerSecond = 40 // of one address
	requestBurst      = 120
	maxClients        = 1024 // addresses whose rate is limited apart
	retryAfter        = "10" // seconds until a request beyond a limit may succeed
)

// Bounds on what each address has at a time, where other machines have access.
const (
	connsPerClient    = 32
	waitsPerClient    = 12 // pages that get events, and requests that wait for a move
	gamesPerClient    = 6  // in progress
	analysesPerClient = 1
)

// Server serves runs and games. Make it with [New].
type Server struct {
	config   Config
	catalog  *catalog
	list     *feed
	games    *gameTable
	pages    *template.Template
	streams  chan struct{}
	renders  chan struct{} // pages being rendered
	limiter  limiter
	conns    quota // of connections
	waits    quota // of requests that wait for an event
	analyses analyses
	handler  http.Handler

	readTimeout  time.Duration // constants but in tests, like those below
	writeTimeout time.Duration
	closeTimeout time.Duration
	pollInterval time.Duration
	readMost     int64 // bytes of a run's records that are read at a time

	ctx  context.Context // of background work
	stop context.CancelFunc
	work sync.WaitGroup

	reviews reviews
}

// New returns a server. It returns an error if a folder of runs can't be opened.
func New(c Config) (*Server, error) {
	if c.Searches == 0 {
		c.Searches = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if c.Games == 0 {
		c.Games = defaultGames
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		config: c, pages: parsePages(), streams: make(chan struct{}, maxStreams), renders: make(chan struct{}, maxRenders),
		limiter: limiter{limit: requestsPerSecond}, readTimeout: readTimeout, writeTimeout: writeTimeout,
		closeTimeout: closeTimeout, pollInterval: pollInterval, readMost: readAtOnce,
	}
	s.reviews.quota.most = reviewsPerClient
	if c.Open {
		s.conns.most, s.waits.most = connsPerClient, waitsPerClient
		s.analyses.quota.most = analysesPerClient
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var err error
	if s.catalog, err = newCatalog(s); err != nil {
		s.stop()
		return nil, err
	}
	s.games = newGameTable(s)
	s.list = newFeed(s, s.renderList)
	s.handler = s.guard(s.routes())
	s.work.Go(s.games.expire)
	return s, nil
}

// Handler returns the handler of all requests. Its long requests end when the server is closed.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve handles the requests of the listener's connections until ctx is cancelled or the
// listener fails. It closes the listener and the server.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: s.readTimeout, ReadTimeout: s.readTimeout, WriteTimeout: s.writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
	}
	stopped := make(chan struct{})
	shutdown := context.AfterFunc(ctx, func() {
		defer close(stopped)
		s.stop() // ends the requests that wait for events
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if srv.Shutdown(limited) != nil {
			_ = srv.Close()
		}
	})
	err := srv.Serve(netutil.LimitListener(newClientListener(l, &s.conns), max(maxConns, connsPerGame*s.config.Games)))
	if !shutdown() {
		<-stopped
	}
	s.Close()
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

// Close ends all games and background work. It waits for agents that ignore the
// cancellation for some seconds only; then it logs their names and returns.
func (s *Server) Close() {
	s.stop()
	ended := make(chan struct{})
	go func() {
		s.work.Wait()
		s.games.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(s.closeTimeout):
		s.config.Log.Error("agents have not stopped after their search was cancelled; they run until the program ends",
			"agents", s.games.pool.Busy())
	}
	s.games.close()
	s.catalog.close()
}

// allowLongWait extends the time limit of a response that waits for an event.
func allowLongWait(w http.ResponseWriter) {
	// A recorder in tests has none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longWriteTimeout))
}

// routes are the pages and the requests of their scripts.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for name, file := range assetHandlers() {
		mux.Handle("GET /"+name, file)
	}
	mux.HandleFunc("GET /{$}", s.serveList)
	mux.HandleFunc("GET /events", s.list.serve)
	mux.HandleFunc("GET /run/{id...}", s.onRun((*run).serve))
	mux.HandleFunc("GET /run-events/{id...}", s.onRun(func(r *run, w http.ResponseWriter, q *http.Request) {
		r.feed.serve(w, q)
	}))
	mux.HandleFunc("POST /api/review", s.serveReview)
	mux.HandleFunc("GET /play", s.servePlay)
	mux.HandleFunc("GET /api/rules", s.getRules)
	mux.HandleFunc("GET /analyse", s.serveAnalyse)
	mux.HandleFunc("POST /api/position", post(s, http.StatusOK, s.getPosition))
	mux.HandleFunc("GET /api/analyse", s.analyse)
	mux.HandleFunc("POST /api/games", post(s, http.StatusCreated, s.createGame))
	mux.HandleFunc("GET /api/games/{game}", s.getGame)
	mux.HandleFunc("POST /api/games/{game}/move", onGame(s, func(g *game, _ *http.Request, q moveRequest) (any, error) {
		return stateAfter(g, g.move(q.Ply, q.Move))
	}))
	mux.HandleFunc("POST /api/games/{game}/undo", onGame(s, func(g *game, _ *http.Request, q undoRequest) (any, error) {
		return stateAfter(g, g.undo(q.Ply))
	}))
	mux.HandleFunc("POST /api/games/{game}/resign", onGame(s, func(g *game, _ *http.Request, _ struct{}) (any, error) {
		return stateAfter(g, g.resign())
	}))
	mux.HandleFunc("POST /api/games/{game}/help", onGame(s, func(g *game, _ *http.Request, _ struct{}) (any, error) {
		return stateAfter(g, g.help())
	}))
	mux.HandleFunc("POST /api/games/{game}/hint", onGame(s, (*game).postHint))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.refuse(w, http.StatusNotFound, "there is no such page")
	})
	return mux
}
