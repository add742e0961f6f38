package live

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/queue/status"
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
