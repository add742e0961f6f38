package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/runs"
	"gyges/tournament/standings"
	"gyges/tournament/training"
)

// RunInfo describes where games come from.
type RunInfo struct {
	Name     string               // path on the command line
	Folder   string               // path for command lines; "": Name
	Manifest *tournament.Manifest // nil where none is known
	Tuning   *Tuning              // of a tuning run; nil otherwise
	Charts   []Chart              // curves of a tuning run
	Reviews  review.Reviews       // of its games
	Notes    []string             // what could not be read
}

// folder is the path of the run's folder in command lines.
func (r *RunInfo) folder() string { return cmp.Or(r.Folder, r.Name) }

// HasHistory reports whether a folder is that of a tuning run, which may hold no games.
func HasHistory(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, training.HistoryFile))
	return err == nil && info.Mode().IsRegular()
}

// ReadRun reads the files beside the games of a run: the manifest, and those of a tuning. path is
// the run's folder, or its file of games. What is missing is left out, and what can't be read is
// noted: the games are what counts.
func ReadRun(ctx context.Context, path string) RunInfo {
	if dir, ok := tournament.RunFolder(path); ok {
		return ReadRunFS(ctx, os.DirFS(dir), path)
	}
	return RunInfo{Name: path}
}

// ReadRunFS is ReadRun for a run's folder as a file system; name is its name on the page.
func ReadRunFS(ctx context.Context, fsys fs.FS, name string) RunInfo {
	// A folder without games, as of a tuning, needs no manifest.
	folder := strings.TrimSuffix(filepath.ToSlash(name), "/"+tournament.GamesFile)
	m, manifestNote := runs.ReadManifest(fsys, folder)
	r := RunInfo{Name: name, Manifest: m}
	_, err := fs.Stat(fsys, tournament.GamesFile)
	if hasGames := err == nil; hasGames && manifestNote != "" {
		r.Notes = append(r.Notes, manifestNote)
	}
	r.Tuning, err = ReadTuning(fsys)
	r.noteError(training.ManifestFile, err)
	readHistory := func(in io.Reader, name string) ([]training.Line, error) {
		return training.ReadHistory(ctx, in, name)
	}
	// The files of a tuning, and its matches.
	steps, err := files.LoadFS(fsys, training.HistoryFile, readHistory)
	r.noteError(training.HistoryFile, err)
	if r.Tuning != nil {
		r.Tuning.readResults(fsys, steps)
		r.Notes = append(r.Notes, r.Tuning.notes...)
	}
	r.Reviews, err = review.ReadFS(ctx, fsys)
	r.noteError(review.FileName, err)
	r.Charts = historyCharts(steps, r.Tuning)
	return r
}

// noteError notes why a file can't be read; one that is missing needs no note.
func (r *RunInfo) noteError(name string, err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		note := fmt.Sprintf("%s: %v", name, err)
		r.Notes = append(r.Notes, note)
	}
}

// pliesPerGame bounds the total length of whole games, per game: a page of 500 stays at a few
// megabytes.
const pliesPerGame = 120

// Options are the settings of a collector.
type Options struct {
	Games int    // most games to keep whole; 0: none
	Seed  uint64 // of the choice of games, where not all are kept
}

// Collector adds up games and keeps some of them whole. Of the others it keeps counts by player,
// pairing and reason, and some bytes for each pair of games, by which it finds pairs that are
// played again. It belongs to one goroutine.
type Collector struct {
	*standings.Standings
	runs   []*run
	sample sample
}

// run is a run whose games are collected.
type run struct {
	*standings.Run
	RunInfo
	first time.Time // when the first of its games that is dated began; zero: none is
}

// started returns when a run began: an imported one with its games; zero where it isn't known.
func (r *run) started() time.Time {
	if m := r.Manifest; m != nil && m.Status != tournament.Imported {
		return m.Start
	}
	return r.first
}

// dateText returns a time, or only its day if no more is known of it; "" for none.
func dateText(t time.Time) string {
	t = t.UTC()
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04 UTC")
}

// NewCollector returns an empty collector.
func NewCollector(o Options) *Collector {
	return &Collector{Standings: standings.New(), sample: sample{Options: o}}
}

// AddRun adds a run. The games that follow belong to it.
func (c *Collector) AddRun(about RunInfo) {
	c.runs = append(c.runs, &run{Run: c.Begin(about.Manifest), RunInfo: about})
}

// SetRun replaces the description of the run added last. Its schedule stays as the manifest has it
// that it was added with.
func (c *Collector) SetRun(about RunInfo) {
	r := c.runs[len(c.runs)-1]
	r.RunInfo = about
	r.SetManifest(about.Manifest)
}

// Add counts a game of the run added last.
func (c *Collector) Add(g *record.Record) {
	c.Standings.Add(g)
	c.Sample(g)
}

// Sample may keep a game of the run added last, which is counted already, to be replayed on the
// page.
func (c *Collector) Sample(g *record.Record) {
	last := len(c.runs) - 1
	r := c.runs[last]
	start := g.Timing.Start
	isFirst := r.first.IsZero() || start.Before(r.first)
	if !start.IsZero() && isFirst {
		r.first = start
	}
	c.sample.add(last, g)
}

// sample keeps some games of many: by turns one of each kind, so that every number in a table has
// games to show, and within a kind random ones, by the seed and the game's number.
type sample struct {
	Options
	kept    []sampled
	plies   int  // of those kept
	dropped bool // whether games were left out
}

// sampled is a game of a sample.
type sampled struct {
	run      int
	game     *record.Record
	kind     kind
	priority uint64
	rank     int // among its kind, by priority
}

// kind is what games of the same kind have in common.
type kind struct{ rules, south, north, reason string }

// add may keep a game, without the trace of its agents, which no page shows.
func (s *sample) add(run int, g *record.Record) {
	if g.OnlyResult() {
		return
	}
	mostPlies := pliesPerGame * s.Games
	if s.Games == 0 || len(g.Moves) > mostPlies {
		s.dropped = true
		return
	}
	light := *g
	light.Timing.Trace = nil
	s.kept = append(s.kept, sampled{
		run:      run,
		game:     &light,
		kind:     kind{g.Rules, g.South.Agent, g.North.Agent, g.Reason},
		priority: agents.MixSeed(s.Seed, uint64(run), uint64(g.Game)),
	})
	s.plies += len(g.Moves)
	const slack = 3 // so that sorting is rare
	if len(s.kept) > slack*s.Games || s.plies > slack*mostPlies {
		s.prune(slack * mostPlies / 2)
	}
}

// prune keeps the games that come first, of at most that number of plies together.
func (s *sample) prune(mostPlies int) {
	slices.SortFunc(s.kept, func(a, b sampled) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), inOrder(a, b))
	})
	// The rank of a game is the number of games of its kind that come before it.
	ofKind := map[kind]int{}
	for i := range s.kept {
		g := &s.kept[i]
		g.rank = ofKind[g.kind]
		ofKind[g.kind]++
	}
	slices.SortStableFunc(s.kept, func(a, b sampled) int { return cmp.Compare(a.rank, b.rank) })

	// By turns one of each kind is kept, as long as there is room.
	s.plies = 0
	n := 0
	for n < min(len(s.kept), s.Games) {
		plies := len(s.kept[n].game.Moves)
		if s.plies+plies > mostPlies {
			break
		}
		s.plies += plies
		n++
	}
	if n < len(s.kept) {
		s.dropped = true
		s.kept = slices.Delete(s.kept, n, len(s.kept))
	}
}

// inOrder compares games by run and number.
func inOrder(a, b sampled) int {
	if a.run != b.run {
		return cmp.Compare(a.run, b.run)
	}
	return cmp.Compare(a.game.Game, b.game.Game)
}

// chosen returns the sample in order. More games may be added afterwards.
func (s *sample) chosen() []sampled {
	s.prune(pliesPerGame * s.Games)
	return slices.SortedFunc(slices.Values(s.kept), inOrder)
}
