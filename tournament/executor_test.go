package tournament

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// shufflingPool plays batches of jobs backwards, leaves out those of park, and counts what was
// written.
type shufflingPool struct {
	window    int
	park      map[int64]bool
	timeScale float64
	played    []int64
	written   int // changed by the collector, read when the run is over
}

func (p *shufflingPool) Window() int { return p.window }

func (p *shufflingPool) Play(ctx context.Context, c *Config, jobs <-chan Job, outcomes chan<- Result) error {
	player := NewRunner(c, testRegistry(nil).New)
	defer func() { _ = player.Close() }()
	timeScale := max(p.timeScale, 1)
	var batch []Job
	play := func() {
		for i := len(batch) - 1; i >= 0; i-- {
			o := Result{Job: batch[i]}
			o.Written = func() { p.written++ }
			p.played = append(p.played, o.Pair)
			if p.park[o.Pair] {
				o.Err = errTest
			} else {
				o.Games, _ = player.Play(ctx, batch[i], timeScale)
			}
			outcomes <- o
		}
		batch = nil
	}
	for {
		select {
		case job, ok := <-jobs:
			if !ok {
				play()
				return nil
			}
			if batch = append(batch, job); len(batch) == p.window {
				play()
			}
		case <-time.After(10 * time.Millisecond): // a stage is over
			play()
		case <-ctx.Done():
			return nil
		}
	}
}

// A pool of another sort gives the same records, in all formats, also when it goes on with a run
// that was stopped.
func TestPoolsGiveTheSameRecords(t *testing.T) {
	t.Parallel()
	for _, f := range []schedule.Name{schedule.RoundRobin, "swiss"} {
		c := formatConfig(t, f, 5)
		c.Pairs = 30 // more than are ever under way, so that the stop comes before the end
		_, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.NoError(t, err)
		want := timeless(t, c.Out)

		c.Out = t.TempDir()
		_, _ = stopAfter(t, c, 3)
		pool := &shufflingPool{window: 3}
		c.Executor = pool
		s, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.NoError(t, err)
		require.Equal(t, Finished, s.Status)
		require.Equal(t, want, timeless(t, c.Out))
		require.GreaterOrEqual(t, pool.written, len(pool.played), "every outcome is acknowledged")
		require.NotEmpty(t, pool.played)
	}
}

// A pair that can't be played is left out, reported at the end, and played when the run goes on.
func TestDeadLetteredPairs(t *testing.T) {
	c := testConfig(t, "random", "scored", "random:id=1")
	c.Pairs = 5
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	want := timeless(t, c.Out)

	c.Out = t.TempDir()
	pool := &shufflingPool{window: 4, park: map[int64]bool{2: true, 20: true}}
	c.Executor = pool
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorIs(t, err, errTest)
	require.ErrorContains(t, err, "2 pairs could not be played: pair 2: ")
	require.Equal(t, Failed, s.Status)
	require.Len(t, s.DeadLettered, 2)
	require.Equal(t, s.Scheduled-4, s.Played)
	require.Equal(t, 45, pool.written)

	pool.park, pool.played = nil, nil
	s, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, Finished, s.Status)
	require.ElementsMatch(t, []int64{2, 20}, pool.played, "no other one")
	require.Equal(t, want, timeless(t, c.Out))
}

// Where later pairs depend on one that can't be played, the run stops; so it does when nothing can
// be played.
func TestDeadLetteredPairsThatStopTheRun(t *testing.T) {
	park := map[int64]bool{1: true}
	swiss := formatConfig(t, "swiss", 5)
	swiss.Executor = &shufflingPool{window: 2, park: park}
	match := testConfig(t, "random", "scored")
	match.Pairs, match.Executor = 500, &shufflingPool{window: 2, park: park}
	match.SPRT = sprt.Test{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic}
	hopeless := testConfig(t, "random", "scored")
	hopeless.Pairs = 500
	all := map[int64]bool{}
	for i := range int64(1500) {
		all[i] = true
	}
	hopeless.Executor = &shufflingPool{window: 2, park: all}
	for _, c := range []Config{swiss, match, hopeless} {
		s, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.ErrorIs(t, err, errTest)
		require.Equal(t, Failed, s.Status)
		require.Less(t, len(c.Executor.(*shufflingPool).played), 120)
	}
}

// The time scale stretches the times that are kept, and not those that are recorded.
func TestTimeScale(t *testing.T) {
	c := testConfig(t, "random", "scored")
	c.Pairs, c.Limits.MoveTime, c.Clock = 1, 100*time.Millisecond, game.Clock{Moves: 200, Base: time.Minute}
	var most agents.Limits
	p := NewRunner(&c, func(agents.Spec, ...*rules.Rules) (agents.Agent, error) { return &limitsSeen{most: &most}, nil })
	games, err := p.Play(t.Context(), newPlan(&c).job(0), 3)
	require.NoError(t, err)
	require.Len(t, games, 2)
	require.Equal(t, record.Limits{MoveTime: "100ms", Clock: "200/1m0s+0s"}, games[0].Limits)
	require.Equal(t, 300*time.Millisecond, most.MoveTime)
	require.Equal(t, 3*time.Minute, most.Clock.Left)
	require.Equal(t, 200, most.Clock.MovesToGo)
}

// limitsSeen notes the longest times that it is given.
type limitsSeen struct {
	picker
	most *agents.Limits
}

func (a *limitsSeen) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	lim := q.Limits
	a.most.MoveTime, a.most.Clock.Left = max(a.most.MoveTime, lim.MoveTime), max(a.most.Clock.Left, lim.Clock.Left)
	a.most.Clock.MovesToGo = max(a.most.Clock.MovesToGo, lim.Clock.MovesToGo)
	return a.picker.Choose(ctx, g, q)
}

func TestPlayerRefuses(t *testing.T) {
	c := testConfig(t, "random", "scored")
	p := NewRunner(&c, testRegistry(nil).New)
	good := newPlan(&c).job(3)
	games, err := p.Play(t.Context(), good, 1)
	require.NoError(t, err)
	require.NoError(t, p.Check(good, games))
	for _, change := range []func(*Job){
		func(j *Job) { j.Pair = -1 }, func(j *Job) { j.Round = -1 << 62 },
		func(j *Job) { j.Rules = -1 }, func(j *Job) { j.Rules = 3 },
		func(j *Job) { j.Agents[0] = 1 << 40 }, func(j *Job) { j.Agents[1] = 2 }, func(j *Job) { j.Agents[1] = -1 },
	} {
		bad := good
		change(&bad)
		_, err := p.Play(t.Context(), bad, 1)
		require.Error(t, err)
		require.Error(t, p.Check(bad, games))
	}
	require.ErrorContains(t, p.Check(good, games[:1]), "expected games [6 7], found games [6]")
	require.ErrorContains(t, p.Check(good, append(games, games[0])), "found games [6 7 6]")
	require.ErrorContains(t, p.Check(good, games[1:]), "expected games [6 7], found games [7]")
	changed := *games[1]
	changed.South.Seed++
	require.ErrorContains(t, p.Check(good, []*record.Record{games[0], &changed}), "game 7: seed of south: expected ")

	broken := NewRunner(&c, func(agents.Spec, ...*rules.Rules) (agents.Agent, error) { return nil, errTest })
	_, err = broken.Play(t.Context(), good, 1)
	require.ErrorIs(t, err, errTest)
}
