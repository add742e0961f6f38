package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/nats-io/nats.go/jetstream"

	"gyges/agents"
	"gyges/tournament"
)

// subscription is a run that a worker plays for.
type subscription struct {
	name, digest string
	ctx          context.Context // ends with the run
	cancel       context.CancelFunc

	// Guarded by the worker's lock.
	announced time.Time
	ready     bool

	// Set before ready.
	config    tournament.Config
	registry  *agents.Registry
	tries     int
	timeScale float64
	lease     time.Duration
	jobs      jetstream.Consumer
	objects   jetstream.ObjectStore
	files     string // folder with the files that its agents need; "": they need none
}

func newSubscription(ctx context.Context, a *announcement) *subscription {
	r := &subscription{name: a.Run, digest: a.Config, announced: time.Now()}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// isOver reports whether the server has no consumer of the run's jobs any more, or
// doesn't answer.
func (r *subscription) isOver(js jetstream.JetStream) bool {
	ctx, cancel := context.WithTimeout(r.ctx, answerTime)
	defer cancel()
	_, err := js.Consumer(ctx, jobStream, r.name)
	return err != nil
}

// refusal is the reason why a worker doesn't play a run.
type refusal struct{ error }

// prepare fetches the config and the files of the run, and checks them.
func (r *subscription) prepare(w *Worker) error {
	ctx, cancel := context.WithTimeout(r.ctx, setupTime)
	defer cancel()
	var err error
	if r.objects, err = w.js.ObjectStore(ctx, bucket); err != nil {
		return err
	}
	text, err := r.fetch(ctx, r.digest)
	if err != nil {
		return err
	}
	var d runConfig
	if err := strictly(text, &d); err != nil {
		return refusal{fmt.Errorf("its description can't be read: %w", err)}
	}
	if d.Version != w.options.Version {
		return refusal{fmt.Errorf("it is of version %.200q, this worker of %.60q", d.Version, w.options.Version)}
	}
	if r.config, err = d.config(); err != nil {
		return refusal{err}
	}
	if r.timeScale, err = d.timeScale(w.options.Speed, isTimed(&r.config, w.options.Registry)); err != nil {
		return refusal{err}
	}
	files, err := r.fetchFiles(ctx, &d, w.files)
	if err != nil {
		return err
	}
	r.registry, r.tries = w.options.Allow.registry(w.options.Registry, files, r.timeScale), d.Tries
	if err := r.config.Validate(r.registry); err != nil {
		return refusal{err}
	}
	if r.jobs, err = w.js.Consumer(ctx, jobStream, r.name); err != nil {
		return err
	}
	r.lease = max(r.jobs.CachedInfo().Config.AckWait, minLease)
	return nil
}

// fetch gets an object of the run by the hash of its content.
func (r *subscription) fetch(ctx context.Context, hash string) ([]byte, error) {
	if !isToken(hash) {
		return nil, refusal{fmt.Errorf("expected the hash of a content, found %.80q", hash)}
	}
	content, err := getObject(ctx, r.objects, objectName(r.name, hash), maxFile)
	if err != nil {
		return nil, err
	}
	if digest(content) != hash {
		return nil, fmt.Errorf("object %s: its content has another hash", hash)
	}
	return content, nil
}

// fetchFiles writes the files that the agents need into a new folder in dir, and
// returns the path of each.
func (r *subscription) fetchFiles(ctx context.Context, d *runConfig, dir string) (map[string]string, error) {
	if len(d.Files) == 0 {
		return nil, nil
	}
	var err error
	if r.files, err = os.MkdirTemp(dir, r.name+"-"); err != nil {
		return nil, err
	}
	files := map[string]string{}
	for name, hash := range d.Files {
		content, err := r.fetch(ctx, hash)
		if err != nil {
			return nil, err
		}
		files[name] = filepath.Join(r.files, hash)
		if err := os.WriteFile(files[name], content, 0o600); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// removeFiles removes what fetchFiles wrote. It is called after the run has ended.
func (r *subscription) removeFiles() error {
	if r.files == "" {
		return nil
	}
	return os.RemoveAll(r.files)
}

// task is a pair that a worker has received.
type task struct {
	run     *subscription
	message jetstream.Msg
	job     job
	tries   int    // how often it was handed out, this time included
	number  uint64 // of the job on the server
	renewed time.Time
	begun   atomic.Bool // it is being played, or has been returned
}

// newTask reads a job.
func newTask(r *subscription, m jetstream.Msg) (*task, error) {
	t := &task{run: r, message: m, renewed: time.Now()}
	if err := parseStrictly(m.Data(), &t.job); err != nil {
		return nil, err
	}
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	t.tries, t.number = max(t.job.Tries, 0)+int(min(meta.NumDelivered, maxTries+1)), meta.Sequence.Stream
	if t.job.Config != r.digest {
		return nil, errors.New("it belongs to another config")
	}
	if pair, err := pairOf(m.Subject()); err != nil || pair != t.job.Pair {
		return nil, fmt.Errorf("its subject %.100q isn't that of pair %d", m.Subject(), t.job.Pair)
	}
	return t, nil
}

// maxError bounds the text of an error, in bytes.
const maxError = 2000

// oneLine returns a text as one printable line, for a header or a terminal.
func oneLine(s string) string {
	if s == "" {
		return "unknown"
	}
	s = strings.Join(strings.Fields(s[:min(len(s), maxError)]), " ")
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, s)
}

// TimeScaling says how time controls are adapted to machines of different speeds.
// Games without time limits don't depend on it.
type TimeScaling string

// The kinds of time scaling.
const (
	// Scaled multiplies all times by the ratio of the coordinator's speed to the
	// worker's, so that agents search as many positions as they would there.
	Scaled TimeScaling = "scaled"

	// Pinned lets only machines play whose speed is within 10 % of the coordinator's.
	Pinned TimeScaling = "pinned"

	// AsIs leaves times as they are.
	AsIs TimeScaling = "as-is"
)

// Bounds of the factor, and of the difference in speed that Pinned allows.
const (
	maxScale  = 16.0
	tolerance = 0.1
)

func (p TimeScaling) valid() bool { return slices.Contains([]TimeScaling{Scaled, Pinned, AsIs}, p) }

// timeScale returns the factor of all times on a machine of the given speed, or why
// the machine may not play the run.
func (d *runConfig) timeScale(speed float64, timed bool) (float64, error) {
	if !timed || d.Speed == 0 || speed == 0 || d.TimeScaling == AsIs {
		return 1, nil
	}
	f := d.Speed / speed
	switch {
	case d.TimeScaling == Pinned && math.Abs(f-1) > tolerance:
		return 0, fmt.Errorf("its times are pinned to machines of %.0f positions a second, this one makes %.0f", d.Speed, speed)
	case d.TimeScaling == Pinned:
		return 1, nil
	case f > maxScale || f < 1/maxScale:
		return 0, fmt.Errorf("it is made for machines of %.0f positions a second, this one makes %.0f, more than %v times off", d.Speed, speed, maxScale)
	}
	return f, nil
}

// isTimed reports whether anything in a run depends on the clock.
func isTimed(c *tournament.Config, registry *agents.Registry) bool {
	return c.Limits.MoveTime > 0 || c.Clock.Base > 0 || slices.ContainsFunc(c.Agents, func(s agents.Spec) bool {
		return agentIsTimed(s, registry)
	})
}

func agentIsTimed(s agents.Spec, registry *agents.Registry) bool {
	if s.Get(moveTimeParam) != "" || s.Get(clockParam) != "" {
		return true
	}
	kind, err := registry.Kind(s)
	if err != nil {
		return false // it won't be made
	}
	v := agents.Values{}
	for _, p := range s.Params {
		v[p.Name] = p.Value
	}
	inner, err := innerSpecs(kind, v)
	return err == nil && slices.ContainsFunc(inner, func(s agents.Spec) bool { return agentIsTimed(s, registry) })
}

// The parameters of all kinds for the time of a move, and of a game.
const (
	moveTimeParam = "movetime"
	clockParam    = "clock"
)
