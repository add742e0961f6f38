package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"gyges/agents"
)

// Config says what to serve.
type Config struct {
	Results string   // folder below which runs are; it needn't exist yet. "": none
	Runs    []string // folders of further runs

	Registry *agents.Registry // of the kinds in Players
	Players  []Player         // whom one can play against; the first is proposed
	Hint     agents.Spec      // who gives hints

	Open     bool     // other machines may ask
	Hosts    []string // names of this machine that requests may call it by, beside localhost and addresses
	Searches int      // most searches at a time; 0: half the cores, at least one
	Log      *slog.Logger

	// IndexKey is a secret that signs the [IndexFile] of runs, which only the same
	// program may read. nil: none are written or read.
	IndexKey []byte
}

// Bounds on what the server does at a time.
const (
	maxConns       = 256
	maxStreams     = 48               // pages that are sent events
	maxRenders     = 2                // pages made at a time
	maxGames       = 24               // games against agents
	maxBody        = 4 << 10          // bytes of a request's body
	maxHeader      = 16 << 10         // bytes of a request's head
	shutdownTime   = 3 * time.Second  // for requests that are under way at the end
	stopTime       = 5 * time.Second  // for games and pages that are under way at the end
	requestTime    = 10 * time.Second // for a request to arrive
	answerTime     = 90 * time.Second // for an answer to leave
	longestAnswer  = 10 * time.Minute // to a request that waits for a search
	keepAliveTime  = 60 * time.Second
	ratePerSecond  = 40 // requests of one address
	rateBurst      = 120
	maxPersonNames = 1024 // addresses whose rate is watched apart
	retryAfter     = "10" // seconds until a request beyond a limit may succeed
)

// Bounds on what each address has at a time, where other machines may ask.
const (
	connsPerClient = 32
	waitsPerClient = 12 // pages that are sent events, and requests that wait for a move
	gamesPerClient = 6  // in progress
)

// Server serves runs and games. Make it with [New].
type Server struct {
	config   Config
	catalog  *catalog
	list     *feed
	table    *gameTable
	pages    *pages
	epoch    string        // of this server's versions
	request  time.Duration // for a request to arrive
	poll     time.Duration // how old a page that is looked at may be
	answerIn time.Duration // for an answer to leave
	stopIn   time.Duration // for games and pages to end
	readMost int64         // bytes of a run's records that are read at a time
	streams  chan struct{}
	renders  chan struct{} // pages being made
	limiter  limiter
	conns    share // of connections
	waits    share // of requests that wait for something to happen
	handler  http.Handler

	ctx  context.Context // of everything that goes on between requests
	stop context.CancelFunc
	work sync.WaitGroup
}

// New returns a server. The error is one of the folders of runs.
func New(c Config) (*Server, error) {
	if c.Searches == 0 {
		c.Searches = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		config: c, epoch: rand.Text()[:8], request: requestTime, poll: pollEvery, answerIn: answerTime, stopIn: stopTime, readMost: readAtOnce,
		streams: make(chan struct{}, maxStreams), renders: make(chan struct{}, maxRenders), limiter: limiter{now: time.Now},
	}
	if c.Open {
		s.conns.most, s.waits.most = connsPerClient, waitsPerClient
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.pages = newPages()
	var err error
	if s.catalog, err = newCatalog(s); err != nil {
		s.stop()
		return nil, err
	}
	s.table = newTable(s)
	s.list = newFeed(s, s.renderList)
	s.handler = s.guard(s.routes())
	s.work.Go(s.table.janitor)
	return s, nil
}

// Handler answers requests. It ends with the server.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers requests that come to the listener, until ctx is cancelled or the
// listener fails. It closes the listener and the server.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: s.request, ReadTimeout: s.request, WriteTimeout: s.answerIn,
		IdleTimeout: keepAliveTime, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(limitListener(l, maxConns, &s.conns)) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		s.stop() // pages that wait for events let go
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if srv.Shutdown(limited) != nil {
			_ = srv.Close()
		}
		err = <-failed
	}
	s.Close()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

// Close ends all games and all that goes on between requests. An agent that
// ignores its context goes on: after some seconds Close logs its name and returns.
func (s *Server) Close() {
	s.stop()
	ended := make(chan struct{})
	go func() {
		s.work.Wait()
		s.table.work.Wait()
		close(ended)
	}()
	limit := time.NewTimer(s.stopIn)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
		s.config.Log.Error("agents ignore that their search is cancelled; they go on until the program ends", "agents", s.table.pool.searching())
	}
	s.table.close()
	s.catalog.close()
}

// patient lifts the bound on the time of an answer that waits for something to
// happen.
func patient(w http.ResponseWriter) {
	// What isn't a connection has none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longestAnswer))
}

// routes are the pages and what they ask for.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for name, file := range s.pages.files() {
		mux.Handle("GET /"+name, file)
	}
	mux.HandleFunc("GET /{$}", s.serveList)
	mux.HandleFunc("GET /events", s.serveListEvents)
	mux.HandleFunc("GET /run/{id...}", s.serveRun)
	mux.HandleFunc("GET /run-events/{id...}", s.serveRunEvents)
	mux.HandleFunc("GET /play", s.servePlay)
	mux.HandleFunc("GET /api/rules", s.getRules)
	mux.HandleFunc("POST /api/games", s.createGame)
	mux.HandleFunc("GET /api/games/{game}", s.onGame(s.getGame))
	mux.HandleFunc("POST /api/games/{game}/move", s.onGame(s.postMove))
	mux.HandleFunc("POST /api/games/{game}/undo", s.onGame(s.postUndo))
	mux.HandleFunc("POST /api/games/{game}/hint", s.onGame(s.postHint))
	mux.HandleFunc("POST /api/games/{game}/resign", s.onGame(s.postResign))
	mux.HandleFunc("/", s.serveNothing)
	return mux
}
