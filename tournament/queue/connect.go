package queue

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"gyges/agents/files"
)

// Access is how to reach a server. Its secrets are used to connect and for
// nothing else; they are in no record, message or log.
type Access struct {
	URL string // nats://HOST:PORT, tls://…; several with commas

	User, Password string // both or neither
	Creds          string // file with a user's JWT and seed
	NKey           string // file with an nkey's seed

	CA        string // file with the certificates that others' are checked with; "": the system's
	Cert, Key string // files with our certificate and its key
}

// maxSecret bounds the size of each of these files, in bytes. The certificates of
// an operating system have less than 1 MiB.
const maxSecret = 4 << 20

// Check returns an error if the fields contradict each other or a file can't be
// read. It makes no connection. An empty URL is for an embedded server.
func (a Access) Check() error {
	for one := range strings.SplitSeq(a.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		switch {
		case a.URL == "":
		case err != nil || u.Host == "":
			return errors.New("expected the URL of a NATS server, like nats://host:4222")
		case u.User != nil:
			return errors.New("expected a URL without user and password, which the list of processes would show; see GYGES_NATS_PASSWORD")
		}
	}
	ways := 0
	for _, s := range []string{a.User + a.Password, a.Creds, a.NKey} {
		if s != "" {
			ways++
		}
	}
	switch {
	case (a.User == "") != (a.Password == ""):
		return errors.New("expected a user and a password, or neither")
	case ways > 1:
		return errors.New("expected one of user and password, creds file or nkey file")
	case (a.Cert == "") != (a.Key == ""):
		return errors.New("expected a TLS certificate and its key, or neither")
	}
	for _, file := range []string{a.Creds, a.NKey, a.CA, a.Cert, a.Key} {
		if file == "" {
			continue
		}
		if _, err := files.Read(file, maxSecret); err != nil {
			return err
		}
	}
	return nil
}

// clientTLS is the client's side of TLS.
func (a Access) clientTLS() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.Cert != "" {
		cert, certErr := files.Read(a.Cert, maxSecret)
		key, keyErr := files.Read(a.Key, maxSecret)
		pair, err := tls.X509KeyPair(cert, key)
		if err := cmp.Or(certErr, keyErr, err); err != nil {
			return nil, fmt.Errorf("TLS certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if a.CA != "" {
		text, err := files.Read(a.CA, maxSecret)
		if err != nil {
			return nil, fmt.Errorf("TLS certificates to check with: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("TLS certificates to check with: %s: expected PEM, found none", a.CA)
		}
	}
	return config, nil
}

// Connect connects to a server. The connection comes back by itself after a cut,
// for as long as it isn't closed. name says who we are.
func Connect(a Access, name string, log *slog.Logger) (*nats.Conn, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return a.connect(a.URL, name, log)
}

// Await is Connect that waits for a server that can't be reached yet. One that
// refuses us is an error.
func Await(ctx context.Context, a Access, name string, log *slog.Logger) (*nats.Conn, error) {
	for warned := false; ; warned = true {
		nc, err := Connect(a, name, log)
		if err == nil || !unreachable(err) {
			return nc, err
		}
		if !warned {
			log.Warn("waiting for the NATS server", "error", err)
		}
		if !sleep(ctx, 2*retryWait) {
			return nil, ctx.Err()
		}
	}
}

// unreachable reports whether an error of Connect is temporary: no server listens, or
// it ended before it had answered. An unknown host name and an alert of TLS, whose
// operation is "remote error", are permanent.
func unreachable(err error) bool {
	var network *net.OpError
	var name *net.DNSError
	lost := errors.As(err, &network) && slices.Contains([]string{"dial", "read", "write"}, network.Op) && !errors.As(err, &name)
	return lost || errors.Is(err, io.EOF) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout)
}

// Connect connects to the server without a detour over the network.
func (s *Server) Connect(name string, log *slog.Logger) (*nats.Conn, error) {
	a := Access{User: s.access.User, Password: s.access.Password}
	return a.connect("", name, log, nats.InProcessServer(s.server))
}

func (a Access) connect(where, name string, log *slog.Logger, more ...nats.Option) (*nats.Conn, error) {
	var announced atomic.Bool // the server has announced its shutdown
	options := []nats.Option{
		nats.Name(name),
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectJitter(500*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), // a dead line is seen within half a minute
		nats.IgnoreAuthErrorAbort(), // a server that restarts may say so for a while
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil && !announced.Load() { // without an error we closed it
				log.Warn("the connection to NATS is lost; trying again", "error", err)
			}
		}),
		nats.LameDuckModeHandler(func(*nats.Conn) {
			announced.Store(true)
			log.Info("the NATS server shuts down; waiting for it to come back")
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			if announced.Swap(false) {
				log.Info("connected to NATS again")
			} else {
				log.Warn("the connection to NATS is back")
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("NATS", "error", err) }),
	}
	if a.User != "" {
		options = append(options, nats.UserInfo(a.User, a.Password))
	}
	if a.Creds != "" {
		options = append(options, nats.UserCredentials(a.Creds))
	}
	if a.NKey != "" {
		o, err := nats.NkeyOptionFromSeed(a.NKey)
		if err != nil {
			return nil, fmt.Errorf("nkey file: %w", err)
		}
		options = append(options, o)
	}
	if a.CA != "" || a.Cert != "" {
		config, err := a.clientTLS()
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(config))
	}
	nc, err := nats.Connect(where, append(options, more...)...)
	if err != nil {
		return nil, fmt.Errorf("NATS server %s: %w", where, err)
	}
	return nc, nil
}

// maxSending is how many messages may be on their way to the server.
const maxSending = 1024

// retryWait is how long to wait before something is tried again.
const retryWait = 500 * time.Millisecond

// sender publishes messages until the server has them, however long that takes.
// Each needs an id, since it may be published more than once.
type sender struct {
	js   jetstream.JetStream
	log  *slog.Logger
	sent chan sending

	failure atomic.Pointer[error] // why a message is published again and again; nil: none is
}

// sending is a message on its way.
type sending struct {
	message *nats.Msg
	future  jetstream.PubAckFuture
	stored  func() // called when the server has it
}

func newSender(js jetstream.JetStream, log *slog.Logger) *sender {
	return &sender{js: js, log: log, sent: make(chan sending, maxSending)}
}

// send begins to publish a message; stored may be nil. It waits while too many
// are on their way.
func (s *sender) send(ctx context.Context, m *nats.Msg, stored func()) {
	future, err := s.js.PublishMsgAsync(m)
	if err != nil {
		s.log.Debug("publishing failed; trying again", "error", err)
		future = nil
	}
	select {
	case s.sent <- sending{m, future, stored}:
	case <-ctx.Done():
	}
}

// run waits for what is on its way, and publishes again what got lost, until ctx
// ends or, after close, nothing is left.
func (s *sender) run(ctx context.Context) {
	for {
		var one sending
		select {
		case next, ok := <-s.sent:
			if !ok {
				return
			}
			one = next
		case <-ctx.Done():
			return
		}
		if !s.arrived(ctx, one.future) && !s.insist(ctx, one.message) {
			return
		}
		if one.stored != nil {
			one.stored()
		}
	}
}

// start runs the sender in a group.
func (s *sender) start(ctx context.Context, group *errgroup.Group) {
	group.Go(func() error { s.run(ctx); return nil })
}

// close says that nothing more will be sent.
func (s *sender) close() { close(s.sent) }

// stalled returns why the server doesn't store what is published; nil: it does.
func (s *sender) stalled() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// arrived reports whether the server has what was published.
func (s *sender) arrived(ctx context.Context, future jetstream.PubAckFuture) bool {
	if future == nil {
		return false
	}
	select {
	case <-future.Ok():
		return true
	case err := <-future.Err():
		s.log.Debug("publishing failed; trying again", "error", err)
	case <-ctx.Done():
	}
	return false
}

// insist publishes until the server has it or ctx ends.
func (s *sender) insist(ctx context.Context, m *nats.Msg) bool {
	for {
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := s.js.PublishMsg(once, &nats.Msg{Subject: m.Subject, Header: m.Header, Data: m.Data})
		cancel()
		if err == nil {
			s.failure.Store(nil)
			return true
		}
		s.failure.Store(&err)
		s.log.Debug("publishing failed; trying again", "error", err)
		if !sleep(ctx, retryWait) {
			return false
		}
	}
}

// sleep reports whether ctx lasted so long.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
