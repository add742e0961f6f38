package main

import (
	"context"
	"time"
)

const (
	roundShare = 20                    // a round takes about this part of the time for a measurement,
	longRound  = 10 * time.Millisecond // but no longer: a short round is more likely to go undisturbed
	fewRounds  = 3                     // rounds of a measurement, however little time there is
)

// bench measures, each measurement for so long.
type bench struct {
	time    time.Duration
	workers int
	now     func() time.Time
}

// timing is the best of several rounds.
type timing struct {
	passes int           // in a round
	time   time.Duration // of the best round, at least 1 ns
	rounds int           // that were timed, the warm-up not counted
}

// best times rounds of work and keeps the shortest: what disturbs a machine only
// ever makes work longer. First the rounds double until they are long enough to
// be timed; that is the warm-up, too.
func (b *bench) best(ctx context.Context, work func(passes int)) (timing, error) {
	began := b.now()
	t := timing{passes: 1}
	for b.round(work, t.passes) < min(b.time/roundShare, longRound) {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		t.passes *= 2
	}
	for t.rounds < fewRounds || b.now().Sub(began) < b.time {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		took := max(b.round(work, t.passes), 1)
		if t.rounds == 0 || took < t.time {
			t.time = took
		}
		t.rounds++
	}
	return t, ctx.Err()
}

// round times one round.
func (b *bench) round(work func(passes int), passes int) time.Duration {
	t := b.now()
	work(passes)
	return b.now().Sub(t)
}
