package tournament

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// readGames returns the records of a run's folder.
func readGames(t *testing.T, dir string) []*record.Record {
	f, err := os.Open(filepath.Join(dir, GamesFile))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var games []*record.Record
	for g, err := range readAll(record.NewReader(f, GamesFile)) {
		require.NoError(t, err)
		games = append(games, g)
	}
	return games
}

// checksum is that of a record; tests remove it from those that they change.
var checksum = regexp.MustCompile(`,"crc32c":"[0-9a-f]{8}"`)

// timeless returns a run's records as bytes, without their timing.
func timeless(t *testing.T, dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, GamesFile))
	require.NoError(t, err)
	var b strings.Builder
	for _, line := range bytes.Split(text, []byte{'\n'}) {
		same, _, _ := bytes.Cut(line, []byte(`,"timing":`))
		b.Write(append(same, '\n'))
	}
	return b.String()
}

func readManifest(t *testing.T, dir string) *Manifest {
	m, err := ReadManifest(os.DirFS(dir))
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(dir, "*tmp*"))
	require.NoError(t, err)
	require.Empty(t, left)
	return m
}

func TestRun(t *testing.T) {
	c := testConfig(t, "random", "scored", "random:id=1")
	c.Out = filepath.Join(c.Out, "new", "folder")
	c.Limits.Depth = 5
	var seen []int64
	s, err := Run(t.Context(), c, testRegistry(nil), func(g *record.Record) { seen = append(seen, g.Game) })
	require.NoError(t, err)
	require.Equal(t, Finished, s.Status)
	require.EqualValues(t, []int64{36, 36, 0}, []int64{s.Scheduled, s.Played, s.Faults})

	games := readGames(t, c.Out)
	require.Len(t, games, 36)
	plan := newPlan(&c)
	for i, g := range games {
		require.EqualValues(t, i, g.Game)
		require.EqualValues(t, i, seen[i])
		requireSound(t, g)
		p := plan.job(int64(i) / 2)
		require.Equal(t, p.Pair, g.Pair)
		require.Equal(t, c.Rules[p.Rules].String(), g.Rules)
		require.Equal(t, c.Agents[p.Agents[i%2]].String(), g.South.Agent)
		require.Equal(t, c.Agents[p.Agents[1-i%2]].String(), g.North.Agent)
		require.Equal(t, games[i/2*2].Opening, g.Opening, "one opening for the pair")
		require.Equal(t, games[i/6*6].Opening, g.Opening, "and for all pairings of a round under one rule set")
	}
	require.NotEqual(t, games[0].Opening, games[18].Opening, "another one in the next round")

	m := readManifest(t, c.Out)
	require.Equal(t, Finished, m.Status)
	require.Equal(t, GameCounts{36, 36}, m.Games)
	require.Equal(t, record.Version, m.Schema)
	require.Equal(t, []string{"simplified", "kang:max_plies=30", "standard:max_plies=20"}, m.Config.RuleSets())
	require.Equal(t, []string{"random", "scored", "random:id=1"}, m.Config.Players())
	require.Equal(t, 5, m.Config.Limits.Depth)
	require.NotEmpty(t, m.Program.Go)
	require.Positive(t, m.Host.CPUs)
	require.True(t, m.End.After(m.Start))
}

// The same seed gives the same records, byte for byte but for the timing, for
// any number of workers; another seed gives others.
func TestRecordsDontDependOnWorkers(t *testing.T) {
	play := func(workers int, seed uint64) string {
		c := testConfig(t, "random", "scored", "panic:after=3", "illegal:after=1", "brokenstart")
		c.Pairs, c.Workers, c.Seed = 6, workers, seed
		if workers == 7 {
			c.StallTimeout = 0 // nor on a watchdog that has nothing to do
		}
		_, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.NoError(t, err)
		return timeless(t, c.Out)
	}
	want := play(1, 1)
	require.Equal(t, 10*3*6*2, strings.Count(want, `{"game":`))
	require.Equal(t, want, play(2, 1))
	require.Equal(t, want, play(7, 1))
	require.NotEqual(t, want, play(1, 2))
}

func TestFaultsStopNothing(t *testing.T) {
	var open atomic.Int64
	c := testConfig(t, "random", "leaky", "leaky:after=3", "error")
	s, err := Run(t.Context(), c, testRegistry(&open), nil)
	require.NoError(t, err)
	require.Equal(t, Finished, s.Status)
	require.Positive(t, s.Faults)
	games := readGames(t, c.Out)
	require.Len(t, games, int(c.Games()))
	var faults int64
	for _, g := range games {
		requireSound(t, g)
		if g.Fault != nil {
			faults++
		}
	}
	require.Equal(t, faults, s.Faults)
	require.Zero(t, open.Load(), "every agent was closed")
}

// stopAfter runs a config and cancels it after n recorded games.
func stopAfter(t *testing.T, c Config, n int64) (Summary, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return Run(ctx, c, testRegistry(nil), func(g *record.Record) {
		if n--; n == 0 {
			cancel()
		}
	})
}

// Of agents that wait for the end, nothing is recorded; what others finished is.
func TestInterruptWhileAgentsWait(t *testing.T) {
	c := testConfig(t, "random", "scored", "block")
	c.Rules, c.Workers, c.Pairs = []*rules.Rules{rules.MustParse("simplified")}, 3, 1
	s, err := stopAfter(t, c, 2) // the games of the first pairing; the other two block
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, Interrupted, s.Status)
	require.EqualValues(t, 2, s.Played)
}

// Neither a run that is cancelled at once, nor one that was killed before its manifest was written,
// is in the way.
func TestCancelledBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := testConfig(t, "random", "scored")
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, ManifestFile+".tmp-1234567890"), []byte("{"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, GamesFile), nil, 0o600))
	s, err := Run(ctx, c, testRegistry(nil), nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, Interrupted, s.Status)
	require.Zero(t, s.Played)
	require.Empty(t, readGames(t, s.Out))
	require.Equal(t, Interrupted, readManifest(t, s.Out).Status)
}

func TestRunRefuses(t *testing.T) {
	c := testConfig(t, "random")
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "agents: expected 2 to 1000 agents, found 1")
	left, err := os.ReadDir(c.Out)
	require.NoError(t, err)
	require.Empty(t, left, "nothing was written")

	c = testConfig(t, "random", "scored")
	c.Out = ""
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.EqualError(t, err, "expected a folder for the records, found none")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c.Out = filepath.Join(file, "run")
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "not a directory")
}

var errFull = errors.New("disk full")

func TestGoexitStopsTheRun(t *testing.T) {
	c := testConfig(t, "random", "goexit:after=1")
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "runtime.Goexit")
	require.Equal(t, Failed, s.Status)
}

// An agent that can't be closed is reported, and stops no game.
func TestCloseErrors(t *testing.T) {
	var made atomic.Int64
	c := testConfig(t, "random", "unclosable")
	s, err := Run(t.Context(), c, testRegistry(&made), nil)
	require.ErrorContains(t, err, `closing agent "unclosable": out of ideas`)
	require.Equal(t, s.Scheduled, s.Played)
	require.Len(t, readGames(t, c.Out), int(s.Scheduled))
}

// However slow one pair is, no more than a window of others waits for it.
func TestWindowBoundsWhatWaits(t *testing.T) {
	size := localExecutor{workers: 2}.Window()
	jobs, slots := make(chan Job), make(chan struct{}, size)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	c := testConfig(t, "random", "scored")
	c.Pairs = 1_000_000
	go func() {
		defer close(done)
		_ = (&collector{plan: newPlan(&c), store: &store{}, suspend: newSuspensions(0, 2)}).dispatch(ctx, 0, jobs, slots, nil)
	}()
	for i := range int64(size) {
		require.Equal(t, i, (<-jobs).Pair)
	}
	select {
	case i := <-jobs:
		require.Fail(t, "handed out", i)
	default:
	}
	<-slots
	require.EqualValues(t, size, (<-jobs).Pair)
	cancel()
	<-done
}

// lacking is an agent whose host runs out of something in its third game.
type lacking struct {
	picker
	games *int
}

var errLack = &agents.HostFailure{Err: errors.New("too many open files")}

func (a *lacking) NewGame(ctx context.Context, s agents.Setup) error {
	if *a.games++; *a.games == 3 {
		return errLack
	}
	return a.picker.NewGame(ctx, s)
}

// What the host lacks is no agent's fault: the run stops, records no game for it, and plays it when
// it goes on.
func TestHostFailureStopsTheRun(t *testing.T) {
	games := 0
	registry := agents.NewRegistry(
		agents.Kind{Name: "random", New: func(agents.Config) (agents.Agent, error) { return &picker{}, nil }},
		agents.Kind{Name: "lacking", New: func(agents.Config) (agents.Agent, error) { return &lacking{games: &games}, nil }},
	)
	c := testConfig(t, "random", "lacking")
	c.Rules = []*rules.Rules{rules.MustParse("simplified")}
	c.Workers = 1
	s, err := Run(t.Context(), c, registry, nil)
	require.ErrorIs(t, err, errLack)
	require.ErrorContains(t, err, `game 2 is dropped, agent "lacking": too many open files; the 2 games in `)
	require.Equal(t, Failed, s.Status)
	require.Zero(t, s.Faults)
	s, err = Run(t.Context(), c, registry, func(g *record.Record) { require.Nil(t, g.Fault) })
	require.NoError(t, err)
	require.EqualValues(t, []int64{4, 2}, []int64{s.Played, s.Kept})
}
