package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions configure the embedded server.
type ServerOptions struct {
	Listen string // HOST:PORT; port 0 takes a free one
	Store  string // folder for its streams

	// Access has the name and password that clients need, and the server's
	// certificate: Cert and Key, and CA if clients need one too. Without a
	// password the server may listen on the loopback interface only.
	Access Access
}

// Server is a JetStream server in this process.
type Server struct {
	server   *server.Server
	access   Access
	store    string
	stop     context.CancelFunc // ends watching
	watching sync.WaitGroup

	stalled atomic.Pointer[error] // see Stalled; nil: none
}

// What the server may store, in bytes.
const (
	maxMemory = 64 << 20
	maxStore  = 16 << 30
)

// startTime bounds how long the server takes to recover its store. closeTime is
// how long it takes to close its connections: half of it passes between the
// announcement of the shutdown and the first one.
const (
	startTime = 30 * time.Second
	closeTime = 200 * time.Millisecond
)

// StartServer starts a server.
func StartServer(o ServerOptions) (*Server, error) {
	host, port, err := o.split()
	if err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName: "gyges", Host: host, Port: port,
		JetStream: true, StoreDir: o.Store,
		Username: o.Access.User, Password: o.Access.Password,
		NoLog: true, NoSigs: true,
		LameDuckDuration: closeTime, LameDuckGracePeriod: closeTime / 2,
		// A laptop has little; what is stored is bounded by the windows of the runs.
		JetStreamMaxMemory: maxMemory, JetStreamMaxStore: maxStore,
	}
	if o.Access.Cert != "" {
		options.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{
			CertFile: o.Access.Cert, KeyFile: o.Access.Key, CaFile: o.Access.CA, Verify: o.Access.CA != "",
		})
		if err != nil {
			return nil, fmt.Errorf("TLS of the embedded server: %w", err)
		}
		options.TLSTimeout = 10
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(startTime) {
		err = fmt.Errorf("expected it to listen on %s within %v; is the address in use, and can %s be written to?",
			o.Listen, startTime, o.Store)
	} else if !s.JetStreamEnabled() {
		err = fmt.Errorf("its store in %s can't be used", o.Store)
	}
	if err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	embedded := &Server{server: s, access: o.Access, store: o.Store}
	ctx, cancel := context.WithCancel(context.Background())
	embedded.stop = cancel
	embedded.watching.Go(func() { embedded.watch(ctx) })
	return embedded, nil
}

// Check returns an error if the server may not listen there: a server that other
// machines reach needs a password.
func (o ServerOptions) Check() error {
	_, _, err := o.split()
	return err
}

// split returns the host and the port of the address.
func (o ServerOptions) split() (host string, port int, err error) {
	host, text, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return "", 0, fmt.Errorf("expected an address HOST:PORT to listen on, found %.60q", o.Listen)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("expected a port from 0 to 65535 to listen on, found %.60q", text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if (o.Access.User == "") != (o.Access.Password == "") {
		return "", 0, errors.New("expected a user and a password for the embedded server, or neither")
	}
	if !o.Loopback() && o.Access.Password == "" {
		return "", 0, fmt.Errorf("to listen on %s, which other machines reach, "+
			"the embedded server needs a user and a password", o.Listen)
	}
	return host, port, nil
}

// Loopback reports whether only this machine reaches the address.
func (o ServerOptions) Loopback() bool {
	host, _, _ := net.SplitHostPort(o.Listen) // "" of an invalid one
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// URL returns where the server listens.
func (s *Server) URL() string { return s.server.ClientURL() }

// Close announces the shutdown to all clients and stops the server. What it has
// stored stays.
func (s *Server) Close() {
	s.stop()
	s.watching.Wait()
	s.server.LameDuckShutdown()
	s.server.Shutdown() // if the other had nothing to do
	s.server.WaitForShutdown()
}

// watchEvery is how often the embedded server's store is checked.
const watchEvery = time.Second

// needed is how many bytes must be free for a store that failed to be opened again.
const needed = 1 << 20

// Stalled returns why the server can't store messages, with the folder of its store;
// nil: it can. The server recovers by itself when the store can be written to again.
func (s *Server) Stalled() error {
	if err := s.stalled.Load(); err != nil {
		return *err
	}
	return nil
}

// watch checks the store every watchEvery until ctx ends. The server stops storing
// for good at the first error of the disk, so that its store is closed and opened
// again when the disk can be written to.
func (s *Server) watch(ctx context.Context) {
	for sleep(ctx, watchEvery) {
		if !s.storeFailed() {
			s.stalled.Store(nil)
			continue
		}
		err := s.tryStore()
		if err == nil {
			err = s.reopen()
		}
		if err != nil {
			err = fmt.Errorf("store %s: %w", s.store, err)
			s.stalled.Store(&err)
		}
	}
}

// storeFailed reports whether the server stopped storing because of an error of the
// disk. Other errors pass, such as that of a stream that is being created.
func (s *Server) storeFailed() bool {
	health := s.server.Healthz(&server.HealthzOptions{Details: true})
	return !s.server.JetStreamEnabled() || slices.ContainsFunc(health.Errors, func(e server.HealthzError) bool {
		return strings.Contains(e.Error, "write error")
	})
}

// tryStore writes a file of the size that is needed, and removes it.
func (s *Server) tryStore() error {
	f, err := os.CreateTemp(s.store, "free.tmp-*")
	if err != nil {
		return withoutPath(err)
	}
	_, err = f.Write(make([]byte, needed))
	return withoutPath(errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name())))
}

// reopen closes the store and opens it again. Connections stay.
func (s *Server) reopen() error {
	if err := s.server.ShutdownJetStream(); err != nil {
		return err
	}
	return s.server.EnableJetStream(&server.JetStreamConfig{StoreDir: s.store, MaxMemory: maxMemory, MaxStore: maxStore})
}

// stallNotice logs that messages can't be stored, and that they can again.
type stallNotice struct {
	log       *slog.Logger
	lost      string // what is logged at level warn, every warnEvery
	recovered string // what is logged afterwards, at level info
	warned    time.Time
}

// warnEvery is the time between two warnings with the same reason.
const warnEvery = time.Minute

// update logs a change. err is why messages can't be stored; nil: they can.
func (n *stallNotice) update(err error, now time.Time) {
	switch {
	case err != nil && now.Sub(n.warned) >= warnEvery:
		n.log.Warn(n.lost, "error", err)
		n.warned = now
	case err == nil && !n.warned.IsZero():
		n.log.Info(n.recovered)
		n.warned = time.Time{}
	}
}

// withoutPath returns an error without the name of a temporary file.
func withoutPath(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
