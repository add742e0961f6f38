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

// ReadRun reads the files beside the games of a run: the manifest, and those of a tuning. path is the run's folder, or
// its file of games. What is missing is left out, and what can't be read is noted: the games are what counts.
func ReadRun(ctx context.Context, path string) RunInfo {
	if dir, ok := tournament.RunFolder(path); ok {
		return ReadRunFS(ctx, os.DirFS(dir), path)
	}
	return RunInfo{Name: path}
}

// ReadRunFS is ReadRun for a run's folder as a file system; name is its name on the page.
func ReadRunFS(ctx context.Context, fsys fs.FS, name string) RunInfo {
	m, text := runs.ReadManifest(fsys, strings.TrimSuffix(filepath.ToSlash(name), "/"+tournament.GamesFile))
	r := RunInfo{Name: name, Manifest: m}
	note := func(name string, err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %v", name, err))
		}
	}
	if _, err := fs.Stat(fsys, tournament.GamesFile); err == nil && text != "" {
		r.Notes = append(r.Notes, text)
	}
	t, err := ReadTuning(fsys)
	note(training.ManifestFile, err)
	steps, err := files.LoadFS(fsys, training.HistoryFile, func(in io.Reader, name string) ([]training.Line, error) {
		return training.ReadHistory(ctx, in, name)
	})
	note(training.HistoryFile, err)
	if r.Tuning = t; t != nil {
		t.readResults(fsys, steps)
		r.Notes = append(r.Notes, t.notes...)
	}
	r.Reviews, err = review.ReadFS(ctx, fsys)
	note(review.FileName, err)
	r.Charts = historyCharts(steps, t)
	return r
}

// pliesPerGame bounds the total length of whole games, per game: a page of 500 stays at a few megabytes.
const pliesPerGame = 120

// Options are the settings of a collector.
type Options struct {
	Games int    // most games to keep whole; 0: none
	Seed  uint64 // of the choice of games, where not all are kept
}

// Collector adds up games and keeps some; its size depends on the pairings alone. It belongs to one goroutine.
type Collector struct {
	*standings.Standings
	runs   []*run
	sample sample
}

type run struct {
	*standings.Run
	about RunInfo
	first time.Time // when the first of its games that is dated began; zero: none is
}

// started returns when a run began: an imported one with its games; zero where it isn't known.
func (r *run) started() time.Time {
	if m := r.about.Manifest; m != nil && m.Status != tournament.Imported {
		return m.Start
	}
	return r.first
}

// dateText returns a time, only its day if that is all that is known of it; "" for none.
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
	c.runs = append(c.runs, &run{Run: c.Begin(about.Manifest), about: about})
}

// SetRun replaces the description of the run added last. Its schedule is that of the manifest that it was added with.
func (c *Collector) SetRun(about RunInfo) {
	r := c.runs[len(c.runs)-1]
	r.about = about
	r.SetManifest(about.Manifest)
}

// Add counts a game of the run added last.
func (c *Collector) Add(g *record.Record) {
	c.Standings.Add(g)
	c.Sample(g)
}

// Sample may keep a game of the run added last, which is counted already, to be replayed on the page.
func (c *Collector) Sample(g *record.Record) {
	r := c.runs[len(c.runs)-1]
	if start := g.Timing.Start; !start.IsZero() && (r.first.IsZero() || start.Before(r.first)) {
		r.first = start
	}
	c.sample.add(len(c.runs)-1, g)
}

// sample keeps some games of many: by turns one of each kind, so that every number in a table has games to show, and
// within a kind random ones, by the seed and the game's number.
type sample struct {
	Options
	kept    []sampled
	plies   int  // of those kept
	dropped bool // whether games were left out
}

type sampled struct {
	run      int
	game     *record.Record
	kind     kind
	priority uint64
	rank     int // among its kind, by priority
}

type kind struct{ rules, south, north, reason string }

func (s *sample) add(run int, g *record.Record) {
	const slack = 3 // so that sorting is rare
	most := pliesPerGame * s.Games
	switch {
	case g.OnlyResult():
		return
	case s.Games == 0 || len(g.Moves) > most:
		s.dropped = true
		return
	}
	light := *g
	light.Timing.Trace = nil
	s.kept = append(s.kept, sampled{
		run: run, game: &light, kind: kind{g.Rules, g.South.Agent, g.North.Agent, g.Reason},
		priority: agents.MixSeed(s.Seed, uint64(run), uint64(g.Game)),
	})
	if s.plies += len(g.Moves); len(s.kept) > slack*s.Games || s.plies > slack*most {
		s.prune(slack * most / 2)
	}
}

// prune keeps the games that come first, of at most that number of plies together.
func (s *sample) prune(plies int) {
	slices.SortFunc(s.kept, func(a, b sampled) int { return cmp.Or(cmp.Compare(a.priority, b.priority), inOrder(a, b)) })
	count := map[kind]int{}
	for i := range s.kept {
		s.kept[i].rank = count[s.kept[i].kind]
		count[s.kept[i].kind]++
	}
	slices.SortStableFunc(s.kept, func(a, b sampled) int { return cmp.Compare(a.rank, b.rank) })
	n := 0
	for s.plies = 0; n < min(len(s.kept), s.Games) && s.plies+len(s.kept[n].game.Moves) <= plies; n++ {
		s.plies += len(s.kept[n].game.Moves)
	}
	s.dropped = s.dropped || n < len(s.kept)
	s.kept = slices.Delete(s.kept, n, len(s.kept))
}

func inOrder(a, b sampled) int {
	return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.game.Game, b.game.Game))
}

// chosen returns the sample in order. More games may be added afterwards.
func (s *sample) chosen() []sampled {
	s.prune(pliesPerGame * s.Games)
	return slices.SortedFunc(slices.Values(s.kept), inOrder)
}
