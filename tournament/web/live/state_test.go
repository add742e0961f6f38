package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/ratings/sprt"
	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/queue/status"
	"gyges/tournament/training"
)

// writeTimed makes the folder of a run in progress with some games of which the last ended now, one each half second,
// and with a manifest that change changes, written at its start.
func writeTimed(t *testing.T, dir string, games int64, now time.Time, change func(*tournament.Manifest)) {
	t.Helper()
	text := ""
	for i := range games {
		g := drawGame("standard", i, string("ab"[i%2]), string("ba"[i%2]))
		g.Timing.Start, g.Timing.Seconds = now.Add(time.Duration(i-games)*time.Second/2), 0.5
		text += lines(g)
	}
	writeRun(t, dir, "running", text)
	m := tournament.Manifest{
		Schema: 1, Status: tournament.Running, Start: now.Add(-time.Hour), Games: tournament.GameCounts{Scheduled: 100},
		Host: tournament.Host{OS: "plan9", Arch: "mips", CPUs: 3},
	}
	m.Config = runtest.Config(`{"agents": ["a", "b"], "rules": ["standard"], "workers": 2}`)
	change(&m)
	manifest, err := json.Marshal(&m)
	require.NoError(t, err)
	file := filepath.Join(dir, tournament.ManifestFile)
	require.NoError(t, os.WriteFile(file, manifest, 0o644))
}

// The page has a bar and, of a run in progress alone, the speed and the time left.
func TestState(t *testing.T) {
	t.Parallel()
	test, err := sprt.Parse("elo0=0,elo1=200")
	require.NoError(t, err)
	now := time.Now()
	for name, c := range map[string]struct {
		change func(*tournament.Manifest)
		of     int64
		text   string
	}{
		"running": {func(*tournament.Manifest) {}, 100, "40 of 100 games · 2 games/s · 30s left"},
		"resumed": {func(m *tournament.Manifest) { m.Resumed = now }, 100, "40 of 100 games"},
		"stopped": {func(m *tournament.Manifest) { m.Status = tournament.Interrupted }, 100, "40 of 100 games"},
		"finished": {func(m *tournament.Manifest) {
			m.Status, m.Games.Played, m.Config.SPRT = tournament.Finished, 40, test
		}, 40, "40 of at most 100 games"},
		"test": {func(m *tournament.Manifest) { m.Config.SPRT = test }, 100, "40 of at most 100 games · 2 games/s · unknown time left"},
		"error": {func(m *tournament.Manifest) {
			m.Config.UntilError, m.Games.Scheduled = 1000, 1000
		}, 1000, "40 of at most 1,000 games · 2 games/s · 30s left"},
	} {
		s := newTestServer(t)
		writeTimed(t, filepath.Join(s.results, "run"), 40, now, c.change)
		r := s.run("run")
		page := string(r.feed.now(0).page.State)
		state := r.state(nil, now)
		require.Equal(t, c.text, state.Text, name)
		require.Contains(t, page, fmt.Sprintf(`<progress max="%d" value="40"`, c.of), name)
		require.Contains(t, page, `<p class="progress">40 of `, name)
		require.Contains(t, page, "on plan9/mips, 3 cores, 2 games at a time", name)
		require.Equal(t, strings.Contains(c.text, "100 games") && strings.Contains(c.text, "most"),
			strings.Contains(page, `aria-label="Test of elo`), name)
		require.Contains(t, s.get("/run/run").Body.String(), `<progress max="`, name)
		if name == "running" { // and with its lock gone, as of a process that was killed, it has no speed
			games := filepath.Join(s.results, "run", tournament.GamesFile)
			text, err := os.ReadFile(games)
			require.NoError(t, err)
			require.NoError(t, os.Remove(games))
			require.NoError(t, os.WriteFile(games, text, 0o644))
			require.Contains(t, r.feed.now(0).page.State, `<p class="progress">40 of 100 games</p>`)
		}
	}
}

// A run on workers is as fast as its coordinator says, while that is at work.
func TestStateOnWorkers(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "run")
	now := time.Now()
	writeTimed(t, dir, 40, now, func(*tournament.Manifest) {})
	r := s.run("run")
	r.feed.now(0)
	w := &status.Run{Time: now, GamesPerSecond: 30, Workers: []status.Worker{
		{Name: "a", Workers: 8, State: status.Plays}, {Name: "b", Workers: 4, State: status.Plays},
		{Name: "c", Workers: 1, State: status.Refuses},
	}}
	require.Equal(t, state{"40 of 100 games · 30 games/s · 2s left", 40, 100, "on a, b, 12 games at a time", nil, ""}, r.state(w, now))
	w.Time = now.Add(-time.Minute)
	require.Equal(t, state{"40 of 100 games · 2 games/s · 30s left", 40, 100, "", nil, ""}, r.state(w, now))
}

func TestPerSecond(t *testing.T) {
	t.Parallel()
	now := time.Now()
	require.Zero(t, perSecond(nil, time.Time{}, now))
	var ends []time.Time
	for i := range 100 {
		ends = append(ends, now.Add(-time.Duration(i)*time.Second/4))
	}
	require.InDelta(t, 4, perSecond(ends, time.Time{}, now), 1e-9)
	require.InDelta(t, 4, perSecond(ends, now.Add(-10*time.Second), now), 1e-9)
	require.Less(t, perSecond(ends, time.Time{}, now.Add(time.Hour)), 0.1, "no game has ended for an hour")
	require.Zero(t, perSecond(ends, now.Add(time.Second), now.Add(time.Hour)), "none of this session")
	ends = append(ends, now.Add(time.Hour), time.Time{}) // by another clock, and unknown
	require.InDelta(t, 4, perSecond(ends, now.Add(-10*time.Second), now), 1e-9)
	require.NotZero(t, perSecond([]time.Time{now, now}, time.Time{}, now))
}

// The page of a training says how it stands and what its matches decided. It has no
// viewer, and names no command that would refuse the folder.
func TestTrainingPage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	writeTraining(t, filepath.Join(s.results, "training"))
	require.Regexp(t, `(?s)/run/training">.*badge interrupted">interrupted<.*>training<.*>standard<.*>alphabeta<`,
		s.get("/").Body.String())
	page := s.get("/run/training").Body.String()
	for _, want := range []string{
		"interrupted; the same command with --out resumes it", "generation 1: rejected", "<td>1234</td>",
		"Log-likelihood ratio of each generation", "gyges report " + filepath.ToSlash(s.results) + "/training",
	} {
		require.Contains(t, page, want)
	}
	for _, not := range []string{"gyges rate", "gyges match", `id="viewer"`, "There are none yet"} {
		require.NotContains(t, page, not)
	}
}

// The page of a training in progress follows its stage, with the games or the losses of that and the time used.
func TestTrainingStage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "training")
	writeTraining(t, dir)
	manifest := filepath.Join(dir, training.ManifestFile)
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, bytes.Replace(text, []byte("interrupted"), []byte("running"), 1), 0o644))
	history, err := os.OpenFile(filepath.Join(dir, training.HistoryFile), os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, history.Close()) }()
	require.NoError(t, files.Lock(history))
	state := func(p training.Progress) string {
		progress, err := json.Marshal(p)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, training.ProgressFile), progress, 0o644))
		return string(s.run("training").feed.now(0).page.State)
	}
	selfPlay := training.Progress{
		Generation: 2, Generations: 5, Stage: "selfplay", Done: 340, All: 2000, Unit: "games", Positions: 7311, Seconds: 90,
		Budget: 3600,
	}
	shown := state(selfPlay)
	require.Contains(t, shown, "Generation 2 of at most 5, selfplay: 340 of 2,000 games, 7,311 positions · 1.5 of 60.0 minutes")
	require.Contains(t, shown, `<progress max="2000" value="340"`)
	require.NotContains(t, shown, "The games of this stage")
	match := training.Progress{Generation: 1, Stage: "match", Unit: "games"}
	require.Contains(t, state(match), `<a href="/run/training/gen-001/match">The games of this stage</a>`)
	tune := training.Progress{Generation: 2, Stage: "tune", Unit: "iterations, training loss 0.61<b>", Done: 7}
	require.Contains(t, state(tune), "tune: 7 iterations, training loss 0.61&lt;b&gt;")
	require.Contains(t, state(training.Progress{Unit: "games"}), "Rating of the generations adopted: 0 games")
}
