package queue

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/rules/base/strictjson"
	"gyges/tournament"
	"gyges/tournament/queue/status"
)

// Options configure a coordinator. Fields document their zero values, where they may have them.
type Options struct {
	// Version of the program. Workers of another one don't play, since their rules and agents may
	// differ.
	Version string

	Registry *agents.Registry // the kinds of agents
	Server   *Server          // the embedded one, whose failure ends the run; nil: another server
	Log      *slog.Logger     // nil: nothing is logged

	// Speed measures the positions a second of the machine that times are meant for; workers of
	// another speed multiply them. nil: times are the same on all machines.
	Speed func() float64

	// Notify is called with a line for each worker that joins or leaves, and when there is none. It
	// must be set.
	Notify func(line string)

	window int           // pairs that may be queued, played or not yet written; 0: 4096
	tries  int           // after which a pair is dead-lettered; 0: 5
	lease  time.Duration // after which the server redelivers a job without acknowledgement; 0: 30s

	statusEvery time.Duration // see run.play; 0: a second
	repairEvery time.Duration // see run.repair; 0: half a minute
	goneAfter   time.Duration // see the constant; 0: that
}

const (
	minLease = time.Second
	maxFile  = 256 << 20 // bytes
)

// Check returns an error if workers on other machines can't play a run: they find engines by
// names, of which each is one program's.
func (o Options) Check(config *tournament.Config) error {
	if _, err := savedIdentity(config.Out); err != nil {
		return err
	}
	programs := map[string]string{}
	check := func(spec agents.Spec, kind agents.Kind, v agents.Values) error {
		if kind.Name != engineKind {
			return nil
		}
		key := cmp.Or(v["engine"], v["name"])
		if key == "" {
			return fmt.Errorf("agent %.60q: expected engine=NAME or name=NAME, "+
				"by which workers find the engine", spec)
		}
		// Workers would play the same program in place of both.
		program := "cmd=" + v["cmd"] + ",dir=" + v["dir"]
		first := programs[key]
		if first != "" && first != program {
			return fmt.Errorf("agent %.60q: expected an engine=NAME of its own, found %.60q, "+
				"by which workers find that with %.60q", spec, key, first)
		}
		programs[key] = program
		return nil
	}
	return o.Registry.Each(config.Agents, check)
}

// Coordinator publishes the pairs of runs for workers on other machines, one run at a time.
type Coordinator struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	objects jetstream.ObjectStore
	options Options

	workers map[string]*workerEntry // those that have answered questions, by id
	owners  map[string]string       // the ids of those that had a name last
	unread  int                     // bytes of their games that are read until the next question
	waiting bool                    // that there is none has been reported
}

// NewCoordinator returns a coordinator on a server, on which it makes the streams. It doesn't close
// the connection.
func NewCoordinator(ctx context.Context, nc *nats.Conn, o Options) (*Coordinator, error) {
	o.window = cmp.Or(o.window, 4096)
	o.tries = cmp.Or(o.tries, 5)
	o.lease = cmp.Or(o.lease, 30*time.Second)
	o.statusEvery = cmp.Or(o.statusEvery, time.Second)
	o.repairEvery = cmp.Or(o.repairEvery, 30*time.Second)
	o.goneAfter = cmp.Or(o.goneAfter, goneAfter)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncTimeout(answerTime))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	p := &Coordinator{
		nc:      nc,
		js:      js,
		options: o,
		workers: map[string]*workerEntry{},
		owners:  map[string]string{},
	}
	create := func() error {
		p.objects, err = setUp(ctx, js)
		return err
	}
	return p, retry(ctx, create, busy)
}

// Window implements [tournament.Executor].
func (p *Coordinator) Window() int { return p.options.window }

// Play implements [tournament.Executor]. It goes on with what a killed one left on the server of
// the folder's run.
func (p *Coordinator) Play(
	ctx context.Context, config *tournament.Config,
	jobs <-chan tournament.Job, outcomes chan<- tournament.Result,
) error {
	r, err := p.newRun(config, outcomes)
	if err != nil {
		return err
	}
	if other := r.coordinator(r.id.Run); other != nil {
		return r.taken(other)
	}
	// A server that restarts is waited for, but not for ever.
	start := time.Now()
	attach := func() error { return r.attach(ctx) }
	err = retry(ctx, attach, func(err error) bool {
		return restarting(err) && time.Since(start) < setupTime
	})
	if err == nil {
		err = r.play(ctx, jobs)
		state := status.Finished
		interrupted := ctx.Err() != nil && !errors.Is(context.Cause(ctx), tournament.ErrDecided)
		if err != nil || interrupted {
			state = status.Stopped
		}
		r.end(context.WithoutCancel(ctx), state)
	}
	if ctx.Err() != nil {
		err = nil // the end of ctx is no error
	}
	return err
}

// identity is the content of a run folder's [identityFile].
type identity struct {
	Run    string  `json:"run"`    // its name on the server
	Config string  `json:"config"` // digest of the runConfig
	Speed  float64 `json:"speed"`  // in the runConfig
	Key    string  `json:"key"`    // of the tokens of its jobs

	resumed  bool   // the file was there, so that jobs may be queued
	previous string // another run that the folder had; "": none
}

// token returns what the results of a pair need, so that only who has received its job can send
// one. A pair that is published again after a failure has another token.
func (id *identity) token(pair int64, attempt int) string {
	secret := fmt.Sprintf("%s/%d/%d", id.Key, pair, attempt)
	return fmt.Sprintf("%d-%s", attempt, digest([]byte(secret)))
}

// identityFile is the file's name, and maxIdentity its greatest size in bytes.
const (
	identityFile = "queue.json"
	maxIdentity  = 4096
)

// savedIdentity reads the identity in a folder. It has no values if there is none.
func savedIdentity(dir string) (id identity, err error) {
	path := filepath.Join(dir, identityFile)
	found, err := files.Read(path, maxIdentity)
	if errors.Is(err, fs.ErrNotExist) {
		return id, nil
	}
	if err != nil {
		return id, err
	}
	if strictjson.Unmarshal(found, maxText, &id) != nil || !isToken(id.Run) {
		return id, fmt.Errorf("%s: expected the name of a run on the server, found %.80q",
			path, found)
	}
	return id, nil
}

// identify returns the identity and the config, as text, that a folder has, new ones if more than
// the speed differs or fresh is set: then results that are on the server are not used.
func identify(dir string, c *runConfig, fresh bool) (id identity, text []byte, err error) {
	path := filepath.Join(dir, identityFile)
	id, err = savedIdentity(dir)
	if err != nil {
		return id, nil, err
	}
	// A folder goes on with its run if nothing but the measured speed has changed.
	same := *c
	if c.Speed > 0 && id.Speed > 0 {
		same.Speed = id.Speed // it is measured, and differs each time
	}
	text, _ = json.Marshal(same) // it is plain data
	if !fresh && digest(text) == id.Config {
		id.resumed = true
		_ = os.Chmod(path, 0o600) // it may be a copy, or another user's
		return id, text, nil
	}
	text, _ = json.Marshal(c)
	id = identity{
		Run:      nuid.Next(),
		Config:   digest(text),
		Speed:    c.Speed,
		Key:      rand.Text(),
		previous: id.Run,
	}
	return id, text, files.ReplacePrivate(path, id) // others don't read the key
}

// remove removes a run from the server. What can't be removed now expires.
func (p *Coordinator) remove(ctx context.Context, run string) {
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	note := func(err error) {
		if !isAny(err, nil, jetstream.ErrConsumerNotFound, jetstream.ErrNoObjectsFound) {
			p.options.Log.Debug("cleaning up", "run", run, "error", err)
		}
	}
	for stream, prefix := range streams {
		note(p.js.DeleteConsumer(ctx, stream, run))
		s, err := p.js.Stream(ctx, stream)
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(subject(prefix, run, "*")))
		}
		note(err)
	}
	objects, err := p.objects.List(ctx)
	note(err)
	for _, o := range objects {
		if strings.HasPrefix(o.Name, objectName(run, "")) {
			note(p.objects.Delete(ctx, o.Name))
		}
	}
}

// pairsOn returns the pairs of a run of which a stream has messages.
func (p *Coordinator) pairsOn(
	ctx context.Context, stream, run string,
) (pairs map[int64]bool, err error) {
	s, err := p.js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("NATS stream %s: %w", stream, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject(streams[stream], run, "*")))
	if err != nil {
		return nil, fmt.Errorf("NATS stream %s: %w", stream, err)
	}
	pairs = map[int64]bool{}
	for name := range info.State.Subjects {
		pairs[pairOf(name)] = true
	}
	return pairs, nil
}
