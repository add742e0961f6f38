package tournament

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// resumed returns a config for a run to be stopped, and the records it is to end with.
func resumed(t *testing.T) (c Config, want string) {
	c = testConfig(t, "random", "scored", "panic:after=3", "illegal:after=1")
	c.Workers = 3
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	return c, timeless(t, c.Out)
}

// requireResumes runs a config again and compares what is in its folder then, and the games that it
// reported.
func requireResumes(t *testing.T, c Config, want string) {
	t.Helper()
	var reported []int64
	s, err := Run(t.Context(), c, testRegistry(nil), func(g *record.Record) { reported = append(reported, g.Game) })
	require.NoError(t, err)
	require.Equal(t, Finished, s.Status)
	require.Equal(t, s.Scheduled, s.Played)
	require.Equal(t, want, timeless(t, c.Out))
	for i, g := range reported {
		require.EqualValues(t, i, g, "each game is reported once")
	}
	require.Len(t, reported, int(s.Scheduled))
	require.NoFileExists(t, filepath.Join(c.Out, aheadFile))
}

// However many bytes of the file were written when the program was killed, the
// resumed run ends like an uninterrupted one. A second kill comes on top.
func TestResumeAfterACutAnywhere(t *testing.T) {
	t.Parallel()
	c, want := resumed(t)
	whole, err := os.ReadFile(filepath.Join(c.Out, GamesFile))
	require.NoError(t, err)
	about, err := os.ReadFile(filepath.Join(c.Out, ManifestFile))
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	cuts := []int{0, 1, len(whole) - 1, len(whole), bytes.IndexByte(whole, '\n'), bytes.IndexByte(whole, '\n') + 1}
	for range 16 {
		cuts = append(cuts, rng.IntN(len(whole)))
	}
	for _, cut := range cuts {
		c.Out, c.Workers = t.TempDir(), 1+rng.IntN(4)
		require.NoError(t, os.WriteFile(filepath.Join(c.Out, ManifestFile), about, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(c.Out, GamesFile), whole[:cut], 0o644))
		requireResumes(t, c, want)
	}
	require.NoError(t, os.Remove(filepath.Join(c.Out, GamesFile))) // nothing but the manifest was written
	requireResumes(t, c, want)
	requireResumes(t, c, want) // finished already
}

// A run that is stopped gently, again and again, loses none of the games that wait for an earlier
// one.
func TestResumeAfterInterrupts(t *testing.T) {
	t.Parallel()
	c, want := resumed(t)
	c.Out = t.TempDir()
	kept := int64(0)
	for n := int64(1); ; n++ {
		s, err := stopAfter(t, c, kept+n)
		require.GreaterOrEqual(t, s.Played, kept, "%v", err)
		kept = s.Kept
		if err == nil {
			break
		}
		require.Equal(t, Interrupted, s.Status)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, filepath.Join(c.Out, GamesFile))
		require.Less(t, s.Played, s.Scheduled)
		games := readGames(t, c.Out)
		require.Len(t, games, int(s.Played), "the file is whole")
		for i, g := range games {
			requireSound(t, g)
			require.True(t, i == 0 || games[i-1].Game < g.Game, "in order")
		}
		m := readManifest(t, c.Out)
		require.Equal(t, []any{Interrupted, GameCounts{s.Scheduled, s.Played}, ""}, []any{m.Status, m.Games, m.Error})
	}
	require.Equal(t, want, timeless(t, c.Out))
	requireResumes(t, c, want)
}

func TestResumeRefuses(t *testing.T) {
	c, want := resumed(t)
	manifest, err := os.ReadFile(filepath.Join(c.Out, ManifestFile))
	require.NoError(t, err)
	refuse := func(message string, change func(*Config)) {
		t.Helper()
		other := c
		change(&other)
		s, err := Run(t.Context(), other, testRegistry(nil), nil)
		require.ErrorContains(t, err, message)
		require.Equal(t, Running, s.Status)
		require.Equal(t, want, timeless(t, c.Out), "nothing was touched")
	}
	refuse("holds a run of another configuration; seed was \"1\", now \"2\"", func(c *Config) { c.Seed = 2 })
	refuse("pairs was 2, now 3", func(c *Config) { c.Pairs = 3 })
	more := c
	more.Pairs = 3
	_, err = Run(t.Context(), more, testRegistry(nil), nil)
	require.ErrorAs(t, err, new(*ExtendError))
	more.Seed = 2
	_, err = Run(t.Context(), more, testRegistry(nil), nil)
	require.False(t, errors.As(err, new(*ExtendError)), "the seed differs, too")
	refuse("pairs was 2, now 1", func(c *Config) { c.Pairs, c.Extend = 1, true })
	refuse("agents was", func(c *Config) { c.Agents = c.Agents[1:] })

	plan := newPlan(&c)
	st, err := openStore(plan, newManifest(Running, c.inputs(nil), time.Now()), func(*record.Record) {})
	require.NoError(t, err)
	require.NoError(t, st.begin(plan))
	refuse("another process is at work here", func(*Config) {})
	require.NoError(t, errors.Join(st.writer.Close(), st.lock.Close()))

	require.NoError(t, os.Remove(filepath.Join(c.Out, ManifestFile)))
	refuse("holds records (games.jsonl) but no manifest.json", func(*Config) {})
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, ManifestFile), manifest[:len(manifest)/2], 0o644))
	refuse("manifest.json can't be read", func(*Config) {})
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, ManifestFile), manifest, 0o644))

	path := filepath.Join(c.Out, GamesFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for i, bad := range [][]byte{
		append([]byte("{}\n"), text...),
		append(append([]byte{}, text[:bytes.IndexByte(text, '\n')+1]...), text...),
		bytes.Replace(checksum.ReplaceAll(text, nil), []byte(`"agent":"random"`), []byte(`"agent":"rendom"`), 1),
	} {
		require.NoError(t, os.WriteFile(path, bad, 0o644))
		_, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.ErrorContains(t, err, "expected", strconv.Itoa(i))
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, bad, now)
	}
}

// A run that another version of the program began is logged, and that version is in the manifest.
func TestResumeByAnotherVersion(t *testing.T) {
	c, want := resumed(t)
	m := readManifest(t, c.Out)
	require.Empty(t, m.Earlier)
	id := m.ID
	require.Len(t, id, 26)
	m.Program.Revision = "0123456789abcdef"
	require.NoError(t, m.save(c.Out))
	var log bytes.Buffer
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	requireResumes(t, c, want)
	require.Contains(t, log.String(), "another version of the program")
	require.Contains(t, log.String(), "0123456789ab")
	log.Reset()
	requireResumes(t, c, want)
	require.NotContains(t, log.String(), "another version")
	m = readManifest(t, c.Out)
	require.Len(t, m.Earlier, 1)
	require.Equal(t, id, m.ID, "the same run")
	require.Equal(t, "0123456789abcdef", m.Earlier[0].Revision)

	// A folder that is refused is refused without a warning.
	m.Program.Revision = "fedcba9876543210"
	require.NoError(t, m.save(c.Out))
	other := c
	other.Seed = 2
	_, err := Run(t.Context(), other, testRegistry(nil), nil)
	require.ErrorContains(t, err, "seed was")
	require.NotContains(t, log.String(), "another version")
	// Its openings may differ, the rest of its games may not.
	games := readGames(t, c.Out)
	rewrite := func(change func(*record.Record)) {
		changed := *games[3]
		change(&changed)
		text, err := record.Lines(slices.Concat(games[:3], []*record.Record{&changed}, games[4:])...)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(c.Out, GamesFile), text, 0o644))
	}
	rewrite(func(g *record.Record) { g.South.Seed++ })
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "games.jsonl:4: game 3: seed of south: expected ")
	require.ErrorContains(t, err, "; without this line its games are played again")
	require.NotContains(t, log.String(), "another version")
}

// A resumed run takes no game of its folder that its schedule, its settings and the moves don't
// show, whatever its checksum. Without the line the game is played again.
func TestResumeVerifies(t *testing.T) {
	c, want := resumed(t)
	games := readGames(t, c.Out)
	i := slices.IndexFunc(games, func(g *record.Record) bool { return g.Reason == "goal" && g.Result == "1-0" })
	for message, change := range map[string]func(*record.Record){
		"expected 1-0 by goal, found 0-1 by goal":       func(g *record.Record) { g.Result = "0-1" },
		"expected 1-0 by goal, found 1/2-1/2 by length": func(g *record.Record) { g.Result, g.Reason = "1/2-1/2", "length" },
		"opening: expected " + games[i].Opening: func(g *record.Record) { // that of another pair
			head := *g
			*g = *games[slices.IndexFunc(games, func(other *record.Record) bool {
				return other.Rules == head.Rules && other.Opening != head.Opening && other.Fault == nil
			})]
			g.Game, g.Pair, g.Rules, g.South, g.North = head.Game, head.Pair, head.Rules, head.South, head.North
		},
		"expected an ending of the run's own, found an imported game": func(g *record.Record) {
			*g = record.Record{
				Game: g.Game, Pair: g.Pair, Rules: g.Rules, Opening: g.Opening, Policy: g.Policy, South: g.South,
				North: g.North, Limits: g.Limits, Moves: g.Moves[:2], Result: "1-0", Reason: record.Imported, Plies: 2,
			}
		},
	} {
		changed := *games[i]
		change(&changed)
		text, err := record.Lines(slices.Concat(games[:i], []*record.Record{&changed}, games[i+1:])...)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(c.Out, GamesFile), text, 0o644))
		_, err = Run(t.Context(), c, testRegistry(nil), nil)
		require.ErrorContains(t, err, fmt.Sprintf("games.jsonl:%d: game %d: ", i+1, i))
		require.ErrorContains(t, err, message)
		now, err := os.ReadFile(filepath.Join(c.Out, GamesFile))
		require.NoError(t, err)
		require.Equal(t, text, now, "nothing was touched")
	}
	text, err := record.Lines(slices.Concat(games[:i], games[i+1:])...)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, GamesFile), text, 0o644))
	requireResumes(t, c, want)
}
