package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gyges/rules/base/files"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
)

// Access is the address of a server and the credentials for it: user and password, or a creds file
// in place of these. Its secrets are used to connect and for nothing else; they are in no record,
// message or log.
type Access struct {
	URL      string // nats://HOST:PORT, tls://…; several with commas
	Password string // of User
	User     string
	Creds    string // file with the user's JWT and seed
	CA       string // file of certificates to check the other side's with; "": the system's
	Cert     string // file of this side's TLS certificate; the embedded server speaks TLS with one
	Key      string // file of its key
}

// bytes of each of these files; the certificates of an operating system have less than 1 MiB
const maxSecret = 4 << 20

// Check returns an error if the fields contradict each other or a file can't be read. An embedded
// server has no URL.
func (a Access) Check() error {
	if a.URL != "" {
		for one := range strings.SplitSeq(a.URL, ",") {
			if err := checkURL(strings.TrimSpace(one)); err != nil {
				return err
			}
		}
	}
	switch {
	case (a.User == "") != (a.Password == ""):
		return errors.New("expected a user and a password, or neither")
	case a.User != "" && a.Creds != "":
		return errors.New("expected user and password or a creds file, found both")
	case (a.Cert == "") != (a.Key == ""):
		return errors.New("expected a TLS certificate and its key, or neither")
	}
	// A file that can't be read is a mistake that is found at once, not when it connects.
	for _, file := range []string{a.Creds, a.CA, a.Cert, a.Key} {
		if file == "" {
			continue
		}
		if _, err := files.Read(file, maxSecret); err != nil {
			return err
		}
	}
	return nil
}

// checkURL checks the address of one server.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return errors.New("expected the URL of a NATS server, like nats://host:4222")
	}
	if u.User != nil {
		return errors.New("expected a URL without user and password, " +
			"which the list of processes would show; see GYGES_NATS_PASSWORD")
	}
	if u.Port() == "" {
		return nil
	}
	_, err = settings.Port(u.Port())
	return err
}

// Await is Connect that waits for a server that can't be reached yet. One that refuses the
// connection is an error.
func Await(
	ctx context.Context, a Access, name string, log *slog.Logger,
) (nc *nats.Conn, err error) {
	warned := false
	connect := func() error {
		nc, err = Connect(a, name, log)
		return err
	}
	err = retry(ctx, connect, func(err error) bool {
		if !unreachable(err) {
			return false
		}
		if !warned {
			log.Warn("waiting for the NATS server", "error", err)
			warned = true
		}
		return true
	})
	return nc, err
}

// unreachable reports whether an error of Connect is temporary: no server listens, or it ended
// before it had answered. An unknown host name and an alert of TLS, whose operation is "remote
// error", are permanent.
func unreachable(err error) bool {
	var name *net.DNSError
	if errors.As(err, &name) {
		return false
	}
	var network *net.OpError
	if errors.As(err, &network) {
		switch network.Op {
		case "dial", "read", "write":
			return true
		}
	}
	return isAny(err, io.EOF, nats.ErrNoServers, nats.ErrTimeout)
}

// isAny reports whether an error is one of some, or nil if nil is one of them.
func isAny(err error, some ...error) bool {
	return slices.ContainsFunc(some, func(one error) bool { return errors.Is(err, one) })
}

// Connect connects to the server without a detour over the network.
func (s *Server) Connect(name string, log *slog.Logger) (*nats.Conn, error) {
	access := Access{User: s.access.User, Password: s.access.Password}
	return Connect(access, name, log, nats.InProcessServer(s.server))
}

// Connect connects to a server, with a checked access, under a name. A lost connection is restored
// until it is closed.
func Connect(a Access, name string, log *slog.Logger, options ...nats.Option) (*nats.Conn, error) {
	options = append(options, nats.Name(name), func(o *nats.Options) error {
		// Servers that restart may refuse credentials for a while.
		o.IgnoreAuthErrorAbort = true
		o.Timeout = answerTime
		// A dead connection is noticed within half a minute.
		o.PingInterval = 10 * time.Second
		o.MaxPingsOut = 2
		// A lost one is restored, however long that takes.
		o.MaxReconnect = -1
		o.ReconnectWait = 500 * time.Millisecond
		o.ReconnectJitter = 500 * time.Millisecond
		o.ReconnectJitterTLS = time.Second
		logChanges(o, log)
		return nil
	})
	if a.User != "" {
		// Users can be given rights to read their own answers only.
		user := strings.ReplaceAll(url.QueryEscape(a.User), ".", "%2E")
		inbox := nats.CustomInboxPrefix(nats.InboxPrefix + user)
		options = append(options, nats.UserInfo(a.User, a.Password), inbox)
	}
	// What the access doesn't have is left to the library.
	if a.Creds != "" {
		options = append(options, nats.UserCredentials(a.Creds))
	}
	if a.CA != "" {
		options = append(options, nats.RootCAs(a.CA))
	}
	if a.Cert != "" {
		options = append(options, nats.ClientCert(a.Cert, a.Key))
	}
	nc, err := nats.Connect(a.URL, options...)
	return nc, problems.Prefix("NATS server "+a.URL, err)
}

// logChanges logs when a connection is lost, and when it is back.
func logChanges(o *nats.Options, log *slog.Logger) {
	var announced atomic.Bool // by the server
	o.LameDuckModeHandler = func(*nats.Conn) {
		announced.Store(true)
		log.Info("the NATS server shuts down; waiting for it to come back")
	}
	o.DisconnectedErrCB = func(_ *nats.Conn, err error) {
		if err != nil && !announced.Load() { // without an error this side closed it
			log.Warn("the connection to NATS is lost; waiting for the server to come back",
				"error", err)
		}
	}
	o.ReconnectedCB = func(*nats.Conn) {
		announced.Store(false)
		log.Info("the connection to NATS is back")
	}
	o.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) {
		log.Warn("NATS", "error", err)
	}
}

const (
	retryWait  = 500 * time.Millisecond // between two attempts
	answerTime = 5 * time.Second        // for an answer; requests to JetStream have it, too
	setupTime  = time.Minute            // for what is done before a run and after it
)

// retry calls f every retryWait until it succeeds, its error isn't temporary, or ctx ends.
func retry(ctx context.Context, f func() error, temporary func(error) bool) error {
	err := f()
	for err != nil && temporary(err) {
		if !sleep(ctx, retryWait) {
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		err = f()
	}
	return err
}

// busy reports whether an error is that of a cluster without a leader.
func busy(err error) bool {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) { // which has the same code
		return false
	}
	api, isAPI := errors.AsType[*jetstream.APIError](err)
	return isAPI && api.Code == http.StatusServiceUnavailable
}

// restarting reports whether an error comes from a server that restarts, or from a request that was
// lost.
func restarting(err error) bool {
	return busy(err) || isAny(err, nats.ErrNoResponders, context.DeadlineExceeded, nats.ErrTimeout)
}

// publisher sends messages that the server has to store.
type publisher struct {
	js      jetstream.JetStream
	log     *slog.Logger
	stalled atomic.Bool // the last attempt failed, which has been logged
}

// start begins to publish a message. stored blocks until the server has stored it; an error means
// that ctx has ended.
func (p *publisher) start(m *nats.Msg) (stored func(context.Context) error) {
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	future, err := p.js.PublishMsgAsync(m)
	return func(ctx context.Context) error {
		if err == nil {
			select {
			case <-future.Ok():
				return nil
			case err = <-future.Err():
			case <-ctx.Done():
			}
		}
		p.log.Debug("publishing failed; trying again", "error", err)
		return p.publish(ctx, m)
	}
}

// publish blocks until the server has stored a message, recognized by its id, or ctx has ended,
// which is the error.
func (p *publisher) publish(ctx context.Context, m *nats.Msg) error {
	always := func(error) bool { return true }
	return retry(ctx, func() error { return p.attempt(ctx, m) }, always)
}

// attempt tries once to publish a message, and logs the first failure and the first success after
// it.
func (p *publisher) attempt(ctx context.Context, m *nats.Msg) error {
	_, err := p.js.PublishMsg(ctx, m)
	if ctx.Err() != nil {
		return err
	}
	stalled := err != nil
	if p.stalled.Swap(stalled) == stalled {
		return err
	}
	if stalled {
		p.log.Warn("the NATS server doesn't store what is sent to it; trying again", "error", err)
	} else {
		p.log.Info("the NATS server stores what is sent to it again")
	}
	return err
}

// acknowledge removes a message from the server, which delivers it again if this doesn't reach it.
func acknowledge(m jetstream.Msg) { _ = m.Ack() }

// deliverLater lets the server deliver a message again after retryWait; if this doesn't reach it,
// when the lease ends.
func deliverLater(m jetstream.Msg) { _ = m.NakWithDelay(retryWait) }

// sleep reports whether ctx lasted for the given time.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
