package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/strictjson"
	"gyges/tournament"
	"gyges/tournament/queue/status"
)

// readStatus reads the file in a run's folder; ok: it is there.
func readStatus(t testing.TB, dir string) (s status.Run, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, status.FileName))
	if os.IsNotExist(err) {
		return s, false
	}
	require.NoError(t, err)
	require.NoError(t, strictjson.Unmarshal(text, maxText, &s), "never a part")
	return s, true
}

// The file says who works and what is queued while a run is played, a job that is handed out again
// among it; it stays at the end, leaves the records alone, and the next coordinator in the folder
// goes on with it.
func TestStatusFile(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	c := testConfig(t, 60, "random", "other") // long enough for workers to be asked while they play
	c.Rules = c.Rules[:1]
	want := local(t, c)
	p := testPool(t, nc, func(o *Options) { o.lease, o.window, o.statusEvery = minLease, 4, 20*time.Millisecond })
	c.Executor = p
	await := func(what string, is func(status.Run) bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			s, ok := readStatus(t, c.Out)
			return ok && is(s)
		}, time.Minute, 10*time.Millisecond, what)
	}
	left := c.Out + "/" + status.FileName + ".tmp-1"
	require.NoError(t, os.WriteFile(left, nil, 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := begun(ctx, c)

	await("nobody works", func(s status.Run) bool {
		return s.Queue != nil && *s.Queue == status.Queue{Waiting: 4} && s.Count == 0 && s.Workers != nil && s.Games == 0 &&
			!s.Ended
	})
	require.NoFileExists(t, left)
	// Somebody takes two jobs and is never heard of again, and then another does.
	found, err := readIdentity(c.Out)
	require.NoError(t, err)
	jobs, err := p.js.Consumer(ctx, jobStream, found.Run)
	require.NoError(t, err)
	take := func() {
		messages, err := jobs.FetchNoWait(2)
		require.NoError(t, err)
		for range messages.Messages() {
			continue
		}
	}
	take()
	await("two are played", func(s status.Run) bool {
		return s.Queue != nil &&
			*s.Queue == status.Queue{Waiting: 2, Playing: 2}
	})
	await("two are redelivered", func(s status.Run) bool {
		take()
		return s.Queue != nil && s.Queue.Redelivered >= 2
	})
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	stopped, ok := readStatus(t, c.Out)
	require.True(t, ok)
	require.True(t, stopped.Ended)
	require.Nil(t, stopped.Queue)

	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Name, o.Workers, o.Speed, o.Version = "b", 1, 0, "old" })
	done = begun(t.Context(), c)
	await("one refuses", func(s status.Run) bool {
		return s.Count == 1 && s.Workers[0].Name == "b" && s.Workers[0].Version == "old" &&
			s.Workers[0].State == status.Refuses && !s.Ended
	})
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Name, o.Workers, o.Speed = "a", 1, 1234 })
	require.NoError(t, <-done)
	ended, ok := readStatus(t, c.Out)
	require.True(t, ok)
	require.True(t, ended.Ended)
	require.Nil(t, ended.Queue)
	require.EqualValues(t, 120, ended.Games)
	require.Positive(t, ended.GamesPerSecond)
	require.Len(t, ended.Workers, 2)
	a, b := ended.Workers[0], ended.Workers[1]
	require.Equal(t, []any{"a", status.Finished, int64(60), 1234.0}, []any{a.Name, a.State, a.Pairs, a.Speed})
	require.Equal(t, []any{"b", status.Refuses, int64(0)}, []any{b.Name, b.State, b.Pairs})
	require.Positive(t, a.Cores)
	require.Equal(t, want, timeless(t, c.Out))
	text, err := os.ReadFile(filepath.Join(c.Out, status.FileName))
	require.NoError(t, err)
	require.NotContains(t, string(text), "127.0.0.1")
	require.NotContains(t, string(text), "nats:")
}

func readIdentity(dir string) (id identity, err error) {
	text, err := os.ReadFile(filepath.Join(dir, identityFile))
	if err == nil {
		err = json.Unmarshal(text, &id)
	}
	return id, err
}

// A run whose folder takes no such file goes on, and the log says so once.
func TestStatusFileThatCantBeWritten(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	c := testConfig(t, 2, "random", "other")
	require.NoError(t, os.MkdirAll(filepath.Join(c.Out, status.FileName, "full"), 0o755))
	var log logged
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.Log, o.statusEvery = log.log(), time.Millisecond })
	requireAsLocal(t, c)
	require.Equal(t, 1, strings.Count(log.String(), "the status of the run can't be written"))
	left, err := filepath.Glob(filepath.Join(c.Out, "*.tmp-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// What workers say is bounded, and those that are silent aren't listed.
func TestWorkersAreListed(t *testing.T) {
	now := time.Now()
	c := tournament.Config{Out: t.TempDir()}
	r := newTestRun(&c, func(string) {})
	for i, name := range []string{strings.Repeat("é", 60), "x" + strings.Repeat("é", 60), "late"} {
		r.answer(t, workerReport{Worker: status.Worker{ID: name, Name: name, Version: strings.Repeat("v", 1000)}},
			now.Add(-time.Duration(i)*goneAfter*2/3))
	}
	r.answer(t, workerReport{Worker: status.Worker{ID: "no", Name: "no"}, Refused: "secret"}, now)
	r.countWorkers(now)
	r.writeStatus(nil, status.Plays)
	s, ok := readStatus(t, c.Out)
	require.True(t, ok)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.NotContains(t, string(text), "secret")
	var names []string
	states := map[string]status.State{}
	for _, w := range s.Workers {
		require.LessOrEqual(t, len(w.Name), maxWord)
		require.LessOrEqual(t, len(w.Version), maxWord)
		require.True(t, utf8.ValidString(w.Name))
		names = append(names, w.Name)
		states[w.Name] = w.State
	}
	require.Equal(t, []string{"no", "x" + strings.Repeat("é", 49), strings.Repeat("é", 50)}, names)
	require.Equal(t, status.Refuses, states["no"])
	require.Equal(t, status.Plays, states[names[1]])
}

// The file of a run that has ended says who played how many of its pairs, also of a worker that has
// left or was never heard of but by its results, and whether the run was finished or stopped.
func TestWorkersOfAnEndedRun(t *testing.T) {
	for _, end := range []status.State{status.Finished, status.Stopped} {
		now := time.Now()
		c := tournament.Config{Out: t.TempDir()}
		r := newTestRun(&c, func(string) {})
		for id, last := range map[string]time.Time{"a": now, "b": now.Add(-goneAfter / 2), "c": now} {
			own := status.Worker{ID: id, Name: "host-" + id, Version: version, Cores: 4, Playing: 2, Pairs: 1000}
			r.answer(t, workerReport{Worker: own}, last)
		}
		for _, id := range []string{"a", "b", "a", "d"} {
			r.countPair(digest([]byte(id)), "host-"+id)
		}
		list := func() (text []string) {
			s, ok := readStatus(t, c.Out)
			require.True(t, ok)
			require.EqualValues(t, len(s.Workers), s.Count)
			for _, w := range s.Workers {
				text = append(text, fmt.Sprintf("%s %d %s of %d, plays %d", w.Name, w.Pairs, w.State, w.Cores, w.Playing))
			}
			return text
		}
		r.countWorkers(now.Add(goneAfter * 3 / 4))
		r.writeStatus(nil, status.Plays)
		require.Equal(t, []string{"host-a 2 plays of 4, plays 2", "host-b 1 left of 4, plays 2",
			"host-c 0 plays of 4, plays 2", "host-d 1 left of 0, plays 0"}, list())
		r.writeStatus(nil, end)
		require.Equal(t, []string{fmt.Sprintf("host-a 2 %s of 4, plays 0", end), "host-b 1 left of 4, plays 0",
			fmt.Sprintf("host-c 0 %s of 4, plays 0", end), "host-d 1 left of 0, plays 0"}, list())
	}
}

// A worker that was there before a run is known to the run from the first game on, however short
// the run is.
func TestWorkerReportsAsItJoins(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	startWorker(t, connect(t, s), nil)
	require.Eventually(t, func() bool { // it listens
		_, err := nc.Request("$SRV.PING."+serviceName, nil, time.Second)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	var lines []string
	c := testConfig(t, 10, "random", "greedy")
	c.Executor = testPool(t, nc, func(o *Options) { o.Notify = func(line string) { lines = append(lines, line) } })
	_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	require.Equal(t, "waiting for workers", lines[0])
	require.Contains(t, lines[1], "joined: 2 games at a time")
}

// Each worker that joins or leaves is reported in a line, and that there is none.
func TestWorkersAreReported(t *testing.T) {
	now := time.Now()
	var lines []string
	r := newTestRun(&tournament.Config{}, func(line string) { lines = append(lines, line) })
	says := func(want ...string) {
		t.Helper()
		require.Equal(t, want, lines)
		lines = nil
	}
	report := func(name string) workerReport {
		return workerReport{Worker: status.Worker{ID: name, Name: name, Version: version, Workers: 8}}
	}
	require.Zero(t, r.countWorkers(now))
	require.Zero(t, r.countWorkers(now))
	says("waiting for workers")
	r.answer(t, report("a"), now)
	r.answer(t, report("a"), now)
	r.answer(t, report("b\x1b"), now.Add(time.Second))
	old := report("old")
	old.Version = "0"
	r.answer(t, old, now)
	refusing := report("refusing")
	refusing.Refused = "why"
	r.answer(t, refusing, now)
	require.EqualValues(t, 16, r.countWorkers(now))
	says("worker a joined: 8 games at a time", `worker b\x1b joined: 8 games at a time`)
	require.EqualValues(t, 8, r.countWorkers(now.Add(goneAfter+time.Second)))
	says("worker a left: no answer for 15s")
	r.countWorkers(now.Add(2 * goneAfter))
	says(`worker b\x1b left: no answer for 15s`, "waiting for workers")
}
