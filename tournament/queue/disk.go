package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// watchEvery is how often the embedded server's store is looked at.
const watchEvery = time.Second

// needed is how many bytes must be free for a store that failed to be opened again.
const needed = 1 << 20

// Stalled returns why the server stores nothing, with the folder of its store; nil:
// it does. It goes on by itself when the store can be written to again.
func (s *Server) Stalled() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stalled
}

// watch checks the store every watchEvery until ctx ends. The server stops storing
// for good at the first error of the disk, so that its store is closed and opened
// again when the disk can be written to.
func (s *Server) watch(ctx context.Context) {
	for sleep(ctx, watchEvery) {
		err := s.storeError()
		if err != nil {
			if full := s.tryStore(); full != nil {
				err = full
			} else {
				err = s.reopen()
			}
		}
		if err != nil {
			err = fmt.Errorf("store %s: %w", s.store, err)
		}
		s.mu.Lock()
		s.stalled = err
		s.mu.Unlock()
	}
}

// storeError returns the error at which the server stopped storing.
func (s *Server) storeError() error {
	if !s.server.JetStreamEnabled() {
		return errors.New("JetStream is disabled")
	}
	for _, e := range s.server.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if strings.Contains(e.Error, "write error") { // others pass, such as of a stream that is being made
			return errors.New(e.Error)
		}
	}
	return nil
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

// warnEvery is the time between two warnings of the same lack.
const warnEvery = time.Minute

// update takes note of why messages can't be stored; nil: they can.
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
