package tournament

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

func TestImport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	one := func(w *record.Writer, m *Manifest) error {
		m.Config.Name, m.ID, m.Players = "Wien", "4f2a", 24
		return w.Write(&record.Record{Result: "1-0", Reason: record.Imported})
	}
	failing := func(w *record.Writer, m *Manifest) error {
		return errors.Join(one(w, m), errors.New("no more"))
	}
	require.EqualError(t, Import(dir, "x.pgn", failing), "no more")
	require.NoDirExists(t, dir)

	require.NoError(t, Import(dir, "x.pgn", one))
	m, err := ReadManifest(os.DirFS(dir))
	require.NoError(t, err)
	require.Equal(t, []string{"Wien", "4f2a"}, []string{m.Config.Name, m.ID})
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	require.NoError(t, err)
	require.Contains(t, string(text), `"status": "imported",`)
	require.Contains(t, string(text), `"from": "x.pgn",`)
	require.Contains(t, string(text), `"players": 24,`)
	require.Contains(t, string(text), `"played": 1`)
	games, err := os.ReadFile(filepath.Join(dir, GamesFile))
	require.NoError(t, err)

	// What is there stays.
	c := testConfig(t, "random", "scored")
	c.Out = dir
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "holds imported games; expected a new folder or that of a run")
	require.ErrorContains(t, Import(dir, "x.pgn", failing), "holds a run already (manifest.json)")
	require.NoError(t, os.Remove(filepath.Join(dir, ManifestFile)))
	require.ErrorContains(t, Import(dir, "x.pgn", failing), "holds a run already (games.jsonl)")
	after, err := os.ReadFile(filepath.Join(dir, GamesFile))
	require.NoError(t, err)
	require.Equal(t, games, after)

	full := t.TempDir()
	require.EqualError(t, Import(full, "x.pgn", failing), "no more")
	require.DirExists(t, full)
	require.Error(t, Import("", "x.pgn", one))
}

// What an import has written so far can't be taken for a run, and a new import replaces it once its
// process has ended.
func TestImportStoppedHalfway(t *testing.T) {
	dir, left := t.TempDir(), t.TempDir()
	games := func(n int, halfway func()) func(*record.Writer, *Manifest) error {
		return func(w *record.Writer, _ *Manifest) error {
			for range n {
				if err := w.Write(&record.Record{Result: "1-0", Reason: record.Imported}); err != nil {
					return err
				}
			}
			err := w.Flush()
			halfway()
			return err
		}
	}
	require.NoError(t, Import(dir, "x.pgn", games(100, func() {
		require.NoFileExists(t, filepath.Join(dir, GamesFile))
		require.True(t, IsCutImport(dir))
		require.NoError(t, os.CopyFS(left, os.DirFS(dir))) // as if it was killed here
	})))
	require.False(t, IsCutImport(dir))
	require.True(t, IsCutImport(left))
	require.NoError(t, Import(left, "x.pgn", games(7, func() {})))
	entries, err := os.ReadDir(left)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the rest is removed")
	require.Equal(t, GameCounts{7, 7}, readManifest(t, left).Games)
}
