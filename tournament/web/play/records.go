package play

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/web"
)

// Bounds of the games in memory that could not be recorded, and of those that an error names.
const (
	maxUnrecorded = 1000
	maxListed     = 20
)

// errTooMany is why a game is lost.
var errTooMany = fmt.Errorf("expected at most %d unrecorded games", maxUnrecorded)

// records appends the games played on this server to a run's folder, which is made with the first
// one, and again if it was removed. A game that can't be written stays in memory and is written
// with the next one, or by the next retry.
type records struct {
	results string // folder of runs; "": games are not recorded
	log     *slog.Logger

	mu      sync.Mutex
	name    string           // of the run's folder; "": there is none yet
	waiting []*record.Record // not written yet
	lost    int              // games, since too many waited
}

// keep records a game and returns its address below /game/. After an error the game waits, or is
// lost if maxUnrecorded games wait.
func (r *records) keep(g *record.Record) (string, error) {
	if r.results == "" {
		return "", nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= maxUnrecorded {
		r.lost++
		return "", errTooMany
	}
	r.waiting = append(r.waiting, g)
	if err := r.write(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s/%d", web.RunPath(r.name), g.Game), nil
}

// retry writes the games that wait, if there are some.
func (r *records) retry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.waiting); n > 0 && r.write() == nil {
		r.log.Info("games have been recorded after an error", "games", n)
	}
}

// write appends the games that wait, numbered by their lines, each as a pair: no two have swapped
// sides.
func (r *records) write() (err error) {
	if err := r.makeFolder(); err != nil {
		return err
	}
	// The file is opened anew each time: it may have been removed or changed meanwhile.
	w, err := record.Open(filepath.Join(r.results, r.name, tournament.GamesFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for len(r.waiting) > 0 {
		g := r.waiting[0]
		g.Game, g.Pair = w.Written(), w.Written()
		if err := w.Append(g); err != nil {
			return err
		}
		r.waiting = r.waiting[1:]
	}
	return nil
}

// makeFolder makes the folder, with a name that no other run has.
func (r *records) makeFolder() error {
	// The first game names the folder by its time.
	if r.name == "" {
		if err := os.MkdirAll(r.results, 0o755); err != nil {
			return err
		}
		kind := strings.TrimSuffix(tournament.PlayedPrefix, "-")
		name := filepath.Base(tournament.DefaultOut(r.results, kind, time.Now()))
		if err := os.Mkdir(filepath.Join(r.results, name), 0o755); err != nil {
			return err
		}
		r.name = name
	}
	return os.MkdirAll(filepath.Join(r.results, r.name), 0o755)
}

// close writes the games that wait. The error has the number of games that are lost, and names the
// first ones.
func (r *records) close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) > 0 {
		err = r.write()
	}
	left := len(r.waiting) + r.lost
	if left == 0 {
		return err
	}
	// The games are lost with the server, so the error names some of them.
	err = cmp.Or(err, errTooMany)
	errs := []error{
		fmt.Errorf("games lost, as they could not be recorded: %d: %w", left, err),
	}
	for _, g := range r.waiting[:min(len(r.waiting), maxListed)] {
		players := fmt.Sprintf("%s (South) against %s (North)", g.South.Agent, g.North.Agent)
		result := fmt.Sprintf("%s by %s in %d plies", g.Result, g.Reason, g.Plies)
		begun := g.Timing.Start.Format(time.RFC3339)
		err := fmt.Errorf("lost: %s, %s, %s, begun %s", players, g.Rules, result, begun)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
