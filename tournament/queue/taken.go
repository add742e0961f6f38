package queue

import (
	"context"
	"errors"
	"fmt"
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

// taken is a run that a worker plays for.
type subscription struct {
	name, digest string
	ctx          context.Context // ends with the run
	cancel       context.CancelFunc

	// Guarded by the worker's lock.
	announced time.Time
	ready     bool
	aside     bool // this machine should leave it alone

	// Set before it is ready.
	config    tournament.Config
	registry  *agents.Registry
	tries     int
	timeScale float64
	lease     time.Duration
	jobs      jetstream.Consumer
	objects   jetstream.ObjectStore
	files     string // folder with the files that its agents need; "": they need none
}

func newSubscription(ctx context.Context, a *announcement, machine string) *subscription {
	r := &subscription{name: a.Run, digest: a.Config}
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.update(a, machine)
	return r
}

// update takes note of an announcement.
func (r *subscription) update(a *announcement, machine string) {
	r.announced = time.Now()
	r.aside = slices.Contains(a.Aside, machine)
}

// isOver reports whether the server has no jobs of the run any more. If it gives no
// answer, that is so.
func (r *subscription) isOver(js jetstream.JetStream) bool {
	ctx, cancel := context.WithTimeout(r.ctx, answerTime)
	defer cancel()
	_, err := js.Consumer(ctx, jobStream, r.name)
	return err != nil
}

// refusal says why a run isn't for a worker.
type refusal struct{ error }

// prepare fetches what the jobs of the run have in common, and checks it.
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

// task is a pair in hand.
type task struct {
	run     *subscription
	message jetstream.Msg
	job     job
	tries   int    // how often it was handed out, this time included
	number  uint64 // of the job on the server
	renewed time.Time
	begun   atomic.Bool // it is played, or has been given back
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

// maxError bounds what is said of a failure, in bytes.
const maxError = 2000

// oneLine makes a text fit for a header, and one from a header for a terminal.
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
