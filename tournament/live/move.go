package live

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/training"
	"gyges/tournament/web"
)

// Trash is the folder, in that of the results, to which runs are moved that are removed. It isn't listed.
const Trash = ".trash"

// Rename gives a run below the results another id, whose parts are names that any system allows. It returns a
// [web.Error] if that can't be: while a process has the run, for example.
func (p *Pages) Rename(id, to string) error {
	bad := func(part string) bool { return !tournament.IsName(part) }
	if !isID(to) || slices.ContainsFunc(strings.Split(to, "/"), bad) {
		return web.Unprocessable("to: expected a name below the results, like match-2 or tests/match-2, found %.60q", to)
	}
	return p.catalog.move(id, func(*os.Root) string { return to })
}

// Remove moves a run below the results to [Trash], and returns the path of its folder there. The error is as of Rename.
func (p *Pages) Remove(id string) (folder string, err error) {
	err = p.catalog.move(id, func(root *os.Root) string {
		base := path.Join(Trash, strings.ReplaceAll(id, "/", "-"))
		to := base
		for n := 2; exists(root, to); n++ {
			to = fmt.Sprintf("%s-%d", base, n)
		}
		folder = filepath.Join(root.Name(), to)
		return to
	})
	return folder, err
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// move moves the folder of a run below the results to another place there.
func (c *catalog) move(id string, place func(*os.Root) string) error {
	f, ok := c.find(id)
	if !ok || f.root != c.root() {
		return web.Conflict("expected a run below the results, found %.60q", id)
	}
	info, err := f.root.Lstat(f.dir)
	to := place(f.root)
	switch within := cmp.Or(f.outer(f.dir), f.outer(to)); {
	case err != nil || !info.IsDir():
		return web.Conflict("expected a folder, found the link %s", id)
	case within != "":
		return web.Conflict("%s belongs to a run; expected runs of their own", within)
	case exists(f.root, to):
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
	for up := path.Dir(place); up != "."; up = path.Dir(up) {
		if _, written := (folder{up, f.root, up}).state(runFiles()); !written.IsZero() {
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
