package live

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gyges/agents"
	"gyges/ratings/source"
	"gyges/ratings/sprt"
	"gyges/rules/base/files"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/training"
	"gyges/tournament/web"
	"gyges/tournament/web/report"
)

const (
	maxRuns    = 2000 // listed
	maxFolders = 20_000
	maxDepth   = 5 // folders below the one of results
	maxID      = 512
	idleTime   = 10 * time.Minute // that a run which nobody looks at is kept in memory

	// How much of the records is read for the list at a time; the rest is counted the next time.
	readsOfRun = 8         // of one run, each of at most readAtOnce
	countOfAll = 128 << 20 // bytes
)

// folder is the folder of a run as a file system, for names that the program gives files. It opens
// regular files only: reading others could block.
type folder struct {
	id   string // in addresses
	root *os.Root
	dir  string // in root
}

var errNotRegular = errors.New("expected a regular file")

// Stat implements [fs.StatFS].
func (f folder) Stat(name string) (fs.FileInfo, error) {
	name = path.Join(f.dir, name)
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return info, nil
}

// Open implements [fs.FS].
func (f folder) Open(name string) (fs.File, error) {
	if _, err := f.Stat(name); err != nil {
		return nil, err
	}
	return f.root.Open(path.Join(f.dir, name))
}

// path is the path of the folder in command lines.
func (f folder) path() string { return path.Join(f.root.Name(), f.dir) }

var (
	// runFiles are the files that make a folder a run, the records first.
	runFiles = []string{
		tournament.GamesFile, tournament.ManifestFile, training.HistoryFile, training.ManifestFile,
	}
	// filesBeside are the files beside the records.
	filesBeside = append(slices.Clone(runFiles[1:]), review.FileName)
)

// state returns the sizes and times of files as a text, and the time of the last change; zero if
// there is none of them.
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

// isLeft reports whether no process plays or learns in the folder, whose files had a state before.
func (f folder) isLeft(names []string, before string) bool {
	for _, name := range []string{tournament.GamesFile, training.HistoryFile} {
		if files.Locked(f, name) {
			return false
		}
	}
	now, _ := f.state(names)
	return now == before // otherwise it may have ended meanwhile
}

// goesOn says how a run goes on whose process was killed; m is nil if it has no manifest. The
// command line is unknown where the run is part of a training, or makes positions beside its games.
func (f folder) goesOn(m *tournament.Manifest) string {
	dir, command := f.path(), ""
	if m != nil && !m.Config.Schedule.Format().About().Alone {
		command = report.PlayCommand(m, dir)
	}
	for up := range parents(path.Join(f.dir, tournament.ManifestFile)) { // the folder itself, too
		if _, err := f.root.Stat(path.Join(up, training.ManifestFile)); err == nil {
			dir, command = path.Join(f.root.Name(), up), ""
		}
	}
	if command == "" {
		out := "--out " + textfmt.ShellWord(dir)
		return textfmt.Visible("the same command with `" + out + "` goes on")
	}
	return textfmt.Visible("`" + command + "` goes on")
}

// parents are the folders that a path is in, without the root.
func parents(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for up := path.Dir(name); up != "."; up = path.Dir(up) {
			if !yield(up) {
				return
			}
		}
	}
}

// catalog finds runs. What it opens lies below its roots: an [os.Root] follows no symbolic link
// that leads out of it.
type catalog struct {
	pages *Pages
	path  string   // of the folder of results; "": none
	named []folder // the runs, and folders of runs, that the operator named

	mu      sync.Mutex
	results *os.Root // nil until there is one
	runs    map[string]*run

	indexes sync.Map // by run: the *index of its records
	listing sync.Mutex
	listed  map[string]entry // by id
}

// add opens a run, or a folder of runs, that the operator named. The folder of results is left out,
// as it is listed already.
func (c *catalog) add(dir string) error {
	if filepath.Base(dir) == tournament.GamesFile {
		dir = filepath.Dir(dir)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	// The folder is opened once, so it is the same even if it is renamed.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("run: expected a folder: %w", err)
	}
	// The root stays open, as all of the run is opened below it.
	c.pages.server.OnClose(root.Close)
	// After an error the information is nil, which is the same file as no other.
	info, _ := root.Stat(".")
	results, _ := os.Stat(c.path)
	if os.SameFile(info, results) {
		return nil
	}
	named := folder{id: c.newID(filepath.Base(absolute)), root: root, dir: "."}
	c.named = append(c.named, named)
	var s search
	if err := s.look(named); err != nil {
		return err
	}
	if len(s.runs) == 0 {
		return fmt.Errorf("run: expected the folder of a run, or one with runs in it, "+
			"found neither in %s", dir)
	}
	return nil
}

// newID returns an id that no folder named before has.
func (c *catalog) newID(base string) string {
	if !isID(base) {
		base = "run"
	}
	id := base
	isTaken := func(f folder) bool { return f.id == id }
	// Others of the same name are numbered.
	for n := 2; slices.ContainsFunc(c.named, isTaken); n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	return id
}

func (c *catalog) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil {
		return nil
	}
	return c.results.Close()
}

// roots returns the folders in which runs are looked for: those named, and the folder of results,
// if there is one, with the id ".".
func (c *catalog) roots() []folder {
	c.mu.Lock()
	defer c.mu.Unlock()
	isOpen := c.pages.server.Context().Err() == nil
	if c.results == nil && isOpen {
		c.results, _ = os.OpenRoot(c.path) // nil after an error, as for ""
	}
	if c.results == nil {
		return c.named
	}
	return append(slices.Clip(c.named), folder{".", c.results, "."})
}

// isID reports whether a name may be that of a run: a path below the results, none of whose parts
// is hidden.
func isID(id string) bool {
	if len(id) > maxID || !fs.ValidPath(id) || strings.ContainsAny(id, "\\\x00") {
		return false
	}
	if strings.Contains("/"+id, "/.") {
		return false // a part is hidden
	}
	return strings.Count(id, "/") < maxDepth
}

// errNoRun is the error of a name that no run has.
var errNoRun = web.Error{Status: http.StatusNotFound, Text: "there is no such run"}

// find returns the run of an id. The error is errNoRun, or that the host lacks what it takes to
// look for it.
func (c *catalog) find(id string) (folder, error) {
	if !isID(id) {
		return folder{}, errNoRun
	}
	// An id begins with the id of its root, but for runs below the results.
	for _, in := range c.roots() {
		rest, isBelow := strings.CutPrefix(id+"/", in.id+"/")
		if isBelow || in.id == "." {
			f := folder{id, in.root, path.Clean(rest)}
			return f, f.check()
		}
	}
	return folder{}, errNoRun
}

// check returns an error as of [catalog.find] unless the folder is a run.
func (f folder) check() error {
	for _, name := range runFiles {
		_, err := f.Stat(name)
		if err == nil || files.HostLacks(err) {
			return err
		}
	}
	return errNoRun
}

// search finds the runs in folders.
type search struct {
	runs   []folder
	looked int  // number of folders looked into
	more   bool // some were left out
}

// look adds the runs in a folder, which may be one itself. The error is that the host lacks what it
// takes to look into them.
func (s *search) look(in folder) error {
	return fs.WalkDir(in.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if files.HostLacks(err) {
			return err
		}
		if err != nil {
			return nil //nolint:nilerr // a folder that can't be read is left out
		}
		// Only folders whose path is an id can be asked for.
		f := folder{path.Join(in.id, name), in.root, name}
		isLink := e.Type()&fs.ModeSymlink != 0 // it may lead to a folder below the root
		isFile := !e.IsDir() && !isLink
		if isFile || f.id == "." {
			return nil
		}
		if !isID(f.id) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		s.more = s.looked == maxFolders || len(s.runs) == maxRuns
		if s.more {
			return fs.SkipAll
		}
		s.looked++
		err = f.check()
		if errors.Is(err, errNoRun) {
			return nil
		}
		if err == nil {
			s.runs = append(s.runs, f)
		}
		return err
	})
}

// entry is a line of the list of runs.
type entry struct {
	ID, Status, Format, About string
	Rules                     []string
	Games, Scheduled          int64
	played                    int64     // by the manifest, also games that wait for an earlier one
	Counting                  bool      // there are more games than Games
	Written                   time.Time // of the last file, also of the runs in it
	GoesOn                    string    // how, if it is stopped
	In                        string    // the outermost run that it is in; "": none
	Inner                     int64     // runs in it

	stamp string // of its files
}

// entries lists all runs. Only runs whose files have changed are read again, and of their records
// what was appended.
func (c *catalog) entries() (list listing, err error) {
	c.listing.Lock()
	defer c.listing.Unlock()
	// The runs are those named, and those below the results.
	var found search
	for _, in := range c.roots() {
		if err := found.look(in); err != nil {
			return list, err
		}
	}
	list.more = found.more
	// Where the manifest doesn't tell how many games a run has, they are counted.
	left := int64(countOfAll) // bytes of records to be read
	listed := map[string]entry{}
	for _, f := range found.runs {
		// A name below the results may be one of those named, too.
		if listed[f.id].ID != "" {
			continue
		}
		// Only what has changed, or is not counted to its end, is read.
		stamp, written := f.state(runFiles)
		e := c.listed[f.id]
		if e.stamp != stamp || e.Counting {
			e = describe(f)
			e.stamp, e.Written = stamp, written
			if e.Games == 0 {
				e.Games, e.Counting = c.count(f, &left)
				e.Games = max(e.Games, e.played)
			}
		}
		listed[f.id] = e
		if e.GoesOn != "" && f.isLeft(runFiles, stamp) {
			e.Status = stopped
		} else {
			e.GoesOn = ""
		}
		list.runs = append(list.runs, e)
	}
	c.listed = listed
	// Indexes of runs that are gone are not kept.
	for id := range c.indexes.Range {
		if listed[id.(string)].ID == "" {
			c.indexes.Delete(id)
		}
	}
	nest(list.runs)
	return list, nil
}

// nest finds the runs that are in others, such as the matches of a training, and adds their number
// and games to those.
func nest(list []entry) {
	byID := map[string]*entry{}
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	for i := range list {
		e := &list[i]
		// The last parent found is the outermost run.
		for up := range parents(e.ID) {
			if byID[up] != nil {
				e.In = up
			}
		}
		outer := byID[e.In]
		if outer == nil {
			continue
		}
		outer.Inner++
		if outer.Scheduled == 0 { // it plays none itself
			outer.Games += e.Games
			if e.Counting {
				outer.Counting = true
			}
		}
		if outer.Written.Before(e.Written) {
			outer.Written = e.Written
		}
	}
}

// Statuses that no manifest has.
const (
	noManifest = "records"
	tuning     = "tuning"
	stopped    = "stopped" // the manifest says running, but no process has the run
)

// describe describes a run, with the number of games if it is finished, or with how it goes on if
// it has no end.
func describe(f folder) entry {
	e := entry{ID: f.id, Status: noManifest, Format: "records"}
	players := 0 // at least
	// A manifest that can't be read is as none.
	m, _ := tournament.ReadManifest(f)
	if m == nil || m.Status == "" {
		m = nil
		e.describeOther(f)
	} else {
		e.Status = string(m.Status)
		e.Format = kindOf(m)
		e.Rules = boundRules(m.Config.RuleSets())
		e.About = summarize(m)
		e.Scheduled = m.Games.Scheduled
		e.played = m.Games.Played
		if m.Status == tournament.Finished {
			e.Games = m.Games.Played
		}
		players = m.Players
	}
	// A run without an end may have been killed.
	if e.Status == string(tournament.Running) {
		e.GoesOn = f.goesOn(m)
	}
	// Where no file says who plays by which rules, the first games do.
	if len(e.Rules) == 0 {
		names, rules := f.firstGames()
		e.Rules = rules
		e.About = strings.Trim(listPlayers(names, players)+" · "+e.About, " ·")
	}
	return e
}

// describeOther describes a run without the manifest of a tournament.
func (e *entry) describeOther(f folder) {
	if t, err := report.ReadTuning(f); err == nil {
		e.Status = string(t.State())
		e.Format = t.Kind()
		e.Rules = boundRules([]string{t.Config.Rules})
		e.About = textfmt.Cut(cmp.Or(t.Config.Agent, t.Method), 200)
		return
	}
	if _, err := f.Stat(training.HistoryFile); err == nil {
		e.Status = tuning
		e.Format = tuning
		return
	}
	if strings.HasPrefix(path.Base(f.id), tournament.PlayedPrefix) {
		e.Format = "games played in the browser"
	}
}

// kindOf is what the list calls a run's format.
func kindOf(m *tournament.Manifest) string {
	format := m.Config.Schedule.Format().About()
	switch {
	case m.Status == tournament.Imported:
		return "import"
	case m.Config.SPRT != (sprt.Test{}):
		return "SPRT"
	case len(m.Config.Agents) == 2 && !format.Adaptive && !format.Alone:
		return "match"
	}
	return textfmt.Cut(format.Name, 40)
}

// summarize names the players of a run, or where it comes from, and its goal.
func summarize(m *tournament.Manifest) string {
	text := listPlayers(lists.Map(m.Config.Agents, agents.Spec.Label), 0)
	if m.Status == tournament.Imported {
		text = "from " + m.From
	}
	if e := m.Config.UntilError; e > 0 {
		text += fmt.Sprintf(" · until ± %g Elo", e)
	}
	return textfmt.Cut(text, 200)
}

// listPlayers names the first players of at least all.
func listPlayers(names []string, all int) string {
	const most = 4
	shown := names[:min(len(names), most)]
	shown = lists.Map(shown, func(name string) string { return textfmt.Cut(name, 60) })
	text := textfmt.List(shown, most)
	all = max(all, len(names))
	if all <= most {
		return text
	}
	if text == "" {
		return fmt.Sprintf("%d players", all)
	}
	return fmt.Sprintf("%d players: %s, …", all, text)
}

// boundRules bounds the rule sets of a run, which come from its files.
func boundRules(list []string) (rules []string) {
	for _, name := range list[:min(len(list), 20)] {
		if name != "" {
			rules = append(rules, textfmt.Cut(name, 100))
		}
	}
	return rules
}

// firstGames returns the players and rule sets of the first games, for imports and records without
// a manifest.
func (f folder) firstGames() (players, rules []string) {
	const most, maxBytes = 100, 256 << 10
	records, err := f.Open(tournament.GamesFile)
	if err != nil {
		return nil, nil
	}
	defer func() { _ = records.Close() }() // it was only read
	in := record.NewReader(io.LimitReader(records, maxBytes), tournament.GamesFile)
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	var g source.Result
	for range most {
		if in.ReadResult(&g) != nil {
			break
		}
		add(&players, g.South)
		add(&players, g.North)
		add(&rules, g.Rules)
	}
	return lists.Map(players, agents.NamesOf(players).Of), boundRules(rules)
}

// count counts the games of a run. It reads about left bytes of the records at most, and subtracts
// those read. more reports whether there are more.
func (c *catalog) count(f folder, left *int64) (games int64, more bool) {
	x := c.index(f)
	more = true
	for range readsOfRun {
		if !more || *left <= 0 {
			break
		}
		var size int64
		size, more = x.read()
		*left -= size
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.games, more
}

// index returns the index of a run's records.
func (c *catalog) index(f folder) *index {
	x, _ := c.indexes.LoadOrStore(f.id, &index{tail: tail{folder: f, most: c.pages.maxRead}})
	return x.(*index)
}

// open returns the run of an id. Errors are those of find.
func (c *catalog) open(id string) (*run, error) {
	f, err := c.find(id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.runs[id]
	if r == nil {
		// Runs that nobody looks at make room. Pages that are open use theirs all the time.
		recent := time.Now().Add(-idleTime).UnixNano()
		maps.DeleteFunc(c.runs, func(_ string, r *run) bool { return r.used.Load() < recent })
		r = &run{pages: c.pages, folder: f}
		r.feed = &feed[*page]{pages: c.pages, render: r.render}
		c.runs[id] = r
	}
	r.used.Store(time.Now().UnixNano())
	return r, nil
}
