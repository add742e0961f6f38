package live

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/training"
	"gyges/tournament/web"
)

// trash is the folder, in that of the results, to which runs are moved that are removed. It isn't listed.
const trash = ".trash"

// Rename gives a run below the results another id, whose parts are names that any system allows. It returns a
// [web.Error] if that can't be: while a process has the run, for example.
func (p *Pages) Rename(id, to string) error {
	bad := func(part string) bool { return !tournament.IsName(part) }
	if !isID(to) || slices.ContainsFunc(strings.Split(to, "/"), bad) {
		return web.Unprocessable("to: expected a name below the results, like match-2 or tests/match-2, found %.60q", to)
	}
	return p.catalog.move(id, to)
}

// Remove moves a run below the results to the folder .trash there, and returns its path. The error is as of Rename.
func (p *Pages) Remove(id string) (dir string, err error) {
	to := path.Join(trash, time.Now().UTC().Format("20060102-150405.000"), id)
	return filepath.Join(p.catalog.path, filepath.FromSlash(to)), p.catalog.move(id, to)
}

// move moves the folder of a run below the results to another place there.
func (c *catalog) move(id, to string) error {
	f, ok := c.find(id)
	if !ok || f.root != c.root() {
		return web.Conflict("expected a run below the results, found %.60q", id)
	}
	info, err := f.root.Lstat(f.dir)
	_, errTo := f.root.Lstat(to)
	switch within := cmp.Or(f.outer(f.dir), f.outer(to)); {
	case err != nil || !info.IsDir():
		return web.Conflict("expected a folder, found the link %s", id)
	case within != "":
		return web.Conflict("%s belongs to a run; expected runs of their own", within)
	case errTo == nil:
		return web.Conflict("%s exists already", to)
	case f.inUse():
		return web.Conflict("%s is in progress; stop it first", id)
	}
	if err = f.root.MkdirAll(path.Dir(to), 0o755); err == nil {
		err = f.root.Rename(f.dir, to)
	}
	if err != nil {
		return web.Conflict("%s can't be moved: %v", id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.runs, func(known string, _ *run) bool { return strings.HasPrefix(known+"/", id+"/") })
	return nil
}

// outer is a place below the results if it is in the folder of a run, else "".
func (f folder) outer(place string) string {
	for up := range parents(place) {
		if (folder{up, f.root, up}).isRun() {
			return place
		}
	}
	return ""
}

// inUse reports whether a process has the run, or one in its folder.
func (f folder) inUse() (found bool) {
	all := folder{"", f.root, "."}
	_ = fs.WalkDir(f.root.FS(), f.dir, func(name string, _ fs.DirEntry, err error) error { // returns no error
		base := path.Base(name)
		found = err != nil || (base == tournament.GamesFile || base == training.HistoryFile) && files.Locked(all, name)
		if found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}
