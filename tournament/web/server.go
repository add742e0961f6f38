// Package web has what all pages share: style sheets, scripts such as dom.js, board.js and the
// viewer of games (viewer.js), the head of a page, and the [Server] to which packages live and
// play add their pages. Package report makes files of the same parts.
//
// A request passes the guard (guard.go), which knows its client, to a handler that live or play
// has added. The handler reads JSON (requests.go), waits for its turn in a [Queue], and responds
// with JSON, with a template (pages.go) or with server-sent [Events].
//
// Nothing that comes over the network is trusted. Requests must name the server by an address or a
// name of its own (against DNS rebinding) and change things from its own pages only. Their size,
// rate and number are bounded.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

// Bounds on what the server does at a time.
const (
	minConns          = 256
	maxStreams        = 48               // pages that get events
	maxReads          = 2                // pages whose files are read
	maxHeader         = 16 << 10         // bytes of a request's head
	shutdownTimeout   = 3 * time.Second  // of requests at the end
	closeTimeout      = 5 * time.Second  // of background work at the end
	readTimeout       = 10 * time.Second // of a request
	writeTimeout      = 90 * time.Second // of a response
	longWriteTimeout  = 10 * time.Minute // of a response that waits for a search
	idleTimeout       = 60 * time.Second
	requestsPerSecond = 40 // of one address
	requestBurst      = 120
	maxClients        = 1024 // addresses whose rate is limited apart
)

// Bounds on what each address has at a time, where other machines have access.
const (
	connsPerClient = 32
	waitsPerClient = 12 // pages that get events, and requests that wait for a move
)

// Config is the configuration of a server.
type Config struct {
	Open  bool     // requests may come from other machines
	Hosts []string // names of this machine in requests, beside localhost and addresses
	Conns int      // maximum number of connections, if it is more than 256
	Rate  float64  // of requests of one address, a second; 0: 40

	Log *slog.Logger
}

// Server is an HTTP server of pages. Make it with [New].
type Server struct {
	Config
	// Waits bounds the requests of each address that wait for an event.
	Waits Quota
	// Reads is the queue of the pages that read files of runs, some 0.2 s at a time.
	Reads *Queue

	mux     *http.ServeMux
	pages   *template.Template
	streams Quota // of all clients together
	limiter limiter
	conns   Quota
	byConn  sync.Map // names of clients by connection
	cross   *http.CrossOriginProtection

	interfaces func() ([]net.Addr, error) // net.InterfaceAddrs but in tests

	ctx     context.Context // until the server is closed
	stop    context.CancelFunc
	work    sync.WaitGroup
	closers []func() error

	readTimeout, writeTimeout, closeTimeout time.Duration // constants but in tests
}

// New returns a server without pages.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		Config:       c,
		mux:          http.NewServeMux(),
		streams:      Quota{Max: maxStreams},
		cross:        http.NewCrossOriginProtection(),
		interfaces:   net.InterfaceAddrs,
		readTimeout:  readTimeout,
		writeTimeout: writeTimeout,
		closeTimeout: closeTimeout,
	}
	s.Hosts = append(lists.Map(c.Hosts, strings.ToLower), "localhost")
	s.limiter.limit = rate.Limit(cmp.Or(c.Rate, requestsPerSecond))
	s.limiter.clients = map[string]*rate.Limiter{}
	share := maxReads
	if s.Open {
		s.conns.Max = connsPerClient
		s.Waits.Max = waitsPerClient
		share = maxReads - 1
	}
	s.Reads = NewQueue(maxReads, share)
	s.ctx, s.stop = context.WithCancel(context.Background())
	// Templates of all packages are in one set, so that they can use the same parts.
	s.pages = template.New("").Funcs(template.FuncMap{
		"runPath": RunPath,
		"count":   textfmt.Thousands,
	})
	s.AddAssets(assets)
	s.addFile("style.css", "text/css", Style()+Asset("site.css"))
	s.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.Refuse(w, http.StatusNotFound, "there is no such page")
	})
	return s
}

// HandleFunc registers the handler of a pattern as of [http.ServeMux].
func (s *Server) HandleFunc(pattern string, handler http.HandlerFunc) {
	s.mux.HandleFunc(pattern, handler)
}

// Context ends when the server is closed.
func (s *Server) Context() context.Context { return s.ctx }

// Go runs background work, which must end with [Server.Context].
func (s *Server) Go(work func()) { s.work.Go(work) }

// OnClose adds a function that [Server.Close] calls at its end, and whose error it returns.
func (s *Server) OnClose(f func() error) { s.closers = append(s.closers, f) }

// Serve handles requests until ctx is cancelled or the listener fails, and closes the listener and
// the server.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: s.readTimeout,
		ReadTimeout:       s.readTimeout,
		WriteTimeout:      s.writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnState:         s.countConn,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	// Requests under way get some time to end.
	stopped := make(chan struct{})
	shutdown := context.AfterFunc(ctx, func() {
		defer close(stopped)
		s.stop() // ends the requests that wait for events
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if srv.Shutdown(ctx) != nil {
			_ = srv.Close()
		}
	})
	limitedListener := netutil.LimitListener(l, max(minConns, s.Conns)) // further connections wait
	err := srv.Serve(limitedListener)
	if !shutdown() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return s.Close()
	}
	return errors.Join(fmt.Errorf("serving: %w", err), s.Close())
}

// countConn closes a connection that is one too many for its client.
func (s *Server) countConn(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		client := s.client(c.RemoteAddr().String())
		if !s.conns.Acquire(client) {
			_ = c.Close()
			return
		}
		s.byConn.Store(c, client)
	case http.StateClosed:
		client, ok := s.byConn.LoadAndDelete(c)
		if ok {
			s.conns.Release(client.(string))
		}
	}
}

// Close ends all background work, for which it waits some seconds, and joins the errors of the
// functions of OnClose.
func (s *Server) Close() error {
	s.stop()
	// Work that ignores the end of its context is left behind.
	ended := make(chan struct{})
	go func() {
		s.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(s.closeTimeout):
		s.Log.Error("searches have not stopped after they were cancelled; " +
			"they run until the program ends")
	}
	var errs []error
	for _, f := range s.closers {
		errs = append(errs, f())
	}
	s.closers = nil
	return errors.Join(errs...)
}
