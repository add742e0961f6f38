package tournament

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/tournament/record"
)

// Estimate is the mean of some games of a run.
type Estimate struct {
	Games   int64         // finished
	Workers int           // that played at a time
	PerGame time.Duration // mean of a game
	Bytes   int64         // mean of a record
}

// Duration is how long a number of games would take.
func (e Estimate) Duration(games int64) time.Duration {
	return time.Duration(float64(games) / float64(max(e.Workers, 1)) * float64(e.PerGame))
}

// EstimateRun plays games drawn from all over the schedule, or from the first stage
// where the later ones depend on results, without recording them. No game is
// begun after the given time. It is an error if none ends in ten times that: long enough for most, and no longer than
// a person waits for an estimate.
func EstimateRun(
	ctx context.Context, config Config, registry *agents.Registry, wanted time.Duration,
) (Estimate, error) {
	if err := config.Validate(registry); err != nil {
		return Estimate{}, err
	}
	config.Workers = cmp.Or(config.Workers, min(runtime.GOMAXPROCS(0), maxWorkers))
	first := NewRunner(&config, registry.New)
	if err := first.Start(ctx); err != nil {
		return Estimate{}, errors.Join(err, first.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, 10*wanted)
	defer cancel()
	s, end := newSchedule(&config), time.Now().Add(wanted)
	var pairs, games, bytes, took atomic.Int64
	group, groupCtx := errgroup.WithContext(ctx)
	for _, r := range first.runners(config.Workers) {
		group.Go(func() (err error) {
			defer func() { err = errors.Join(err, r.Close()) }()
			for err == nil && time.Now().Before(end) && pairs.Add(1) <= s.end(0) {
				var list []*record.Game
				list, err = r.Play(groupCtx, s.job(rand.Int64N(s.end(0))), 1) //nolint:gosec // no secret
				for _, g := range list {
					line, errLine := record.Lines(g)
					err = errors.Join(err, errLine)
					took.Add(int64(g.Timing.Seconds * float64(time.Second)))
					bytes.Add(int64(len(line)))
					games.Add(1)
				}
			}
			return err
		})
	}
	err := group.Wait()
	n := games.Load()
	if n == 0 {
		return Estimate{}, err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // some games ended
	}
	return Estimate{n, config.Workers, time.Duration(took.Load() / n), bytes.Load() / n}, err
}
