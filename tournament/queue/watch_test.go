package queue

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/strictjson"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

// heldRun is a run whose games last until the gate lets them end.
type heldRun struct {
	tournament.Config
	gate
}

// newHeldRun returns a run whose games stop after some plies.
func newHeldRun(t testing.TB, nc *nats.Conn, pairs, plies int, other string) *heldRun {
	r := &heldRun{Config: testConfig(t, pairs, "held", other)}
	r.Rules = r.Rules[:1]
	r.south.Store(int64(plies))
	r.north.Store(int64(plies))
	r.Executor = testPool(t, nc, func(o *Options) {
		o.Registry, o.statusEvery, o.goneAfter = r.registry(), 50*time.Millisecond, time.Second
	})
	return r
}

func (r *heldRun) registry() *agents.Registry { return testRegistry(r.kind()) }

// begin begins the run, which ends with the test at the latest.
func (r *heldRun) begin(t testing.TB) (done <-chan error) {
	ended := make(chan error, 1)
	go func() {
		_, err := tournament.Run(t.Context(), r.Config, r.registry(), nil)
		ended <- err
	}()
	t.Cleanup(r.open)
	return ended
}

// worker starts one that knows the run's agents.
func (r *heldRun) worker(t testing.TB, nc *nats.Conn, games int) (stop func()) {
	return startWorker(t, nc, func(o *WorkerOptions) { o.Registry, o.Workers = r.registry(), games })
}

// awaitPlaying waits until a run's games under way are as wanted; nil: there is no file.
func awaitPlaying(t testing.TB, dir, what string, is func(*tournament.Playing) bool) (p *tournament.Playing) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		p, err = tournament.ReadPlaying(os.DirFS(dir))
		return is(p) && (err == nil || os.IsNotExist(err))
	}, time.Minute, 50*time.Millisecond, what)
	return p
}

func isGone(p *tournament.Playing) bool { return p == nil }

// The games that a worker plays are in the run's file, move by move; those of a worker that stops
// are taken off, and another one shows them. The run's end removes the file. The worker itself
// knows what it plays, and how many of the run's games are played.
func TestGamesOfWorkersAreShown(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	r := newHeldRun(t, connect(t, s), 2, 2, "other")
	stop := r.worker(t, connect(t, s), 1)
	done := r.begin(t)
	has := func(game int64, moves int) func(*tournament.Playing) bool {
		return func(p *tournament.Playing) bool {
			return p != nil && p.Count == 1 && p.Games[0].Game == game && len(p.Games[0].Moves) == moves
		}
	}
	first := awaitPlaying(t, r.Out, "a game", has(0, 2)).Games[0]
	require.Empty(t, first.Result)
	require.Equal(t, "held", first.South.Agent)
	require.Less(t, time.Since(first.Timing.Start), time.Minute)
	r.south.Store(4)
	later := awaitPlaying(t, r.Out, "its next moves", has(0, 4)).Games[0]
	require.Equal(t, first.Moves, later.Moves[:2])
	stop()
	awaitPlaying(t, r.Out, "nobody plays", isGone)
	w, err := NewWorker(connect(t, s), WorkerOptions{Version: version, Workers: 1, Registry: r.registry()})
	require.NoError(t, err)
	require.Empty(t, w.Runs())
	runWorker(t, w)
	awaitPlaying(t, r.Out, "another one plays it", has(0, 4))
	run := w.Runs()[0]
	require.Equal(t, []any{"held, other", r.Rules[0].String(), int64(4)}, []any{run.Players, run.Rules, run.Scheduled})
	require.False(t, run.Joined.IsZero())
	r.south.Store(math.MaxInt64) // in the second game that agent is North
	awaitPlaying(t, r.Out, "the second game", has(1, 3))
	r.open()
	require.NoError(t, <-done)
	require.Eventually(t, func() bool { return len(w.Runs()) == 0 }, time.Minute, time.Millisecond, "the run has ended")
	require.NoFileExists(t, filepath.Join(r.Out, tournament.PlayingFile))
	require.Equal(t, local(t, r.Config, r.kind()), timeless(t, r.Out))
}

// Each of two runs that share a worker shows its own games, and has the records of a local one.
func TestGamesOfTwoRunsAreShown(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	var runs []*heldRun
	for i := range 2 {
		r := newHeldRun(t, connect(t, s), 1, 2, fmt.Sprint("other:name=run", i))
		done := r.begin(t)
		runs = append(runs, r)
		defer func() {
			require.NoError(t, <-done)
			require.Equal(t, local(t, r.Config, runs[0].kind()), timeless(t, r.Out))
		}()
	}
	runs[0].worker(t, connect(t, s), 2)
	defer runs[0].open()
	for i, r := range runs {
		p := awaitPlaying(t, r.Out, "a game", func(p *tournament.Playing) bool { return p != nil && p.Count == 1 })
		require.Len(t, p.Games, 1)
		require.Equal(t, fmt.Sprint("other:name=run", i), p.Games[0].North.Agent)
	}
}

// watchedGames returns what an answer may hold: the beginnings of games of the first pairs.
func watchedGames(
	t testing.TB, c *tournament.Config, pairs int,
) (jobs map[int64]tournament.Job, games []*record.Record) {
	r := tournament.NewRunner(c, testRegistry().New)
	defer func() { require.NoError(t, r.Close()) }()
	jobs = map[int64]tournament.Job{}
	for pair := range int64(pairs) {
		jobs[pair] = tournament.Job{Pair: pair, Round: pair, Agents: [2]int{0, 1}, Wanted: [2]bool{true, true}}
		played, err := r.Play(t.Context(), jobs[pair], 1)
		require.NoError(t, err)
		games = append(games, played...)
	}
	for i, g := range games {
		games[i] = beginning(g, 3)
	}
	return jobs, games
}

func beginning(g *record.Record, moves int) *record.Record {
	part := *g
	part.Moves, part.Plies, part.Result, part.Reason = g.Moves[:moves], moves, "", ""
	part.Timing.MoveMS = g.Timing.MoveMS[:moves]
	return &part
}

func playingText(t testing.TB, games ...*record.Record) []byte {
	text, err := json.Marshal(tournament.Playing{Games: games, Count: len(games)})
	require.NoError(t, err)
	return text
}

// newTestRun returns a run in whose workers' answers a test is interested.
func newTestRun(c *tournament.Config, notify func(string)) *run {
	p := &Coordinator{
		options: Options{Version: version, Notify: notify, Log: discard(), goneAfter: goneAfter},
		workers: map[string]*workerEntry{}, owners: map[string]string{}, unread: maxGames,
	}
	r := &run{Coordinator: p, config: c, log: discard(), pending: map[int64]*pendingJob{},
		played: map[string]status.Worker{}, shown: tournament.Shown{Config: c}}
	if len(c.Agents) > 0 {
		r.checker = tournament.NewRunner(c, nil)
	}
	return r
}

// answer handles a worker's answer, whose secret is the id in it.
func (r *run) answer(t testing.TB, report workerReport, at time.Time) {
	report.Secret = report.ID
	text, err := json.Marshal(report)
	require.NoError(t, err)
	r.updateWorker(text, at)
}

// Of an answer nothing is shown unless all of it is legal and short; games of other pairs and of
// silent workers aren't.
func TestAnswersAreChecked(t *testing.T) {
	t.Parallel()
	c := testConfig(t, 1, "random", "other")
	c.Rules = []*rules.Rules{rules.MustParse("standard")}
	jobs, games := watchedGames(t, &c, 3)
	now := time.Now()
	r := newTestRun(&c, func(string) {})
	shown := func(at time.Time) (numbers []int64) {
		for _, g := range r.showGames(at).Games {
			numbers = append(numbers, g.Game)
		}
		slices.Sort(numbers)
		return numbers
	}
	receive := func(text []byte) { r.answer(t, workerReport{Worker: status.Worker{ID: "w"}, Playing: text}, now) }
	ask := func(pairs ...int64) {
		clear(r.workers)
		clear(r.pending)
		for _, pair := range pairs {
			r.pending[pair] = &pendingJob{job: jobs[pair]}
		}
		r.unread = maxGames
	}
	receive(playingText(t, games...))
	require.Empty(t, shown(now), "nobody has asked")
	ask(0, 1)
	r.onWorkers = 7
	receive(playingText(t, games...))
	require.Equal(t, []int64{0, 1, 2, 3}, shown(now))
	require.Equal(t, 7, r.showGames(now).Count)
	require.Len(t, shown(now.Add(gamesFresh)), 4)
	require.Empty(t, shown(now.Add(gamesFresh+1)))
	delete(r.pending, 0)
	r.onWorkers = 0
	require.Equal(t, []int64{2, 3}, shown(now), "a pair has ended")
	require.Equal(t, 2, r.showGames(now).Count)

	bad := func(change func(*record.Record)) []byte {
		g := beginning(games[0], 3)
		g.Moves = slices.Clone(g.Moves)
		change(g)
		return playingText(t, games[2], g)
	}
	for name, text := range map[string][]byte{
		"noise":        []byte(`"{"`),
		"no game":      []byte(`{"games":[null]}`),
		"unknown key":  []byte(`{"games":[],"other":1}`),
		"many games":   playingText(t, slices.Repeat(games[:1], 17)...),
		"illegal move": bad(func(g *record.Record) { g.Moves[2] = g.Moves[0] }),
		"another game": bad(func(g *record.Record) { g.Game = 4 }),
		"another seed": bad(func(g *record.Record) { g.South.Seed++ }),
		"players":      bad(func(g *record.Record) { g.South, g.North = g.North, g.South }),
		"rules":        bad(func(g *record.Record) { g.Rules = "simplified" }),
		"opening":      bad(func(g *record.Record) { g.Opening = "x" }),
		"scores":       bad(func(g *record.Record) { g.Scores = make([]record.Score, 999) }),
		"result":       bad(func(g *record.Record) { g.Result, g.Reason = "1-0", "goal" }),
	} {
		ask(0, 1)
		receive(text)
		require.Empty(t, shown(now), name)
	}
	partial := jobs[0]
	partial.Wanted[0] = false
	ask()
	r.pending[0] = &pendingJob{job: partial}
	receive(playingText(t, games[0]))
	require.Empty(t, shown(now), "the game is recorded already")

	ask(0, 1)
	r.unread = 10
	receive(playingText(t, games[2]))
	require.Empty(t, shown(now), "too much was sent before")
	ask(0, 1)
	receive(playingText(t, games[2]))
	require.Equal(t, []int64{2}, shown(now), "it is read after the next question")
}

// A worker answers a bounded number of questions a second, with games of the pairs asked for.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	r := newHeldRun(t, nc, 8, 2, "other")
	r.worker(t, connect(t, s), 8)
	done := r.begin(t)
	defer func() { r.open(); require.NoError(t, <-done) }()
	awaitPlaying(t, r.Out, "games", func(p *tournament.Playing) bool { return p != nil && len(p.Games) == 8 })
	id, err := readIdentity(r.Out)
	require.NoError(t, err)
	inbox := nc.NewInbox()
	answers, err := nc.SubscribeSync(inbox)
	require.NoError(t, err)
	question := fmt.Appendf(nil, `{"run":%q,"config":%q,"version":%q,"below":3}`, id.Run, id.Config, version)
	begin := time.Now()
	for range 5 * maxAnswersPerSecond {
		require.NoError(t, nc.PublishRequest(runSubject, inbox, question))
	}
	number := 0
	for wait := time.Minute; ; wait = time.Second { // the first may be late on a busy machine
		m, err := answers.NextMsg(wait)
		if err != nil {
			require.ErrorIs(t, err, nats.ErrTimeout)
			break
		}
		number++
		var report workerReport
		require.NoError(t, strictjson.Unmarshal(m.Data, maxText, &report))
		p, err := tournament.ParsePlaying(report.Playing)
		require.NoError(t, err)
		require.Equal(t, []int64{0, 1, 2}, []int64{p.Games[0].Pair, p.Games[1].Pair, p.Games[2].Pair})
		require.Len(t, p.Games, 3)
	}
	require.Positive(t, number)
	require.LessOrEqual(t, float64(number), maxAnswersPerSecond*(1+time.Since(begin).Seconds()))
}

// The permissions in the manual suffice for a worker: it plays, with a file of the coordinator's,
// and its games under way are shown.
func TestUserWithFewerRights(t *testing.T) {
	as := manualServer(t)
	var log logged
	denied := nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.log().Warn("NATS", "error", err) })
	player := as("player", denied)
	questions, err := player.SubscribeSync(runSubject)
	require.NoError(t, err)
	r := newHeldRun(t, player, 1, 2, "alphabeta:depth=1,weights="+weightsFile(t))
	stop := startWorker(t, as("worker", denied), func(o *WorkerOptions) { o.Log, o.Registry = log.log(), r.registry() })
	defer stop()
	done := r.begin(t)
	awaitPlaying(t, r.Out, "a game", func(p *tournament.Playing) bool { return p != nil && p.Count == 1 })
	r.open()
	require.NoError(t, <-done)
	require.NotContains(t, strings.ToLower(log.String()), "permission")

	// The server lets the worker answer once to each subject, so a late answer needs one that isn't
	// used again.
	replies := map[string]bool{}
	number, _, err := questions.Pending()
	require.NoError(t, err)
	require.Greater(t, number, 1)
	for range number {
		m, err := questions.NextMsg(time.Minute)
		require.NoError(t, err)
		require.False(t, replies[m.Reply], m.Reply)
		replies[m.Reply] = true
	}
}
