package live

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gyges/tournament"
	"gyges/tournament/record"
)

// maxUnrecorded bounds the games in memory that could not be recorded.
const maxUnrecorded = 1000

// records writes the games played on this server to a run's folder, which is made with
// the first one. A game that can't be written stays in memory and is written with the
// next one, or by the next retry.
type records struct {
	results string // folder of runs; "": games are not recorded
	log     *slog.Logger

	mu      sync.Mutex
	writer  *record.Writer // nil: there is no file yet
	file    *os.File       // of writer
	name    string         // of the folder
	games   int64          // numbered so far
	waiting []*record.Game // not written yet
}

// keep records a game and returns its address below /run/. After an error the game
// is in memory only, or lost if maxUnrecorded are.
func (r *records) keep(g *record.Game) (string, error) {
	if r.results == "" {
		return "", nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= maxUnrecorded {
		return "", fmt.Errorf("expected at most %d unrecorded games", maxUnrecorded)
	}
	// Each is a pair by itself: no two are of one opening with sides swapped.
	g.Game, g.Pair = r.games, r.games
	r.games++
	r.waiting = append(r.waiting, g)
	if err := r.write(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s#game=1.%d&ply=0", runPath(r.name), g.Game), nil
}

// retry writes the games that wait.
func (r *records) retry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.waiting); n > 0 && r.write() == nil {
		r.log.Info("games have been recorded after an error", "games", n)
	}
}

// write writes the games that wait, into a new folder where there is none or the
// last one was removed, replaced or changed.
func (r *records) write() error {
	if r.writer != nil && !r.inPlace() {
		r.log.Warn("the records of games were removed or changed; further games go into a new folder", "run", r.name)
		_ = r.writer.Close() // everything is written, and the file no longer at its path
		r.writer = nil
	}
	if r.writer == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	for len(r.waiting) > 0 {
		if err := errors.Join(r.writer.Write(r.waiting[0]), r.writer.Flush()); err != nil {
			return err
		}
		r.waiting = r.waiting[1:]
	}
	return nil
}

// inPlace reports whether the file that is written is still at its path and holds
// what was written to it, no less and no more.
func (r *records) inPlace() bool {
	open, err := r.file.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(r.file.Name())
	return err == nil && os.SameFile(open, found) && found.Size() == r.writer.Size()
}

// playPrefix begins the names of the folders of games played in the browser.
const playPrefix = "play-"

// open makes the folder and its file.
func (r *records) open() error {
	if err := os.MkdirAll(r.results, 0o755); err != nil {
		return err
	}
	stamp := time.Now().Format("20060102-150405")
	for n := 1; ; n++ {
		name := playPrefix + stamp
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		err := os.Mkdir(filepath.Join(r.results, name), 0o755)
		if errors.Is(err, os.ErrExist) && n < 100 {
			continue
		}
		if err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(r.results, name, tournament.GamesFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return errors.Join(err, os.Remove(filepath.Join(r.results, name)))
		}
		r.writer, r.file, r.name = record.Append(f, 0, 0), f, name
		return nil
	}
}

// close writes the games that wait and closes the file.
func (r *records) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if len(r.waiting) > 0 {
		if err = r.write(); err != nil {
			err = fmt.Errorf("%d games are lost: %w", len(r.waiting), err)
		}
	}
	if r.writer != nil {
		err = errors.Join(err, r.writer.Close())
		r.writer = nil
	}
	return err
}
