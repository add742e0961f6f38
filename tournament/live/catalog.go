package live

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
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
	maxIdle    = 10 // runs kept in memory that nobody looks at
	idleTime   = time.Minute

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

// runFiles are the files that make a folder a run, the records first.
func runFiles() []string {
	return []string{tournament.GamesFile, tournament.ManifestFile, training.HistoryFile, training.ManifestFile}
}

// state returns the sizes and times of files as a text, and the time of the last change; zero if there
// is none of them.
func (f folder) state(names []string) (stamp string, written time.Time) {
	for _, name := range names {
		if info, err := f.Stat(name); err == nil {
			stamp += fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
			if written.Before(info.ModTime()) {
				written = info.ModTime()
			}
		}
		stamp += "/"
	}
	return stamp, written
}

// isLeft reports whether no process plays or learns in the folder, whose files had a state when they were read as those
// of a run in progress.
func (f folder) isLeft(names []string, before string) bool {
	if files.Locked(f, tournament.GamesFile) || files.Locked(f, training.HistoryFile) {
		return false
	}
	now, _ := f.state(names)
	return now == before // otherwise it may have ended meanwhile
}

// goesOn says how a run goes on whose process was killed, m being its manifest; nil: none. A run that is part of a
// training goes on with that.
func (f folder) goesOn(m *tournament.Manifest) string {
	dir := f.dir
	for up := path.Dir(dir); up != "."; up = path.Dir(up) {
		if _, err := f.root.Stat(path.Join(up, training.ManifestFile)); err == nil {
			dir, m = up, nil
		}
	}
	out, command := path.Join(f.root.Name(), dir), ""
	if m != nil && m.Config.Schedule != tournament.SelfPlay { // which also makes training positions
		command = report.PlayCommand(m, out)
	}
	if command == "" {
		return textfmt.Visible("the same command with `--out " + report.ShellWord(out) + "` goes on")
	}
	return textfmt.Visible("`" + command + "` goes on")
}

// catalog finds runs. What it opens lies below its roots: an [os.Root] follows no
// symbolic link that leads out of it.
type catalog struct {
	pages *Pages
	path  string   // of the folder of results; "": none
	named []folder // of the runs the operator named

	mu      sync.Mutex
	results *os.Root // nil until there is one
	runs    map[string]*run

	listing sync.Mutex
	listed  map[string]listed
}

func newCatalog(p *Pages, results string, runs []string) (*catalog, error) {
	c := &catalog{pages: p, path: results, runs: map[string]*run{}}
	var errs []error
	for _, dir := range runs {
		errs = append(errs, c.add(dir))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, c.close())
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

func (c *catalog) close() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.named {
		err = errors.Join(err, f.root.Close())
	}
	if c.results != nil {
		err = errors.Join(err, c.results.Close())
		c.results = nil
	}
	return err
}

// root returns the folder of results, nil if there is none.
func (c *catalog) root() *os.Root {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil && c.path != "" && c.pages.server.Context().Err() == nil {
		if root, err := os.OpenRoot(c.path); err == nil {
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
	_, written := f.state(runFiles())
	return f, !written.IsZero()
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
		if _, written := f.state(runFiles()); !written.IsZero() {
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
	GoesOn            string    // how, if it is stopped
}

// listed is a run as it was listed last.
type listed struct {
	entry
	stamp   string // of its files
	counted int64  // bytes of its records
	lines   int64  // in these
}

// entries lists all runs, the latest first. Only those whose files have changed are read again, and
// of their records what was appended.
func (c *catalog) entries() (list []entry, more bool) {
	c.listing.Lock()
	defer c.listing.Unlock()
	folders, more := c.folders()
	left, now := int64(countOfAll), map[string]listed{}
	for _, f := range folders {
		stamp, written := f.state(runFiles())
		l := c.listed[f.id]
		if l.stamp != stamp || l.Counting {
			l.stamp, l.entry = stamp, describe(f)
			l.Written = written
			if l.Games == 0 {
				l.count(f, &left)
			}
		}
		now[f.id] = l
		if l.GoesOn != "" && f.isLeft(runFiles(), stamp) {
			l.Status = stopped
		} else {
			l.GoesOn = ""
		}
		list = append(list, l.entry)
	}
	c.listed = now
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(b.Written.Compare(a.Written), cmp.Compare(a.ID, b.ID))
	})
	return list, more
}

// Statuses that no manifest has.
const (
	noManifest = "records"
	tuning     = "tuning"
	stopped    = "stopped" // the manifest says running, but no process has the run
)

// describe describes a run, with the number of games if it is finished, or with how it goes on if it has no end.
func describe(f folder) entry {
	e := entry{ID: f.id, Status: noManifest}
	if m, err := tournament.ReadManifest(f); err == nil && m != nil && m.Status != "" {
		e.Status, e.About, e.Scheduled = string(m.Status), summarize(m), m.Games.Scheduled
		switch m.Status {
		case tournament.Finished:
			e.Games = m.Games.Played
		case tournament.Running:
			e.GoesOn = f.goesOn(m)
		}
	} else if t, err := report.ReadTuning(f); err == nil {
		e.Status, e.About = string(t.State()), shorten(t.About(), 200)
		if t.Status == tournament.Running {
			e.GoesOn = f.goesOn(nil)
		}
	} else if _, err := f.Stat(training.HistoryFile); err == nil {
		e.Status = tuning
	} else if strings.HasPrefix(path.Base(f.id), "play-") {
		e.About = "games played in the browser"
	}
	return e
}

// summarize describes a manifest in a line.
func summarize(m *tournament.Manifest) string {
	text := textfmt.Plural(cmp.Or(len(m.Config.Agents), m.Players), "player")
	switch n := len(m.Config.Agents); {
	case m.Status == tournament.Imported && m.Players == 0: // by an earlier version
		text = "games from " + m.From
	case m.Status == tournament.Imported:
		text += " from " + m.From
	case n > 0 && n <= 3:
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
	if e := m.Config.UntilError; e > 0 {
		text += fmt.Sprintf(" · until ± %g Elo", e)
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

// count counts the lines that were appended to the records, reading at most left bytes of them, from
// which it subtracts those read.
func (l *listed) count(f folder, left *int64) {
	info, err := f.Stat(tournament.GamesFile)
	if err != nil || info.Size() < l.counted {
		l.lines, l.counted, l.Counting = 0, 0, err == nil // they are gone, or counted anew the next time
		return
	}
	records, err := f.Open(tournament.GamesFile)
	if err != nil {
		return
	}
	defer func() { _ = records.Close() }() // it was only read
	end := l.counted + min(info.Size()-l.counted, countOfRun, *left)
	*left -= end - l.counted
	for buf := make([]byte, 256<<10); l.counted < end; {
		n, err := records.(io.ReaderAt).ReadAt(buf[:min(end-l.counted, int64(len(buf)))], l.counted)
		l.lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if l.counted += int64(n); err != nil {
			break
		}
	}
	l.Games, l.Counting = l.lines, l.counted < info.Size()
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
		r = newRun(c.pages, f)
		c.runs[id] = r
	}
	r.used.Store(time.Now().UnixNano())
	return r
}

// evict removes the runs that were used longest ago, if there are too many. Pages that are open
// use theirs all the time.
func (c *catalog) evict() {
	recent := time.Now().Add(-idleTime).UnixNano()
	idle := slices.DeleteFunc(slices.Collect(maps.Values(c.runs)), func(r *run) bool { return r.used.Load() > recent })
	slices.SortFunc(idle, func(a, b *run) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	for _, r := range idle[:max(0, len(idle)-maxIdle+1)] {
		delete(c.runs, r.folder.id)
	}
}
