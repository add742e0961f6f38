package live

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gyges/agents"
	"gyges/tournament"
	"gyges/tournament/report"
	"gyges/tournament/training"
)

// Bounds on what is listed and kept.
const (
	maxRuns    = 2000 // listed
	maxFolders = 20_000
	maxDepth   = 4 // folders below the one of results
	maxID      = 512
	maxIdle    = 10 // runs kept in memory without viewers

	// How many bytes of records are read for the list at a time, of one run and of
	// all; the rest is counted the next time.
	countOfRun = 32 << 20
	countOfAll = 128 << 20
)

// folder is the folder of a run as a file system. It opens regular files only: reading
// others could block.
type folder struct {
	id   string // in addresses
	root *os.Root
	dir  string // in root
}

// Stat implements [fs.StatFS].
func (f folder) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	info, err := f.root.Stat(path.Join(f.dir, name))
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path.Join(f.dir, name), Err: errors.New("expected a regular file")}
	}
	return info, err
}

// Open implements [fs.FS].
func (f folder) Open(name string) (fs.File, error) {
	if _, err := f.Stat(name); err != nil {
		return nil, err
	}
	return f.root.Open(path.Join(f.dir, name))
}

// runFiles are the files that make a folder a run.
func runFiles() []string {
	return []string{tournament.GamesFile, tournament.ManifestFile, training.HistoryFile, training.ManifestFile}
}

// written returns the time of the last change of the run's files, and whether there
// is one.
func (f folder) written() (last time.Time, ok bool) {
	for _, name := range runFiles() {
		if info, err := f.Stat(name); err == nil {
			ok = true
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
		}
	}
	return last, ok
}

// catalog finds runs. What it opens lies below its roots: an [os.Root] follows no
// symbolic link that leads out of it.
type catalog struct {
	server *Server
	named  []folder // of the runs the operator named

	mu      sync.Mutex
	results *os.Root // nil until there is one
	runs    map[string]*run
	lines   map[string]lineCount // of files of records
}

// lineCount is the number of lines in the first size bytes of a file.
type lineCount struct{ size, lines int64 }

func newCatalog(s *Server) (*catalog, error) {
	c := &catalog{server: s, runs: map[string]*run{}, lines: map[string]lineCount{}}
	var errs []error
	for _, dir := range s.config.Runs {
		errs = append(errs, c.add(dir))
	}
	if err := errors.Join(errs...); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// add opens a run that the operator named.
func (c *catalog) add(dir string) error {
	if filepath.Base(dir) == tournament.GamesFile {
		dir = filepath.Dir(dir)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("run: expected a folder: %w", err)
	}
	base := filepath.Base(absolute)
	if !isID(base) {
		base = "run"
	}
	id := base
	taken := func(f folder) bool { return f.id == id }
	for n := 2; slices.ContainsFunc(c.named, taken); n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	c.named = append(c.named, folder{id, root, "."})
	return nil
}

func (c *catalog) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.named {
		_ = f.root.Close()
	}
	if c.results != nil {
		_ = c.results.Close()
		c.results = nil
	}
}

// root returns the folder of results, nil if there is none.
func (c *catalog) root() *os.Root {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil && c.server.config.Results != "" && c.server.ctx.Err() == nil {
		if root, err := os.OpenRoot(c.server.config.Results); err == nil {
			c.results = root
		}
	}
	return c.results
}

// isID reports whether a name may be that of a run: a path below the results, none
// of whose parts is hidden.
func isID(id string) bool {
	if len(id) > maxID || !fs.ValidPath(id) || id == "." || strings.ContainsAny(id, "\\\x00") {
		return false
	}
	parts := strings.Split(id, "/")
	return len(parts) <= maxDepth && !slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, ".") })
}

// find returns the folder of a run.
func (c *catalog) find(id string) (f folder, ok bool) {
	if !isID(id) {
		return f, false
	}
	if i := slices.IndexFunc(c.named, func(f folder) bool { return f.id == id }); i >= 0 {
		return c.named[i], true
	}
	root := c.root()
	if root == nil {
		return f, false
	}
	f = folder{id, root, id}
	_, ok = f.written()
	return f, ok
}

// folders lists the runs: those named, and those below the results. more reports
// whether some were left out.
func (c *catalog) folders() (list []folder, more bool) {
	list = slices.Clone(c.named)
	root := c.root()
	if root == nil {
		return list, false
	}
	count := 0
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error { // returns no error
		isLink := err == nil && e.Type()&fs.ModeSymlink != 0 // a link to a folder below the root counts as a folder
		switch {
		case name == ".":
			return nil
		case err != nil || !e.IsDir() && !isLink:
			return nil //nolint:nilerr // a folder that can't be read is left out
		case !isID(name) && e.IsDir():
			return fs.SkipDir
		case !isID(name):
			return nil
		}
		if count++; count > maxFolders || len(list) >= maxRuns {
			more = true
			return fs.SkipAll
		}
		f := folder{name, root, name}
		if _, ok := f.written(); ok {
			list = append(list, f)
		}
		return nil
	})
	return list, more
}

// entry is a line of the list of runs.
type entry struct {
	ID, Status, About string
	Games, Scheduled  int64
	Counting          bool      // there are more games than Games
	Written           time.Time // of the last file
}

// entries lists all runs, the latest first.
func (c *catalog) entries() (list []entry, more bool) {
	folders, more := c.folders()
	left := int64(countOfAll)
	for _, f := range folders {
		list = append(list, c.entry(f, &left))
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(b.Written.Compare(a.Written), cmp.Compare(a.ID, b.ID))
	})
	return list, more
}

// Statuses of runs without one in a manifest.
const (
	noManifest = "records"
	tuning     = "tuning"
)

// entry describes a run. It reads at most left bytes of records, and subtracts those read.
func (c *catalog) entry(f folder, left *int64) entry {
	e := entry{ID: f.id, Status: noManifest}
	e.Written, _ = f.written()
	if m, err := tournament.ReadManifest(f); err == nil && m != nil && m.Status != "" {
		e.Status, e.About, e.Scheduled = string(m.Status), describe(m), m.Games.Scheduled
		if m.Games.Played > 0 && m.Status == tournament.Finished {
			e.Games = m.Games.Played
			return e
		}
	} else if t, err := report.ReadTuning(f); err == nil {
		e.Status, e.About = string(t.State()), shorten(t.About(), 200)
	} else if _, err := f.Stat(training.HistoryFile); err == nil {
		e.Status = tuning
	} else if strings.HasPrefix(path.Base(f.id), playPrefix) {
		e.About = "games played in the browser"
	}
	e.Games, e.Counting = c.count(f, left)
	return e
}

// describe summarizes a manifest for the list.
func describe(m *tournament.Manifest) string {
	text := fmt.Sprintf("%d players", len(m.Config.Agents))
	if n := len(m.Config.Agents); n > 0 && n <= 3 {
		labels := make([]string, n)
		for i, a := range m.Config.Agents {
			labels[i] = agents.LabelOf(a)
		}
		text = strings.Join(labels, ", ")
	}
	if len(m.Config.Rules) > 0 {
		text += " · " + strings.Join(m.Config.Rules, ", ")
	}
	if m.Config.SPRT != "" {
		text += " · sequential test"
	}
	return shorten(text, 200)
}

// shorten returns a text cut to at most most characters.
func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// count counts the lines of a run's records, reading only what was appended since
// the last time, and no more than is left. It reports whether there are more.
func (c *catalog) count(f folder, left *int64) (games int64, more bool) {
	c.mu.Lock()
	known := c.lines[f.id]
	c.mu.Unlock()
	info, err := f.Stat(tournament.GamesFile)
	if err != nil || info.Size() == known.size {
		return known.lines, false
	}
	if info.Size() < known.size {
		known = lineCount{}
	}
	records, err := f.root.Open(path.Join(f.dir, tournament.GamesFile))
	if err != nil {
		return 0, false
	}
	defer func() { _ = records.Close() }() // it was only read
	most := min(info.Size()-known.size, countOfRun, *left)
	lines := new(lineCounter)
	n, err := io.CopyBuffer(lines, io.NewSectionReader(records, known.size, most), make([]byte, 256<<10))
	*left -= n
	known.size, known.lines = known.size+n, known.lines+int64(*lines)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lines) >= maxRuns {
		clear(c.lines)
	}
	c.lines[f.id] = known
	return known.lines, err == nil && known.size < info.Size()
}

// lineCounter counts the lines that are written to it.
type lineCounter int64

// Write implements [io.Writer].
func (c *lineCounter) Write(b []byte) (int, error) {
	*c += lineCounter(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}

// run returns a run, nil if there is none of that id.
func (c *catalog) run(id string) *run {
	f, ok := c.find(id)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.runs[id]
	if !ok {
		c.evict()
		r = newRun(c.server, f)
		c.runs[id] = r
	}
	r.used = time.Now()
	return r
}

// evict removes the runs without viewers that were used longest ago, if there are
// too many.
func (c *catalog) evict() {
	var idle []*run
	for _, r := range c.runs {
		if !r.feed.viewed() {
			idle = append(idle, r)
		}
	}
	slices.SortFunc(idle, func(a, b *run) int { return a.used.Compare(b.used) })
	for _, r := range idle[:max(0, len(idle)-maxIdle+1)] {
		r.feed.end()
		delete(c.runs, r.folder.id)
	}
}
