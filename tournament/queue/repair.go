package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// repairEvery is how often a coordinator looks for what is lost on the server, and
// how long no pair must have come back before it looks for lost jobs.
const repairEvery = time.Minute

// answerTime bounds how long the server may take for an answer.
const answerTime = 5 * time.Second

// repair makes anew what the server no longer has of the run, because it was
// purged, has expired or was on a disk that is gone, until ctx ends.
func (r *run) repair(ctx context.Context) {
	tick := time.NewTicker(r.coordinator.repairEvery)
	defer tick.Stop()
	var before int64
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		r.mu.Lock()
		pairs := r.pairs
		r.mu.Unlock()
		err := r.restore(ctx, pairs == before)
		if err != nil && ctx.Err() == nil {
			r.log.Debug("looking for what is lost on the server", "error", err)
		}
		before = pairs
	}
}

// restore makes streams, objects and consumer anew if they are lost, and publishes
// lost jobs again if it is asked to look for them.
func (r *run) restore(ctx context.Context, jobs bool) error {
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	if _, err := setUp(ctx, r.coordinator.js, r.coordinator.options.Replicas); err != nil {
		return err
	}
	if err := r.provide(ctx); err != nil || !jobs {
		return err
	}
	lost, err := r.lost(ctx)
	if err != nil || len(lost) == 0 {
		return err
	}
	r.log.Warn("jobs are lost on the server; they are published again", "pairs", len(lost))
	for _, w := range lost {
		r.send(ctx, w)
	}
	return nil
}

// provide stores what the run's jobs have in common, and makes the consumer that
// workers take them from, where the server lacks them.
func (r *run) provide(ctx context.Context) error {
	for _, content := range r.contents {
		name := objectName(r.id.Run, digest(content))
		_, err := r.coordinator.objects.GetInfo(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			_, err = r.coordinator.objects.PutBytes(ctx, name, content)
		}
		if err != nil {
			return fmt.Errorf("NATS object store: %w", err)
		}
	}
	_, err := r.coordinator.js.CreateOrUpdateConsumer(ctx, jobStream, jetstream.ConsumerConfig{
		Durable: r.id.Run, FilterSubject: jobsOf(r.id.Run) + ".*", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: r.coordinator.options.Lease, MaxDeliver: never, MaxAckPending: never, MaxWaiting: maxPulls, InactiveThreshold: keepMessages,
	})
	if err != nil {
		return fmt.Errorf("NATS consumer: %w", err)
	}
	return nil
}

// lost returns the pairs whose jobs the server had, and of which it has neither the
// job nor the result now. They are marked as not published.
func (r *run) lost(ctx context.Context) ([]*pendingJob, error) {
	published := map[*pendingJob]int{}
	r.mu.Lock()
	for _, w := range r.pending {
		if w.published {
			published[w] = w.sends
		}
	}
	r.mu.Unlock()
	// The jobs first: a worker's result is stored before its job is removed.
	stored := map[int64]bool{}
	for _, at := range [][2]string{{jobStream, jobsOf(r.id.Run)}, {resultStream, resultsOf(r.id.Run)}} {
		pairs, err := r.coordinator.pairsOn(ctx, at[0], at[1])
		if err != nil {
			return nil, err
		}
		for _, pair := range pairs {
			stored[pair] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var lost []*pendingJob
	for w, sends := range published {
		if r.pending[w.job.Pair] == w && !w.busy && w.published && w.sends == sends && !stored[w.job.Pair] {
			w.published = false
			lost = append(lost, w)
		}
	}
	return lost, nil
}

// pairsOn returns the pairs that a stream has messages of, below a subject.
func (p *Coordinator) pairsOn(ctx context.Context, stream, subject string) ([]int64, error) {
	s, err := p.js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("NATS stream %s: %w", stream, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject+".*"))
	if err != nil {
		return nil, fmt.Errorf("NATS stream %s: %w", stream, err)
	}
	var pairs []int64
	for subject := range info.State.Subjects {
		if pair, err := pairOf(subject); err == nil {
			pairs = append(pairs, pair)
		}
	}
	return pairs, nil
}

// count returns how many messages a stream has with a subject.
func (p *Coordinator) count(ctx context.Context, stream, subject string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	s, err := p.js.Stream(ctx, stream)
	if err != nil {
		return 0, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return 0, err
	}
	return info.State.Subjects[subject], nil
}
