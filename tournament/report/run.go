package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gyges/agents/tuning/history"
	"gyges/tournament"
)

// maxManifest bounds the manifests that are read, in bytes.
const maxManifest = 4 << 20

// Run says where games come from.
type Run struct {
	Name     string    // for people; what the command line called it
	Manifest *Manifest // nil where none is known
	Tuning   *Tuning   // of a tuning run; nil otherwise
	Charts   []Chart   // curves of a tuning run
	Notes    []string  // what could not be read
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

// Manifest is what a report shows of a run's manifest.json. Runs of other kinds
// than tournaments may lack some of it, and have more; Text is the whole.
type Manifest struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Games  struct {
		Scheduled int64 `json:"scheduled"`
		Played    int64 `json:"played"`
	} `json:"games"`
	Config  ManifestConfig `json:"config"`
	Start   time.Time      `json:"start"`
	End     time.Time      `json:"end"`
	Program struct {
		Version  string `json:"version"`
		Revision string `json:"revision"`
		Modified bool   `json:"modified"`
		Go       string `json:"go"`
	} `json:"program"`
	Host struct {
		OS   string `json:"os"`
		Arch string `json:"arch"`
		CPUs int    `json:"cpus"`
	} `json:"host"`
	Text string `json:"-"` // the file, indented
}

// ManifestConfig is the configuration in a manifest.
type ManifestConfig struct {
	Name     string   `json:"name"`
	Rules    []string `json:"rules"`
	Agents   []string `json:"agents"`
	Schedule string   `json:"schedule"`
	Rounds   int      `json:"rounds"`
	Pairs    int      `json:"pairs"`
	SPRT     string   `json:"sprt"`
	Openings struct {
		Policy string `json:"policy"`
		Plies  int    `json:"plies"`
		File   string `json:"file"`
	} `json:"openings"`
	Limits struct {
		Depth    int    `json:"depth"`
		Nodes    int64  `json:"nodes"`
		MoveTime string `json:"movetime"`
		Clock    string `json:"clock"`
	} `json:"limits"`
	TimeMargin   string `json:"time_margin"`
	Seed         string `json:"seed"`
	Workers      int    `json:"workers"`
	Adjudication string `json:"adjudication"`
	OnRepetition string `json:"on_repetition"`
	StallTimeout string `json:"stall_timeout"`
	Suspend      *int   `json:"suspend"` // nil in manifests from before there was one
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
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %v", name, err))
		}
	}
	text, err := readBounded(fsys, tournament.ManifestFile, maxManifest)
	if err == nil && text != nil {
		r.Manifest, err = parseManifest(text)
	}
	note(tournament.ManifestFile, err)
	text, err = readBounded(fsys, tuningFile, maxManifest)
	if err == nil && text != nil {
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

// parseManifest reads a manifest.
func parseManifest(text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("expected a manifest: %w", err)
	}
	m.Text = strings.TrimSpace(string(text))
	return m, nil
}

// readBounded reads a regular file; nil if there is none.
func readBounded(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("expected at most %d bytes, found more", most)
	}
	return text, err
}
