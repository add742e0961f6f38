// Package status reads and writes workers.json, a file in the folder of a run that workers play:
// workers, queue and speed. It is for display only, and has no addresses or credentials.
package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"gyges/rules/base/files"
)

// FileName is the name of the file in the run's folder.
const FileName = "workers.json"

// MaxWorkers bounds the workers that the file lists, and MaxSize its size in bytes.
const (
	MaxWorkers = 256
	MaxSize    = 1 << 20
)

// Run is the content of the file.
type Run struct {
	Time  time.Time `json:"time"`
	Ended bool      `json:"ended"` // the run has ended or stopped; the rest is the last known state

	Queue *Queue `json:"queue,omitempty"` // nil: the run has ended, or the server doesn't answer

	Games          int64   `json:"games"`            // received since the coordinator started
	GamesPerSecond float64 `json:"games_per_second"` // of the last half minute

	Count   int64    `json:"count"` // of all workers, also of those that have left after playing
	Workers []Worker `json:"workers"`
}

// Queue counts a run's jobs on the server.
type Queue struct {
	Waiting     int64 `json:"waiting"`     // not delivered to a worker
	Playing     int64 `json:"playing"`     // delivered to a worker and not acknowledged
	Redelivered int64 `json:"redelivered"` // of these, delivered more than once
}

// Worker is a worker's own report, but for Pairs and State, which are the coordinator's.
type Worker struct {
	ID      string  `json:"id,omitempty"` // the same as long as it runs
	Name    string  `json:"name"`         // of the machine, distinct in the file
	Version string  `json:"version"`
	Cores   int64   `json:"cores"`
	Workers int64   `json:"workers"` // games at a time
	Speed   float64 `json:"speed"`   // positions a second, by a short search on one core; 0: unknown
	Playing int64   `json:"playing"` // pairs of all runs
	Pairs   int64   `json:"pairs"`   // of the run that it has played since the coordinator started
	State   State   `json:"state,omitempty"`

	// OtherBuild says how engines of players there differ from the coordinator's.
	OtherBuild string `json:"other_build,omitempty"`
}

// State is what a worker does for a run.
type State string

// The states of a worker.
const (
	Plays    State = "plays"
	Refuses  State = "refuses"  // the coordinator's log has the reason
	Left     State = "left"     // it played, and answers no longer
	Finished State = "finished" // it was there when the last pair was played
	Stopped  State = "stopped"  // it was there when the run was stopped
)

// Read reads the file in a run's folder, with at most [MaxWorkers] workers.
func Read(folder fs.FS) (*Run, error) {
	text, err := files.ReadFS(folder, FileName, MaxSize)
	if err != nil {
		return nil, err
	}
	r := new(Run)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", FileName, err)
	}
	if r.Time.IsZero() {
		return nil, errors.New(FileName + ": expected a time, found none")
	}
	r.Workers = r.Workers[:min(len(r.Workers), MaxWorkers)]
	return r, nil
}

// Write replaces the file in a run's folder.
func (r *Run) Write(dir string) error {
	return files.ReplaceUnsynced(filepath.Join(dir, FileName), r)
}
