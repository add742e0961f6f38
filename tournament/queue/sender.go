package queue

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

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

// arrived tells whether the server has what was published.
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

// sleep tells whether ctx lasted so long.
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
