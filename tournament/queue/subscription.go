package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gyges/agents"
	"gyges/rules/base/lists"
	"gyges/rules/base/strictjson"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// subscription is a run that a worker plays for, or refuses.
type subscription struct {
	runID
	ctx    context.Context // ends with the run
	cancel context.CancelFunc

	// Guarded by the worker's lock. Once one of ready and refused is set, only what the coordinator
	// says of the worker's results changes them.
	heard   time.Time // of it the last time
	ready   bool
	refused string // why the worker doesn't play the run; "": it does
	shown   WorkerRun

	// Set before ready.
	config    tournament.Config
	registry  *agents.Registry
	timeScale float64
	lease     time.Duration
	jobs      jetstream.Consumer
	folder    string // of the files that its agents need; "": none

	otherBuild string // see [status.Worker]

	pairs   atomic.Int64 // played
	games   atomic.Int64 // in them
	playing sync.RWMutex // read-locked while a pair is played
	runners sync.Map     // by *tournament.Runner, with open agents, whether it plays a pair
}

const (
	maxRuns        = 200 // that a worker plays for or refuses
	refusesResults = "the coordinator refuses its results"
)

// hear handles a question on a run, or the end of one, and returns the run if it is prepared. A
// run that is heard of for the first time is prepared, and answered to inbox, later.
func (w *Worker) hear(ctx context.Context, q *question, inbox string) *subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil { // the worker stops
		return nil
	}
	// The end of a run is checked before it is believed.
	r := w.runs[q.runID]
	if q.Ended {
		if r != nil {
			w.background.Go(func() { w.end(r) })
		}
		return nil
	}
	// A run that is heard of for the first time is prepared, which takes a while.
	if r == nil {
		if len(w.runs) >= maxRuns { // refused runs that still exist are refused again
			maps.DeleteFunc(w.runs, func(_ runID, r *subscription) bool { return r.refused != "" })
		}
		if len(w.runs) >= maxRuns {
			return nil
		}
		r = &subscription{runID: q.runID}
		r.ctx, r.cancel = context.WithCancel(ctx)
		w.runs[q.runID] = r
		w.background.Go(func() { w.join(r, inbox) })
	}
	r.heard = time.Now()
	r.shown.Done = q.Done
	r.shown.Scheduled = q.Scheduled

	// What the coordinator says of the worker's results.
	leftOut := slices.Contains(q.LeftOut, w.id)
	log := w.options.Log.With("run", r.Run)
	if r.ready && leftOut {
		r.ready = false
		r.refused = refusesResults
		log.Error("results for a run are refused; " +
			"see the coordinator's log, and mend the cause here")
	}
	if r.refused == refusesResults && !leftOut {
		r.ready = true
		r.refused = ""
		log.Info("results for a run are accepted again")
	}
	if r.ready || r.refused != "" {
		return r
	}
	return nil
}

// join prepares a run, answers the first question on it, blocks until it ends, and releases its
// resources.
func (w *Worker) join(r *subscription, inbox string) {
	err := r.prepare(w)
	if err == nil {
		// before any result, so that the coordinator lists the worker from the start
		w.respond(inbox, r, 0)
	}
	if refused := w.setReady(r, err); refused {
		w.respond(inbox, r, 0)
	}
	<-r.ctx.Done()
	if err := r.close(); err != nil {
		w.options.Log.Warn("closing a run", "run", r.Run, "error", err)
	}
}

// setReady stores the result of a preparation, and says whether the run is refused. After another
// error the next question starts another preparation.
func (w *Worker) setReady(r *subscription, err error) (refused bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.options.Log.With("run", r.Run)
	if err == nil {
		const most = 4
		players := lists.Map(r.config.Agents, agents.Spec.Label)
		r.ready = true
		r.shown.Joined = time.Now()
		r.shown.Players = textfmt.List(players, most)
		r.shown.Rules = textfmt.List(r.config.RuleSets(), most)
		log.Info("joined a run", "players", r.shown.Players, "rules", r.shown.Rules)
		return false
	}
	r.cancel()
	if no := (refusal{}); errors.As(err, &no) {
		log.Warn("a run is refused", "why", no.Error())
		r.refused = oneLine(no.Error())
		return true
	}
	if w.runs[r.runID] == r {
		log.Debug("a run can't be prepared", "error", err)
		delete(w.runs, r.runID)
	}
	return false
}

// WorkerRun is a run that a worker plays.
type WorkerRun struct {
	Players, Rules  string // the first ones
	Done, Scheduled int64  // games of the run, by all workers; 0 until the coordinator has said
	Played          int64  // games of these by the worker,
	Joined          time.Time
}

// Runs returns the runs that the worker plays, in the order in which it joined them.
func (w *Worker) Runs() (list []WorkerRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.ready {
			r.shown.Played = r.games.Load()
			list = append(list, r.shown)
		}
	}
	slices.SortFunc(list, func(a, b WorkerRun) int { return a.Joined.Compare(b.Joined) })
	return list
}

// end drops a run of whose end it has been told, unless the server still has the consumer of its
// jobs.
func (w *Worker) end(r *subscription) {
	if _, err := w.js.Consumer(r.ctx, jobStream, r.Run); err == nil {
		return
	}
	// Meanwhile it may have been dropped, or begun again.
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[r.runID] != r {
		return
	}
	if r.ready {
		took := time.Since(r.shown.Joined).Round(100 * time.Millisecond)
		w.options.Log.Info("a run has ended",
			"run", r.Run, "pairs", r.pairs.Load(), "games", r.games.Load(), "time", took)
	}
	w.drop(r)
}

const forgetAfter = time.Hour // without a question a run is dropped

// drop removes a run. The caller holds the lock.
func (w *Worker) drop(r *subscription) {
	delete(w.runs, r.runID)
	r.cancel()
}

// refusal is the reason why a worker doesn't play a run. Other errors are temporary.
type refusal struct{ error }

// prepare reads the run's config and files, starts its agents, and finds its jobs on the server.
func (r *subscription) prepare(w *Worker) error {
	if err := w.checkVersion(r.Version); err != nil {
		return err
	}
	text, err := r.fetch(w.js, r.Config)
	if err != nil {
		return err
	}
	// The config is checked like any other input, and its files are fetched by their hashes.
	var c runConfig
	if err := strictjson.Unmarshal(text, maxFile, &c); err != nil {
		return refusal{fmt.Errorf("its config can't be read: %w", err)}
	}
	if err := w.checkVersion(c.Version); err != nil {
		return err
	}
	r.config, err = c.config()
	if err != nil {
		return refusal{err}
	}
	r.timeScale, err = c.timeScale(w.options.Speed)
	if err != nil {
		return refusal{err}
	}
	paths, err := r.fetchFiles(w, c.Files)
	if err != nil {
		return err
	}
	r.registry = w.options.Allow.registry(w.options.Registry, paths, r.timeScale)
	if err := r.config.Validate(r.registry); err != nil {
		return refusal{err}
	}

	// An agent that doesn't start here would lose its games.
	p := r.next()
	defer r.runners.Store(p, false)
	if err := p.Start(r.ctx); err != nil {
		isTemporary := r.ctx.Err() != nil || errors.As(err, new(*agents.HostFailure))
		if isTemporary {
			return err
		}
		return refusal{err}
	}
	if err := r.compareEngines(c.Engines); err != nil {
		return err
	}
	if r.otherBuild != "" {
		w.options.Log.Warn("an engine here is another build than the coordinator's",
			"run", r.Run, "engine", r.otherBuild)
	}
	r.jobs, err = w.js.Consumer(r.ctx, jobStream, r.Run)
	if err != nil {
		return err
	}
	r.lease = max(r.jobs.CachedInfo().Config.AckWait, minLease)
	return nil
}

// compareEngines compares the engines that have started with the coordinator's. Another build is
// noted in otherBuild, and another engine is refused.
func (r *subscription) compareEngines(first map[string]*agents.Program) error {
	for _, spec := range r.config.Agents {
		player := spec.Label()
		here, there := r.config.Engines[player], first[player]
		difference := here.Difference(there)
		if difference == "" {
			continue
		}
		if here.Name != there.Name {
			return refusal{fmt.Errorf("the engine of %.60q isn't the coordinator's: %s",
				player, difference)}
		}
		r.otherBuild = strings.TrimPrefix(r.otherBuild+"; "+player+": "+difference, "; ")
	}
	return nil
}

// checkVersion refuses runs of another version of the program.
func (w *Worker) checkVersion(of string) error {
	if of == w.options.Version {
		return nil
	}
	return refusal{fmt.Errorf("it is of version %.200q, this worker of %.60q",
		of, w.options.Version)}
}

// fetch reads a content of the run from the server by its hash.
func (r *subscription) fetch(js jetstream.JetStream, hash string) ([]byte, error) {
	if !isToken(hash) {
		return nil, refusal{fmt.Errorf("expected the hash of a content, found %.80q", hash)}
	}
	content, err := getObject(r.ctx, js, objectName(r.Run, hash), maxFile)
	if err != nil {
		return nil, err
	}
	if digest(content) != hash {
		return nil, fmt.Errorf("object %s: its content has another hash", hash)
	}
	return content, nil
}

// fetchFiles writes the files that the agents need, whose hashes are given by their names, into a
// new folder, and returns the path of each.
func (r *subscription) fetchFiles(
	w *Worker, hashes map[string]string,
) (map[string]string, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	folder, err := os.MkdirTemp(w.folder, r.Run+"-")
	if err != nil {
		return nil, err
	}
	r.folder = folder
	paths := map[string]string{}
	for name, hash := range hashes {
		content, err := r.fetch(w.js, hash)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder, hash)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
		paths[name] = path
	}
	return paths, nil
}

// play plays a pair with a runner that plays no other.
func (r *subscription) play(job tournament.Job) ([]*record.Record, error) {
	r.playing.RLock()
	defer r.playing.RUnlock()
	if err := r.ctx.Err(); err != nil {
		return nil, err // it may be closed
	}
	p := r.next()
	defer r.runners.Store(p, false)
	return p.Play(r.ctx, job, r.timeScale)
}

// next returns a runner that isn't busy, and marks it as busy.
func (r *subscription) next() *tournament.Runner {
	for p := range r.runners.Range {
		if r.runners.CompareAndSwap(p, false, true) {
			return p.(*tournament.Runner)
		}
	}
	p := tournament.NewRunner(&r.config, r.registry.New)
	r.runners.Store(p, true)
	return p
}

// the reason why a pair is not played any more
var errLost = errors.New("the worker was lost each time")

// countStart tells the coordinator that a pair is played alone, or returns [errLost] if that has
// come to nothing too often. Deliveries say less: they count those to a worker that was lost before
// it played the pair.
func (w *Worker) countStart(t *task) error {
	answer, err := w.nc.RequestMsg(w.message(t, startSubject), answerTime)
	if err == nil && string(answer.Data) == tooOften {
		return errLost
	}
	return nil // without an answer, too: the coordinator may be away for long
}

// close blocks until the pairs of a run that has ended are played, closes the agents and removes
// the files.
func (r *subscription) close() error {
	r.playing.Lock()
	defer r.playing.Unlock()
	var errs []error
	for p := range r.runners.Range { // none is busy
		errs = append(errs, p.(*tournament.Runner).Close())
	}
	if r.folder != "" {
		errs = append(errs, os.RemoveAll(r.folder))
	}
	return errors.Join(errs...)
}
