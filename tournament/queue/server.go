package queue

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gyges/rules/base/settings"
)

// ServerOptions configure the embedded server.
type ServerOptions struct {
	Listen string // HOST:PORT; port 0 takes a free one
	Store  string // folder for its streams

	// Access has the name and password that clients need, and the server's certificate: Cert and
	// Key, and CA if clients need one too. Without a password the server may listen on the loopback
	// interface only.
	Access Access
}

// Server is a JetStream server in this process.
type Server struct {
	server  *server.Server
	access  Access
	store   string
	failing time.Time // since when it has not been well; zero: it is
}

const (
	maxMemory = 64 << 20 // bytes that the server may store
	maxStore  = 16 << 30 // likewise, on the disk
	// from telling clients that the server shuts down until it does
	announceTime = 200 * time.Millisecond
	startTime    = 30 * time.Second // for the server to recover its store
)

// StartServer starts a server.
func StartServer(o ServerOptions) (*Server, error) {
	host, port, err := o.split()
	if err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName:          "gyges",
		Host:                host,
		Port:                port,
		Username:            o.Access.User,
		Password:            o.Access.Password,
		NoLog:               true,
		NoSigs:              true,
		LameDuckDuration:    announceTime,
		LameDuckGracePeriod: announceTime / 2,
		JetStream:           true,
		StoreDir:            o.Store,
		// A laptop has little; what is stored is bounded by the windows of the runs.
		JetStreamMaxMemory: maxMemory,
		JetStreamMaxStore:  maxStore,
	}
	// With a certificate of its own the server speaks TLS, and asks clients for theirs if there are
	// certificates to check them with.
	if o.Access.Cert != "" {
		options.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{
			CertFile: o.Access.Cert,
			KeyFile:  o.Access.Key,
			CaFile:   o.Access.CA,
			Verify:   o.Access.CA != "", // of clients
		})
		if err != nil {
			return nil, fmt.Errorf("TLS of the embedded server: %w", err)
		}
		options.TLSTimeout = 10
	}
	store := filepath.Join(o.Store, server.JetStreamStoreDir) // it has the tokens of jobs
	_ = os.MkdirAll(store, 0o755)                             // what fails here fails again
	_ = os.Chmod(store, 0o700)
	// A server that can't use its store runs without JetStream, so that is looked at, too.
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(startTime) {
		err = fmt.Errorf("expected it to listen on %s and to use its store %s within %v",
			o.Listen, o.Store, startTime)
	} else if !s.JetStreamEnabled() {
		err = fmt.Errorf("its store in %s can't be used", o.Store)
	}
	if err != nil {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	return &Server{server: s, access: o.Access, store: o.Store}, nil
}

// Check returns an error if the server may not listen there: a server that other machines reach
// needs a password.
func (o ServerOptions) Check() error {
	_, _, err := o.split()
	return err
}

// split checks the address to listen on, and returns its parts.
func (o ServerOptions) split() (host string, port int, err error) {
	host, text, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return "", 0, fmt.Errorf("expected an address HOST:PORT to listen on, found %.60q",
			o.Listen)
	}
	// The library has another number for any free port.
	port, err = settings.Port(text)
	if err != nil {
		return "", 0, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if (o.Access.User == "") != (o.Access.Password == "") {
		return "", 0, errors.New("expected a user and a password for the embedded server, " +
			"or neither")
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

// Close tells the clients that the server shuts down, and stops it. What it has stored stays.
func (s *Server) Close() {
	s.server.LameDuckShutdown()
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// of failures unreported: longer than making a stream takes, which looks like one
const storeTime = 5 * time.Second

// Failed returns why the server can't store messages, nil if it can. The first error of its disk
// stops it for good. A nil server is another machine's, of which nothing is known.
func (s *Server) Failed() error {
	if s == nil {
		return nil
	}
	health := s.server.Healthz(&server.HealthzOptions{Details: true})
	if health.StatusCode == http.StatusOK && s.server.JetStreamEnabled() {
		s.failing = time.Time{}
		return nil
	}
	// A failure counts when it lasts.
	if s.failing.IsZero() {
		s.failing = time.Now()
	}
	if time.Since(s.failing) < storeTime {
		return nil
	}
	why := health.Error
	for _, e := range health.Errors {
		why = cmp.Or(why, e.Error)
	}
	why = cmp.Or(why, "JetStream is disabled")
	return fmt.Errorf("the embedded server can't write its store %s any more (%s); "+
		"give it space, then the same command continues the run", s.store, why)
}
