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
)

// Bounds on what is listed and kept.
const (
	maxRuns    = 2000 // listed
	maxFolders = 20_000
	maxDepth   = 4 // folders below the one of results
	maxID      = 512
	maxOpen    = 10 // runs kept in memory that nobody looks at

	// How many bytes of records are read for the list at a time, of one run and of
	// all; the rest is counted the next time.
	countOfRun = 32 << 20
	countOfAll = 128 << 20
)

// catalog finds runs. What it opens lies below its roots: an [os.Root] follows no
// symbolic link that leads out of it.
type catalog struct {
	server *Server
	named  []place // of the runs the operator named

	mu      sync.Mutex
	results *os.Root // nil until there is one
	runs    map[string]*run
	lines   map[string]counted // of files of records
}

// counted is how many lines so many bytes of a file hold.
type counted struct{ size, lines int64 }

// place is a folder of a run.
type place struct {
	id   string // what addresses call it
	root *os.Root
	dir  string // in root
}

// fsys is the run's folder. It has regular files only: others could block.
func (p place) fsys() fs.FS { return regular{p.root, p.dir} }

type regular struct {
	root *os.Root
	dir  string
}

// Open implements [fs.FS].
func (f regular) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	name = path.Join(f.dir, name)
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("expected a regular file")}
	}
	return f.root.Open(name)
}

func newCatalog(s *Server) (*catalog, error) {
	c := &catalog{server: s, runs: map[string]*run{}, lines: map[string]counted{}}
	var errs []error
	for _, name := range s.config.Runs {
		p, err := c.name(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.named = append(c.named, p)
	}
	if err := errors.Join(errs...); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// name opens a run that the operator named.
func (c *catalog) name(dir string) (place, error) {
	if filepath.Base(dir) == tournament.GamesFile {
		dir = filepath.Dir(dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return place{}, fmt.Errorf("run: expected a folder: %w", err)
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return place{}, err
	}
	id := filepath.Base(full)
	taken := func(id string) bool {
		return slices.ContainsFunc(c.named, func(p place) bool { return p.id == id })
	}
	if !isID(id) {
		id = "run"
	}
	for n := 2; taken(id); n++ {
		id = fmt.Sprintf("%s-%d", strings.TrimSuffix(id, fmt.Sprintf("-%d", n-1)), n)
	}
	return place{id: id, root: root, dir: "."}, nil
}

func (c *catalog) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.named {
		_ = p.root.Close()
	}
	if c.results != nil {
		_ = c.results.Close()
		c.results = nil
	}
}

// root is the folder of results, nil if there is none.
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

// isID reports whether a name may stand for a run: a path below the results, none
// of whose parts is hidden.
func isID(id string) bool {
	if len(id) > maxID || !fs.ValidPath(id) || id == "." || strings.ContainsAny(id, "\\\x00") {
		return false
	}
	parts := strings.Split(id, "/")
	return len(parts) <= maxDepth && !slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, ".") })
}

// find returns the folder of a run.
func (c *catalog) find(id string) (place, bool) {
	if !isID(id) {
		return place{}, false
	}
	for _, p := range c.named {
		if p.id == id {
			return p, true
		}
	}
	root := c.root()
	if root == nil {
		return place{}, false
	}
	p := place{id: id, root: root, dir: id}
	return p, p.isRun()
}

// runFiles are the files that make a folder a run.
func runFiles() []string {
	return []string{tournament.GamesFile, tournament.ManifestFile, report.HistoryFile}
}

func (p place) isRun() bool {
	return slices.ContainsFunc(runFiles(), func(name string) bool {
		info, err := p.root.Stat(path.Join(p.dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// places lists the runs: those named, and those below the results. more tells
// that some were left out.
func (c *catalog) places() (list []place, more bool) {
	list = slices.Clone(c.named)
	root := c.root()
	if root == nil {
		return list, false
	}
	folders := 0
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			isLink := e.Type()&fs.ModeSymlink != 0 // one that stays below the root is as good as a folder
			if !e.IsDir() && !isLink || !isID(name) {
				continue
			}
			if folders++; folders > maxFolders || len(list) >= maxRuns {
				more = true
				return
			}
			if p := (place{id: name, root: root, dir: name}); p.isRun() {
				list = append(list, p)
			}
			if depth < maxDepth && !isLink { // a training holds runs
				walk(name, depth+1)
			}
		}
	}
	walk(".", 1)
	return list, more
}

// entry is a line of the list of runs.
type entry struct {
	ID, Status, About string
	Games, Scheduled  int64
	Counting          bool      // there are more games than Games
	Changed           time.Time // when a game came last
}

// entries lists what is told of all runs, the latest first.
func (c *catalog) entries() (list []entry, more bool) {
	places, more := c.places()
	left := int64(countOfAll)
	for _, p := range places {
		list = append(list, c.entry(p, &left))
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.ID, b.ID)) })
	return list, more
}

// entry describes a run. left is how many bytes of records may be read, which it
// reduces.
func (c *catalog) entry(p place, left *int64) entry {
	e := entry{ID: p.id, Status: noManifest}
	for _, name := range runFiles() {
		if info, err := p.root.Stat(path.Join(p.dir, name)); err == nil && info.ModTime().After(e.Changed) {
			e.Changed = info.ModTime()
		}
	}
	if m, err := tournament.ReadManifest(p.fsys()); err == nil && m != nil && m.Status != "" {
		e.Status, e.About = string(m.Status), playersAndRules(m)
		e.Scheduled = m.Games.Scheduled
		if m.Games.Played > 0 && m.Status == tournament.Finished {
			e.Games = m.Games.Played
			return e
		}
	}
	if _, err := p.root.Stat(path.Join(p.dir, report.HistoryFile)); err == nil && e.Status == noManifest {
		e.Status = tuning
	}
	e.Games, e.Counting = c.count(p, left)
	return e
}

// The statuses of runs that say nothing of it themselves.
const (
	noManifest = "records"
	tuning     = "tuning"
)

// playersAndRules says what a manifest is about, for the list.
func playersAndRules(m *tournament.Manifest) string {
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
	const most = 200
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}

// count counts the lines of a run's records, reading only what has come since,
// and no more than is left. It reports whether there are more.
func (c *catalog) count(p place, left *int64) (games int64, more bool) {
	f, err := p.fsys().Open(tournament.GamesFile)
	if err != nil {
		return 0, false
	}
	defer func() { _ = f.Close() }() // it was only read
	c.mu.Lock()
	known := c.lines[p.id]
	c.mu.Unlock()
	info, err := f.Stat()
	if err != nil || info.Size() == known.size {
		return known.lines, false
	}
	if info.Size() < known.size {
		known = counted{}
	}
	from, ok := f.(io.ReaderAt)
	if !ok {
		return known.lines, false
	}
	most := min(info.Size()-known.size, countOfRun, *left)
	lines := new(lineCounter)
	n, err := io.CopyBuffer(lines, io.NewSectionReader(from, known.size, most), make([]byte, 256<<10))
	*left -= n
	known.size, known.lines = known.size+n, known.lines+int64(*lines)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lines) >= maxRuns {
		clear(c.lines)
	}
	c.lines[p.id] = known
	return known.lines, err == nil && known.size < info.Size()
}

// lineCounter counts the lines that are written to it.
type lineCounter int64

// Write implements [io.Writer].
func (c *lineCounter) Write(b []byte) (int, error) {
	*c += lineCounter(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}

// run returns a run that can be looked at, nil if there is none of that name.
func (c *catalog) run(id string) *run {
	p, ok := c.find(id)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.runs[id]
	if !ok {
		c.makeRoom()
		r = newRun(c.server, p)
		c.runs[id] = r
	}
	r.used = time.Now()
	return r
}

// makeRoom forgets the runs that nobody has looked at for longest.
func (c *catalog) makeRoom() {
	var idle []*run
	for _, r := range c.runs {
		if !r.feed.watched() {
			idle = append(idle, r)
		}
	}
	if len(idle) < maxOpen {
		return
	}
	slices.SortFunc(idle, func(a, b *run) int { return a.used.Compare(b.used) })
	for _, r := range idle[:len(idle)-maxOpen+1] {
		r.feed.end()
		delete(c.runs, r.place.id)
	}
}
