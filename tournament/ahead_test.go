package tournament

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// oneSlowGame returns a registry whose agent "slow" doesn't answer in the first game that one of
// them plays until release is closed.
func oneSlowGame(release <-chan struct{}) *agents.Registry {
	var taken atomic.Bool
	return withKind(agents.Kind{Name: "slow", New: func(agents.Config) (agents.Agent, error) {
		return &slowOnce{picker{Scored: true}, &taken, release}, nil
	}})
}

type slowOnce struct {
	picker
	taken   *atomic.Bool
	release <-chan struct{}
}

func (a *slowOnce) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if a.taken.CompareAndSwap(false, true) {
		select {
		case <-a.release:
		case <-ctx.Done():
			return agents.Decision{}, ctx.Err()
		}
	}
	return a.picker.Choose(ctx, g, q)
}

// One slow game stops no other one, however many are played, and each is on the disk while it goes
// on: what a program that is killed then leaves, with a part of a line in either file, is the run
// without this game. Who reads the records finds the others, and the manifest counts them.
func TestOneSlowGame(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "slow")
	c.Rules, c.Pairs, c.StallTimeout = []*rules.Rules{rules.MustParse("simplified")}, 300, time.Hour
	release := make(chan struct{})
	finished, killed := make(chan int64, 1000), t.TempDir()
	c.OnFinished = func(games int64) { finished <- games }
	var recorded atomic.Int64
	done := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), c, oneSlowGame(release), func(*record.Record) { recorded.Add(1) })
		done <- err
	}()
	for n := range int64(598) { // all but the pair of the slow game
		require.Equal(t, n+1, <-finished)
	}
	var m *Manifest
	require.Eventually(t, func() (ok bool) {
		var err error
		m, err = ReadManifest(os.DirFS(c.Out)) // a temporary file may stand beside it
		return err == nil && m.Games.Played == 598
	}, time.Minute, time.Second/10)
	require.Equal(t, Running, m.Status)
	require.LessOrEqual(t, recorded.Load(), int64(2))
	require.Equal(t, 598, numberOfLines(t, filepath.Join(c.Out, GamesFile)))
	require.NoError(t, os.CopyFS(killed, os.DirFS(c.Out)))
	close(release)
	require.NoError(t, <-done)
	require.NoFileExists(t, filepath.Join(c.Out, aheadFile))
	want := timeless(t, c.Out)

	for _, name := range []string{GamesFile, aheadFile} {
		f, err := os.OpenFile(filepath.Join(killed, name), os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		_, err = f.WriteString(`{"game":7,"pair":3,"ru`)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	require.Equal(t, 599, numberOfLines(t, filepath.Join(killed, GamesFile)), "the last one is cut short")
	c.Out, c.OnFinished = killed, nil
	began := int64(0)
	c.OnBegin = func(kept int64, _ func(int64) bool) {
		began = kept
		require.EqualValues(t, 598, readManifest(t, killed).Games.Played, "as soon as the run goes on")
	}
	s, err := Run(t.Context(), c, oneSlowGame(release), nil)
	require.NoError(t, err)
	require.EqualValues(t, []int64{598, 598, 600}, []int64{began, s.Kept, s.Played})
	require.Equal(t, want, timeless(t, c.Out))
	require.NoFileExists(t, filepath.Join(c.Out, aheadFile))
}

// numberOfLines returns the number of lines that OpenGames reads, the last of which may be cut
// short.
func numberOfLines(t *testing.T, path string) int {
	f, err := OpenGames(path)
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return len(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
}

// Readers find each game once while games move from one file to the other.
func TestOpenGames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ games, ahead, want string }{
		{`{"game":0,"a":1}|{"game":1,"a":1}|`, `{"game":1,"a":1}|{"game":3,"a":1}|{"game":2,"a":1}|`,
			`{"game":0,"a":1}|{"game":1,"a":1}|{"game":3,"a":1}|{"game":2,"a":1}|`},
		{``, `{"game":3,"a":1}|`, `{"game":3,"a":1}|`},
		{`{"game":0,"a":1}|{"game":1,`, `{"game":2,"a":1}|{"game":3,`, `{"game":0,"a":1}|{"game":2,"a":1}|{"game":1,`},
		{`{"game":0,"a":1}|{"game":5,"a":1}|`, `{"game":5,"a":1}|{"game":6,"a":1}|`,
			`{"game":0,"a":1}|{"game":5,"a":1}|{"game":6,"a":1}|`},
		{`{"game":0,"a":1}|`, `{}|x|{"game":99999999999999999999,"a":1}|`, `{"game":0,"a":1}|`},
		{`x|`, ``, `x|`},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{GamesFile: c.games, aheadFile: c.ahead} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "|", "\n")), 0o644))
		}
		f, err := OpenGames(filepath.Join(dir, GamesFile))
		require.NoError(t, err)
		text, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Equal(t, c.want, strings.ReplaceAll(string(text), "\n", "|"))
	}
	_, err := OpenGames(filepath.Join(t.TempDir(), GamesFile))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The file of games that wait is written anew when most of its lines are of games that wait no
// longer, and has the others.
func TestAheadFileIsWrittenAnew(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "scored")
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	games := readGames(t, c.Out)
	a := ahead{dir: t.TempDir(), games: map[int64]waitingGame{}}
	for _, g := range games[3:5] {
		g.Timing.Trace = []string{strings.Repeat("x", maxStale*2/3)}
	}
	for _, g := range games[1:] {
		require.NoError(t, a.write(g))
	}
	a.games[0] = waitingGame{missing: true}
	require.NoError(t, a.flush())
	a.forget(3)
	a.forget(4)
	require.NoError(t, a.flush())
	info, err := os.Stat(a.path())
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(maxStale))
	require.NoError(t, a.write(games[3]))
	require.NoError(t, a.write(games[4]))
	require.NoError(t, a.flush())
	for _, g := range games[1:] {
		found, err := a.read(g.Game)
		require.NoError(t, err)
		require.Equal(t, g, found.Record)
	}
	require.NoError(t, a.remove())
}

// Records whose folder is removed are there again also if the next game has to wait, for which
// there is no file yet.
func TestRemovedFolderOfAGameThatWaits(t *testing.T) {
	c := testConfig(t, "random", "scored")
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	games := readGames(t, c.Out)
	c.Out = filepath.Join(t.TempDir(), "run")
	plan := newPlan(&c)
	st, err := openStore(plan, newManifest(Running, c.inputs(nil), time.Now()), func(*record.Record) {})
	require.NoError(t, err)
	require.NoError(t, st.begin(plan))
	collector := &collector{plan: plan, store: st, writer: st.writer, suspend: newSuspensions(0, 2)}
	collector.came = games[:2]
	collector.place()
	require.NoError(t, collector.err)
	require.NoError(t, os.RemoveAll(c.Out))
	collector.came = games[5:6]
	collector.place()
	require.ErrorIs(t, collector.err, errChanged)
	require.Equal(t, 2, numberOfLines(t, filepath.Join(c.Out, GamesFile)))
	require.NoError(t, st.lock.Close())
}
