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

	"gyges/agents/tuning/files"
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
	for told := false; ; told = true {
		nc, err := Connect(a, name, log)
		if err == nil || !unreachable(err) {
			return nc, err
		}
		if !told {
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
