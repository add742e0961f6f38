package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/agents/files"
	"gyges/tournament"
)

// Options say how a coordinator works. Zero values stand for what is said of them.
type Options struct {
	// Version of the program. Workers of another one don't play, since their rules
	// and agents may differ.
	Version string

	Registry    *agents.Registry // for the files that the agents need
	Window      int              // pairs that may be queued, played or waiting to be written; 0: 4096
	Tries       int              // after which a pair is dead-lettered; 0: 5
	Lease       time.Duration    // after which a job of which nothing is heard is handed out again; 0: 30s
	Replicas    int              // copies of the streams in a cluster of servers; 0: 1
	TimeScaling TimeScaling      // of games limited by time; empty: Scaled
	Speed       func() float64   // measures the machine that times are meant for, in positions a second; nil: times are left alone
	Stalled     func() error     // why the server stores nothing, as Server.Stalled; nil: only its answers say so
	Log         *slog.Logger     // nil: nothing is logged
}

// Bounds of Options.
const (
	maxWindow   = 1_000_000
	maxTries    = 1000
	maxReplicas = 5
	minLease    = time.Second
	maxLease    = time.Hour
	maxFile     = 256 << 20 // bytes
)

// Check reports whether a run can be played so by workers elsewhere.
func (o Options) Check(config *tournament.Config) error {
	if err := o.fill(); err != nil {
		return err
	}
	_, err := filesOf(o.Registry, config.Agents)
	return err
}

func (o *Options) fill() error {
	o.Window, o.Tries, o.Replicas = or(o.Window, 4096), or(o.Tries, 5), or(o.Replicas, 1)
	o.Lease, o.TimeScaling = or(o.Lease, 30*time.Second), or(o.TimeScaling, Scaled)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case o.Window < 1 || o.Window > maxWindow:
		return fmt.Errorf("expected a window from 1 to %d pairs, found %d", maxWindow, o.Window)
	case o.Tries < 1 || o.Tries > maxTries:
		return fmt.Errorf("expected tries from 1 to %d, found %d", maxTries, o.Tries)
	case o.Replicas < 1 || o.Replicas > maxReplicas:
		return fmt.Errorf("expected replicas from 1 to %d, found %d", maxReplicas, o.Replicas)
	case o.Lease < minLease || o.Lease > maxLease:
		return fmt.Errorf("expected a lease from %v to %v, found %v", minLease, maxLease, o.Lease)
	case !o.TimeScaling.valid():
		return fmt.Errorf("expected time scaling %s, %s or %s, found %.20q", Scaled, Pinned, AsIs, o.TimeScaling)
	}
	return nil
}

func or[T comparable](x, standard T) T {
	var zero T
	if x == zero {
		return standard
	}
	return x
}

// Coordinator lets workers elsewhere play the pairs of runs, one run at a time.
type Coordinator struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	objects jetstream.ObjectStore
	options Options

	statusEvery time.Duration // see reporter
	repairEvery time.Duration // see run.repair
}

var _ tournament.Executor = (*Coordinator)(nil)

// NewCoordinator returns a coordinator on a server, and makes on it what it lacks. The
// connection stays the caller's.
func NewCoordinator(ctx context.Context, nc *nats.Conn, o Options) (*Coordinator, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	js, err := newJetStream(nc)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	p := &Coordinator{nc: nc, js: js, options: o, statusEvery: statusEvery, repairEvery: repairEvery}
	err = persist(ctx, func() error {
		p.objects, err = setUp(ctx, js, o.Replicas)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// persist tries something again while the server says that it can't do it now, as
// a cluster does when its leader is lost.
func persist(ctx context.Context, f func() error) error {
	for {
		err := f()
		var api *jetstream.APIError
		busy := errors.As(err, &api) && api.Code == 503 && !errors.Is(err, jetstream.ErrJetStreamNotEnabled)
		if !busy || !sleep(ctx, retryWait) {
			return err
		}
	}
}

// setupTime bounds what is done on the server before a run and after it.
const setupTime = time.Minute

func newJetStream(nc *nats.Conn) (jetstream.JetStream, error) {
	return jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(2*maxSending), jetstream.WithPublishAsyncTimeout(5*time.Second))
}

// Window implements [tournament.Pool].
func (p *Coordinator) Window() int { return p.options.Window }

// Play implements [tournament.Pool]. What is left on the server by a coordinator
// that played in the same folder and was killed is used.
func (p *Coordinator) Play(ctx context.Context, config *tournament.Config, jobs <-chan tournament.Job, outcomes chan<- tournament.PairResult) error {
	r, err := p.begin(ctx, config, outcomes)
	for notice := p.stallNotice(); err != nil; r, err = p.begin(ctx, config, outcomes) {
		stalled := p.stalled()
		if stalled == nil && ctx.Err() == nil {
			return err
		}
		notice.update(stalled, time.Now())
		if !sleep(ctx, retryWait) {
			return nil
		}
	}
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.finish = cancel
	reporter := newReporter(r, config.Out)
	group, groupCtx := errgroup.WithContext(runCtx)
	r.sender.start(groupCtx, group)
	group.Go(func() error { r.publish(groupCtx, jobs); return nil })
	group.Go(func() error { r.receive(groupCtx); return nil })
	group.Go(func() error { return r.announce(groupCtx) })
	group.Go(func() error { r.repair(groupCtx); return nil })
	group.Go(func() error { reporter.start(groupCtx); return nil })
	err = group.Wait()
	reporter.end()
	r.end(context.WithoutCancel(ctx))
	return err
}

// stalled returns why the server stores nothing, if that can be found out; nil: it
// does, as far as that.
func (p *Coordinator) stalled() error {
	if p.options.Stalled == nil {
		return nil
	}
	return p.options.Stalled()
}

func (p *Coordinator) stallNotice() *stallNotice {
	return &stallNotice{
		log:  p.options.Log,
		lost: "the queue can't be stored; the run waits until it can", recovered: "the queue is stored again",
	}
}

// identity is the name of a run on the server, as its folder holds it.
type identity struct {
	Run    string  `json:"run"`
	Config string  `json:"config"` // digest of the description
	Speed  float64 `json:"speed"`  // that stands in it
}

// identityFile is where it stands.
const identityFile = "queue.json"

// maxIdentity bounds its size, in bytes.
const maxIdentity = 4096

// identify completes the description of the run in a folder and returns it as
// text, with the run's name: the one that it had before, if it is still the same
// run. was is the one that it had if it isn't; "": none.
func identify(dir string, d *runConfig) (id identity, text []byte, was string, err error) {
	path := filepath.Join(dir, identityFile)
	found, err := files.Read(path, maxIdentity)
	switch {
	case err == nil:
		var old identity
		if err := parseStrictly(found, &old); err != nil || !isToken(old.Run) {
			return id, nil, "", fmt.Errorf("%s: expected the name of a run on the server, found %.80q", path, found)
		}
		again := *d
		again.Speed = old.Speed // a measurement, which differs each time
		if text, err = json.Marshal(again); err != nil || digest(text) == old.Config {
			return old, text, "", err
		}
		was = old.Run
	case !errors.Is(err, fs.ErrNotExist):
		return id, nil, "", err
	}
	if text, err = json.Marshal(d); err != nil {
		return id, nil, "", err
	}
	id = identity{Run: nuid.Next(), Config: digest(text), Speed: d.Speed}
	content, err := json.Marshal(id)
	if err != nil {
		return id, nil, "", err
	}
	return id, text, was, files.Replace(path, append(content, '\n'))
}

// begin makes everything ready for a run: its description and files, and who may
// take its jobs and results.
func (p *Coordinator) begin(ctx context.Context, config *tournament.Config, outcomes chan<- tournament.PairResult) (*run, error) {
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	d := describe(config, &p.options)
	contents, err := p.loadFiles(config, d)
	if err != nil {
		return nil, err
	}
	id, text, was, err := identify(config.Out, d)
	if err != nil {
		return nil, err
	}
	contents = append(contents, text)
	if was != "" {
		p.remove(ctx, was)
	}
	r := newRun(p, id, contents, config, outcomes)
	return r, persist(ctx, func() error { return r.attach(ctx) })
}

// loadFiles reads the files that the agents need, and notes them in d.
func (p *Coordinator) loadFiles(config *tournament.Config, d *runConfig) ([][]byte, error) {
	names, err := filesOf(p.options.Registry, config.Agents)
	if err != nil {
		return nil, err
	}
	var contents [][]byte
	for _, name := range names {
		content, err := files.Read(name, maxFile)
		if err != nil {
			return nil, err
		}
		if d.Files == nil {
			d.Files = map[string]string{}
		}
		d.Files[name] = digest(content)
		contents = append(contents, content)
	}
	return contents, nil
}

// purgeResults removes the results of a run and reports whether there were any.
func (p *Coordinator) purgeResults(ctx context.Context, run string) bool {
	s, err := p.js.Stream(ctx, resultStream)
	if err != nil {
		return false // they grow old there
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(resultsOf(run)+".*"))
	if err != nil || len(info.State.Subjects) == 0 {
		return false
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(resultsOf(run)+".*")) == nil
}

// remove throws away what the server has of a run. What can't be removed now
// grows old there.
func (p *Coordinator) remove(ctx context.Context, run string) {
	note := func(err error) {
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			p.options.Log.Debug("cleaning up", "run", run, "error", err)
		}
	}
	for stream, subject := range map[string]string{jobStream: jobsOf(run), resultStream: resultsOf(run)} {
		note(p.js.DeleteConsumer(ctx, stream, run))
		s, err := p.js.Stream(ctx, stream)
		note(err)
		if err == nil {
			note(s.Purge(ctx, jetstream.WithPurgeSubject(subject+".*")))
		}
	}
	objects, err := p.objects.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		note(err)
	}
	for _, o := range objects {
		if len(o.Name) > len(run) && o.Name[:len(run)+1] == run+"/" {
			note(p.objects.Delete(ctx, o.Name))
		}
	}
}
