package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gyges/agents/files"
	"gyges/agents/tuning/history"
	"gyges/tournament"
)

// maxTuning bounds the size of a [tuningFile], in bytes.
const maxTuning = 4 << 20

// Run says where games come from.
type Run struct {
	Name     string               // for people; what the command line called it
	Manifest *tournament.Manifest // nil where none is known
	Tuning   *Tuning              // of a tuning run; nil otherwise
	Charts   []Chart              // curves of a tuning run
	Notes    []string             // what could not be read
}

// The files of a tuning run's folder.
const (
	tuningFile  = "tuning.json"
	HistoryFile = "history.jsonl" // step by step, see package history
)

// Tuning is what a report shows of a tuning run's tuning.json.
type Tuning struct {
	Method  string `json:"method"`
	Version string `json:"version"` // of the program
	Text    string `json:"-"`       // the file
}

// HasHistory reports whether a folder is that of a tuning run, which may hold no
// games.
func HasHistory(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, HistoryFile))
	return err == nil && info.Mode().IsRegular()
}

// ReadRun reads what lies beside the games of a run: the manifest, and what a
// tuning left. path is the run's folder, or its file of games. What is missing is
// passed over, and what can't be read is noted: the games are what counts.
func ReadRun(path string) Run {
	r := Run{Name: path}
	dir := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		dir = filepath.Dir(path)
		if filepath.Base(path) != tournament.GamesFile {
			return r
		}
	}
	r.read(os.DirFS(dir))
	return r
}

// ReadRunFS is ReadRun for a run's folder as a file system; name stands for it.
func ReadRunFS(fsys fs.FS, name string) Run {
	r := Run{Name: name}
	r.read(fsys)
	return r
}

func (r *Run) read(fsys fs.FS) {
	note := func(name string, err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %v", name, err))
		}
	}
	var err error
	r.Manifest, err = tournament.ReadManifest(fsys)
	note(tournament.ManifestFile, err)
	text, err := files.ReadFS(fsys, tuningFile, maxTuning)
	if err == nil {
		r.Tuning = &Tuning{Text: strings.TrimSpace(string(text))}
		err = json.Unmarshal(text, r.Tuning)
	}
	note(tuningFile, err)
	steps, err := readHistory(fsys)
	note(HistoryFile, err)
	r.Charts = historyCharts(steps)
}

// readHistory reads the course of a tuning; none if there is none.
func readHistory(fsys fs.FS) ([]history.Line, error) {
	f, err := fsys.Open(HistoryFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	steps, _, err := history.ReadFrom(f, HistoryFile)
	return steps, err
}
