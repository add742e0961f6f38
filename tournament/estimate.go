package tournament

import (
	"context"
	"errors"
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

// estimateFactor is how many times the wanted time the last games may take.
const estimateFactor = 10

// Duration is how long so many games would take.
func (e Estimate) Duration(games int64) time.Duration {
	return time.Duration(float64(games) / float64(max(e.Workers, 1)) * float64(e.PerGame))
}

// EstimateRun plays games from all over the schedule, or from the first stage
// where the later ones depend on results, without recording them. No game is
// begun after the given time. It is an error if none ends in ten times that.
func EstimateRun(
	ctx context.Context, config Config, registry *agents.Registry, wanted time.Duration,
) (Estimate, error) {
	if err := config.Validate(registry); err != nil {
		return Estimate{}, err
	}
	if config.Workers == 0 {
		config.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	ctx, cancel := context.WithTimeout(ctx, estimateFactor*wanted)
	defer cancel()
	s := newSchedule(&config)
	end := time.Now().Add(wanted)
	var next, games, bytes, took atomic.Int64
	group, groupCtx := errgroup.WithContext(ctx)
	for range config.Workers {
		group.Go(func() (err error) {
			r := NewRunner(&config, registry.New)
			defer func() { err = errors.Join(err, r.Close()) }()
			for time.Now().Before(end) {
				job, ok := s.scattered(next.Add(1) - 1)
				if !ok {
					return nil
				}
				list, err := r.Play(groupCtx, job, 1)
				for _, g := range list {
					took.Add(int64(g.Timing.Seconds * float64(time.Second)))
				}
				lines, linesErr := record.Lines(list...)
				games.Add(int64(len(list)))
				bytes.Add(int64(len(lines)))
				if err := errors.Join(err, linesErr); err != nil {
					return err
				}
			}
			return nil
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
	return Estimate{Games: n, Workers: config.Workers, PerGame: time.Duration(took.Load() / n),
		Bytes: bytes.Load() / n}, err
}

// scattered returns the k-th pair of the first stage in an order in which the
// first few are spread evenly over all.
func (s *schedule) scattered(k int64) (Job, bool) {
	n := s.end(0)
	if k >= n {
		return Job{}, false
	}
	step := int64(float64(n)*0.618) | 1
	for gcd(step, n) != 1 {
		step += 2
	}
	return s.job(k % n * (step % n) % n), true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
