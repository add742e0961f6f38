package tournament

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gyges/rules/base/files"
	"gyges/tournament/record"
)

// Import makes a run's folder of games from elsewhere. write writes them and sets the run's name,
// its ID, by which copies are recognised, and the number of players. The folder must not hold a run
// already. If write fails, nothing is left of it. Until all is written the records have a temporary
// name, see [IsCutImport]; they get theirs after the manifest is written: a stop at any instant
// leaves no records, or both.
func Import(dir, from string, write func(*record.Writer, *Manifest) error) (err error) {
	m := newManifest(Imported, Inputs{}, time.Now())
	m.From = from
	_, statErr := os.Stat(dir)
	if err := makeFolder(dir); err != nil {
		return err
	}
	if errors.Is(statErr, fs.ErrNotExist) {
		defer func() {
			if err != nil {
				err = errors.Join(err, os.Remove(dir))
			}
		}()
	}
	if err := holdsRun(dir); err != nil {
		return err
	}
	f, err := files.Create(filepath.Join(dir, GamesFile))
	if err != nil {
		return err
	}
	w := record.NewWriter(f)
	err = write(w, m)
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = holdsRun(dir) // of another process, meanwhile
	}
	if err == nil {
		m.Games = GameCounts{Scheduled: w.Written(), Played: w.Written()}
		m.End = time.Now().Round(0).UTC()
		err = m.save(dir)
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	if err := f.Commit(); err != nil {
		return errors.Join(err, os.Remove(filepath.Join(dir, ManifestFile)))
	}
	return nil
}

// holdsRun returns an error if a folder holds a run.
func holdsRun(dir string) error {
	if IsCutImport(dir) {
		return nil
	}
	for _, name := range []string{ManifestFile, GamesFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s: holds a run already (%s); expected a new folder", dir, name)
		}
	}
	return nil
}

// IsCutImport reports whether a folder holds an import that goes on, or that was stopped before its
// end: records under a temporary name, but none under theirs. The next import into the folder
// removes what was left there.
func IsCutImport(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, GamesFile)); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	temporary, _ := fs.Glob(os.DirFS(dir), GamesFile+".tmp-*") // its errors are of patterns
	return len(temporary) > 0
}
