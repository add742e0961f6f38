package tournament

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/tournament/record"
)

// Games behind a gap are put in their places and not played again.
func TestGamesBehindAGapAreKept(t *testing.T) {
	c, want := resumed(t)
	path := filepath.Join(c.Out, GamesFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(checksum.ReplaceAll(text, nil), []byte{'\n'})
	mark := []byte(`"seconds":123.5`)
	for _, i := range []int{8, 9, 11} {
		at := bytes.LastIndex(lines[i], []byte(`"seconds":`))
		end := at
		for lines[i][end] != ',' && lines[i][end] != '}' {
			end++
		}
		lines[i] = append(append(append([]byte{}, lines[i][:at]...), mark...), lines[i][end:]...)
	}
	gap := bytes.Join([][]byte{lines[0], lines[1], lines[2], lines[8], lines[9], lines[11]}, nil)
	require.NoError(t, os.WriteFile(path, gap, 0o644))

	// Killed as soon as the gap had been dealt with.
	plan := newPlan(&c)
	st, err := openStore(plan, newManifest(Running, c.inputs(nil), time.Now()), func(*record.Record) {})
	require.NoError(t, err)
	require.NoError(t, st.begin(plan))
	require.NoError(t, errors.Join(st.writer.Close(), st.lock.Close()))
	require.EqualValues(t, 3, st.kept)
	require.FileExists(t, filepath.Join(c.Out, aheadFile))
	// Killed before the gap was closed.
	require.NoError(t, os.WriteFile(path, gap, 0o644))

	requireResumes(t, c, want)

	text, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 3, bytes.Count(text, mark))
}

// However many games are behind a gap, few of them are in memory at a time: the heap in use,
// measured after garbage collections while the run goes on, grows by less than a fifth of what the
// records have in the file. While it is measured the run hands out what its window has room for,
// 144 games at most; the least of four measurements in a row has a quarter of their garbage at
// most.
func TestGamesBehindAGapStayOnDisk(t *testing.T) {
	c := testConfig(t, "random", "scored")
	c.Rules, c.Pairs = []*rules.Rules{rules.MustParse("simplified")}, 200
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	want := timeless(t, c.Out)
	games := readGames(t, c.Out)
	require.Len(t, games, 400)
	path := filepath.Join(c.Out, GamesFile)
	f, err := os.Create(path)
	require.NoError(t, err)
	w := record.Append(f, 0, 0)
	for i, g := range games {
		g.Timing.Trace = []string{strings.Repeat("x", 40_000)}
		if g.Game != 3 {
			require.NoError(t, w.Write(g))
		}
		games[i] = nil
	}
	require.NoError(t, w.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)

	heap := func() int64 {
		var least uint64 = math.MaxInt64
		for range 4 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least = min(least, m.HeapAlloc)
		}
		return int64(least)
	}
	before, most, n := heap(), int64(0), 0
	s, err := Run(t.Context(), c, testRegistry(nil), func(*record.Record) {
		if n++; n%50 == 0 {
			most = max(most, heap()-before)
		}
	})
	require.NoError(t, err)
	require.EqualValues(t, 399, s.Kept)
	require.Equal(t, 400, n)
	t.Logf("%d bytes more in use, for %d bytes of records", most, info.Size())
	require.Less(t, most, info.Size()/5)
	require.Equal(t, want, timeless(t, c.Out))
}

// Records that are cut in place, or replaced, while the run goes on end it. The same run goes on
// from those left.
func TestChangedRecords(t *testing.T) {
	c, want := resumed(t)
	path := filepath.Join(c.Out, GamesFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(text, []byte{'\n'})
	half := bytes.Join(lines[:len(lines)/2], nil)
	for name, change := range map[string]struct {
		do      func() error
		message string
	}{
		"cut between games": {func() error { return os.Truncate(path, int64(len(lines[0])+len(lines[1]))) }, "was changed"},
		"cut in a game":     {func() error { return os.Truncate(path, int64(len(lines[0])+9)) }, "was changed"},
		"emptied":           {func() error { return os.Truncate(path, 0) }, "was changed"},
		"longer": {func() error { return os.WriteFile(path, append(bytes.Clone(half), lines[0]...), 0o644) },
			"was changed"},
		"replaced": {func() error { return files.Replace(path, lines[0]) }, "was removed or replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, half, 0o644))
			n := 0
			s, err := Run(t.Context(), c, testRegistry(nil), func(*record.Record) {
				if n++; n == len(lines)/2+1 {
					require.NoError(t, change.do())
				}
			})
			require.ErrorIs(t, err, errChanged)
			require.ErrorContains(t, err, change.message)
			require.Equal(t, Failed, s.Status)
			if name == "replaced" { // what was written is kept
				kept, err := os.ReadFile(path + ".kept")
				require.NoError(t, err)
				require.Greater(t, bytes.Count(kept, []byte{'\n'}), len(lines)/2)
			}
			if name != "longer" { // the same game twice
				requireResumes(t, c, want)
			}
		})
	}
}

// A disk that is full for a while stops the run, and loses nothing.
func TestResumeAfterAFullDisk(t *testing.T) {
	c, want := resumed(t)
	c.Out = t.TempDir()
	path := filepath.Join(c.Out, GamesFile)
	full, err := prepare(c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.NoError(t, full.open(t.Context()))
	require.NoError(t, full.writer.Close())
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	full.writer = record.NewWriter(&smallFile{f, 30_000})
	s, err := full.finish(t.Context(), full.play(t.Context()))
	require.ErrorIs(t, err, errFull)
	require.NoError(t, errors.Join(f.Close(), full.store.lock.Close()))
	require.Regexp(t, fmt.Sprintf("disk full; the %d games in %s(| and ahead.jsonl) are safe$", s.Played, path), err.Error())
	require.Positive(t, s.Played)
	require.EqualValues(t, s.Played, numberOfLines(t, path))
	m := readManifest(t, c.Out)
	require.Equal(t, []Status{Failed, Failed}, []Status{s.Status, m.Status})
	require.Equal(t, err.Error(), m.Error)
	requireResumes(t, c, want)
}

// smallFile is a file that takes a number of bytes and then fails.
type smallFile struct {
	*os.File
	room int
}

func (d *smallFile) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	n, err := d.File.Write(p[:n])
	if err == nil && n < len(p) {
		err = errFull
	}
	return n, err
}

// Records that are removed while the run goes on are there again when it ends, which it does at
// once.
func TestRemovedRecords(t *testing.T) {
	c, want := resumed(t)
	c.Out = filepath.Join(t.TempDir(), "run")
	n := 0
	s, err := Run(t.Context(), c, testRegistry(nil), func(*record.Record) {
		if n++; n == 5 {
			require.NoError(t, os.RemoveAll(c.Out))
		}
	})
	require.ErrorIs(t, err, errChanged)
	require.Equal(t, Failed, s.Status)
	require.Len(t, readGames(t, c.Out), int(s.Played))
	require.Positive(t, s.Played)
	requireResumes(t, c, want)
}
