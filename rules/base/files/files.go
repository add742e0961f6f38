// Package files replaces files atomically, reads them bounded, and locks them.
//
// A file is written by [Create] and [File.Commit], or by [Replace] and its variants in one step:
// readers find the old file or the new one. [Read] and [Load] read regular files alone,
// [LineReader] and [Lines] read texts line by line. [Lock] keeps two processes from the same file;
// [TempDir] and [Clean] use it to tell what a process left behind.
package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrInUse is returned by [Lock] for a file that another process has locked.
var ErrInUse = errors.New("another process is at work here")

// File is a file being written. Until [File.Commit] it has a temporary name beside its place and is
// locked: one without a lock was left by a process that ended, and the next [Create] of the same
// file, or [Clean], removes it.
type File struct {
	*os.File
	path     string // the file to replace; "" if it is written in place
	done     bool   // committed or discarded
	unsynced bool   // Commit doesn't wait for the disk
}

// Create returns a file that takes the place of the one with this path on [File.Commit], so that a
// reader finds the old file or the new one, never a part. A symbolic link stays: what it points to
// is replaced. The permissions of an earlier file are kept. A device, a pipe and the process's own
// streams are written in place.
func Create(path string) (*File, error) { return create(path, shared) }

// The permissions of new files, before the umask.
const (
	private fs.FileMode = 0o600 // for the owner alone
	shared  fs.FileMode = 0o666
)

func create(path string, mode fs.FileMode) (*File, error) {
	if inPlace(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{File: f}, err
	}
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(path)
	clean(dir, base+tmpMark)
	temp, err := createTemp(path, mode)
	if err != nil {
		return nil, withPath(err, path)
	}
	f := &File{File: temp, path: path}
	if old, err := os.Stat(path); err == nil && mode == shared {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return nil, errors.Join(err, f.Discard())
		}
	}
	return f, nil
}

// Write writes to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if f.path != "" {
		err = withPath(err, f.path)
	}
	return n, err
}

// withPath puts the path of a file into an error in place of its temporary name.
func withPath(err error, path string) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		pe.Path = path
	}
	return err
}

// stream is the beginning of paths to the process's own streams.
var stream = regexp.MustCompile(`^/(dev/std|dev/fd/|proc/)`)

// inPlace reports whether a path names a stream, or what is there is no regular file.
func inPlace(path string) bool {
	if stream.MatchString(filepath.ToSlash(filepath.Clean(path))) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// resolve follows the symbolic links that a path ends in, up to a file that may be missing.
func resolve(path string) (string, error) {
	const most = 40 // as on Linux
	for range most {
		to, _ := os.Readlink(path)
		if to == "" {
			return path, nil // not a link
		}
		if !filepath.IsAbs(to) {
			// Join would take a link and the ".." behind it out of the path.
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return "", fmt.Errorf("%s: expected a file, found more than %d links in a row", path, most)
}

// createTemp creates and locks a temporary file beside a path.
func createTemp(path string, mode fs.FileMode) (*os.File, error) {
	const tries = 100
	for range tries {
		name := fmt.Sprint(path, tmpMark, rand.Uint32())
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		inUse := errors.Is(Lock(f), ErrInUse) // a file system without locks will do
		if !inUse && named(f) {
			return f, nil
		}
		_ = f.Close() // another process took it for a leftover before it was locked
	}
	return nil, fmt.Errorf("%s: found no free name for a temporary file in %d tries", path, tries)
}

// named reports whether an open file still has its name.
func named(f *os.File) bool {
	open, _ := f.Stat() // nil after an error, which is the same as no file
	onDisk, _ := os.Lstat(f.Name())
	return os.SameFile(open, onDisk)
}

// Commit puts the file in its place, and closes it. The file and its folder are synced to the disk.
// After an error the earlier file is as it was, and the temporary one is removed.
func (f *File) Commit() error { return f.commit(syncDir) }

func (f *File) commit(syncDir func(string) error) error {
	if f.path == "" {
		f.done = true
		return f.Close()
	}
	var err error
	if !f.unsynced {
		err = withPath(f.Sync(), f.path)
	}
	if runtime.GOOS == "windows" { // which renames no open file
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	f.done = true
	if runtime.GOOS != "windows" {
		err = f.Close()
	}
	if f.unsynced {
		return err
	}
	return errors.Join(err, syncDir(filepath.Dir(f.path)))
}

// Discard closes and removes the file; after Commit it does nothing.
func (f *File) Discard() error {
	if f.done {
		return nil
	}
	f.done = true
	if err := f.Close(); f.path == "" {
		return err
	}
	return os.Remove(f.Name())
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) { // a folder that may be written but not read
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // the file system syncs no folders
	}
	return errors.Join(err, d.Close())
}

// Lock locks a file until it is closed or the process ends. The error is [ErrInUse] if another
// process has locked it.
func Lock(f *os.File) error {
	// The file may be locked for a moment by Locked, or by a process that this one is just
	// starting.
	end := time.Now().Add(200 * time.Millisecond)
	for {
		inUse, err := lock(f, false)
		if !inUse {
			return err
		}
		if time.Now().After(end) {
			return ErrInUse
		}
		time.Sleep(time.Millisecond)
	}
}

// Locked reports whether [Lock] has locked a file of a folder, or that can't be found out. A
// missing file isn't.
func Locked(dir fs.FS, name string) bool {
	opened, err := dir.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = opened.Close() }() // which ends the shared lock
	if f, ok := opened.(*os.File); ok {
		_, err = lock(f, true)
	}
	return err != nil
}

// Open opens a regular file for reading: opening a pipe may block for good, and a device may have
// no end.
func Open(path string) (*os.File, error) {
	if err := Regular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Regular returns an error unless a path names a regular file, or nothing.
func Regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		reason := errNotRegular
		if info.IsDir() {
			reason = syscall.EISDIR
		}
		return &fs.PathError{Op: "open", Path: path, Err: reason}
	}
	return nil // opening says what is wrong with it, if anything
}

var errNotRegular = errors.New("expected a regular file, found a pipe or a device")

// Plain returns an error of the system with the path, but without the name of the call that failed.
func Plain(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// Load returns what read makes of a regular file, whose path it gets as the name.
func Load[T any](
	path string, read func(in io.Reader, name string) (T, error),
) (value T, err error) {
	f, err := Open(path)
	if err != nil {
		return value, Plain(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	return read(f, path)
}

// LoadFS is [Load] for a file of a file system.
func LoadFS[T any](
	fsys fs.FS, path string, read func(in io.Reader, name string) (T, error),
) (value T, err error) {
	info, err := fs.Stat(fsys, path)
	if err == nil && !info.Mode().IsRegular() {
		return value, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	f, err := fsys.Open(path)
	if err != nil {
		return value, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return read(f, path)
}

// Read returns what a regular file of at most most bytes holds.
func Read(path string, most int64) ([]byte, error) { return Load(path, bounded(most)) }

// ReadFS is [Read] for a file of a file system.
func ReadFS(fsys fs.FS, path string, most int64) ([]byte, error) {
	return LoadFS(fsys, path, bounded(most))
}

// bounded returns a function that reads a file of at most most bytes.
func bounded(most int64) func(in io.Reader, path string) ([]byte, error) {
	return func(in io.Reader, path string) ([]byte, error) {
		text, err := io.ReadAll(io.LimitReader(in, most+1))
		if err == nil && int64(len(text)) > most {
			err = fmt.Errorf("%s: expected at most %d bytes, found more", path, most)
		}
		return text, err
	}
}

// Replace writes a file by [Create] and [File.Commit].
func Replace(path string, text []byte) error { return replace(path, text, shared, false) }

// ReplaceJSON is [Replace] with a value as indented JSON.
func ReplaceJSON(path string, value any) error {
	return replaceJSON(path, value, "  ", shared, false)
}

// ReplacePrivate is [ReplaceJSON] of a file that only its owner may read, whatever the permissions
// of an earlier one.
func ReplacePrivate(path string, value any) error {
	return replaceJSON(path, value, "  ", private, false)
}

// ReplaceUnsynced is [ReplaceJSON] of a file for display: it is compact, and the disk isn't waited
// for, so that after a crash the file may be the earlier one, or empty.
func ReplaceUnsynced(path string, value any) error {
	return replaceJSON(path, value, "", shared, true)
}

func replaceJSON(path string, value any, indent string, mode fs.FileMode, unsynced bool) error {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetIndent("", indent)
	if err := to.Encode(value); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return replace(path, text.Bytes(), mode, unsynced)
}

func replace(path string, text []byte, mode fs.FileMode, unsynced bool) error {
	f, err := create(path, mode)
	if err != nil {
		return err
	}
	f.unsynced = unsynced
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// tmpMark separates the name of a file from the number of its temporary one.
const tmpMark = ".tmp-"

var tmpName = regexp.MustCompile(`^.+\.tmp-[0-9]+$`)

// Clean removes from a folder the temporary files and the folders of [TempDir] that processes which
// ended have left there.
func Clean(dir string) { clean(dir, "") }

// clean removes the temporary files in a folder whose names have a prefix and whose locks no
// process has, and the folders that they lock. Errors are ignored: what stays does no harm.
func clean(dir, prefix string) {
	entries, _ := os.ReadDir(filepath.Clean(dir)) // what can't be read is not cleaned
	for _, e := range entries {
		if !isTemp(e) || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			continue // it is another user's, or gone
		}
		_, err = lock(f, false)
		if err == nil && named(f) {
			if runtime.GOOS == "windows" { // which removes no open file
				_ = f.Close()
			}
			// The folder goes first: without its lock it can't be told from a user's.
			_ = os.RemoveAll(folderOf(f.Name()))
			_ = os.Remove(f.Name())
		}
		_ = f.Close() // nothing was written
	}
}

func isTemp(e fs.DirEntry) bool { return e.Type().IsRegular() && tmpName.MatchString(e.Name()) }

// TempDir makes a folder in dir, or in [os.TempDir] if dir is empty, until remove is called or the
// process ends: then the next TempDir with this prefix removes it, as a file beside it is no longer
// locked.
func TempDir(dir, prefix string) (path string, remove func() error, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	clean(dir, prefix+tmpMark)
	lock, err := createTemp(filepath.Join(dir, prefix), private)
	if err != nil {
		return "", nil, err
	}
	path = folderOf(lock.Name())
	remove = func() error {
		return errors.Join(os.RemoveAll(path), lock.Close(), os.Remove(lock.Name()))
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return path, remove, nil
}

// folderOf returns the folder of a lock: PREFIX-N for PREFIX.tmp-N.
func folderOf(lock string) string {
	dir, base := filepath.Split(lock)
	return dir + strings.Replace(base, tmpMark, "-", 1)
}

// Foreign returns the first entry of a folder that a run doesn't make before it writes its
// manifest; "" if there is none, or no folder. A run makes temporary files, and those named made:
// folders, and files that are still empty.
func Foreign(dir string, made ...string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for _, e := range entries {
		isMade := slices.Contains(made, e.Name()) && isUnused(e)
		if !isMade && !isTemp(e) {
			return e.Name(), err
		}
	}
	return "", err
}

// isUnused reports whether an entry is a folder or an empty file.
func isUnused(e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	return e.IsDir() || e.Type().IsRegular() && info.Size() == 0
}

// HostLacks reports whether an error says that this process or machine has no file descriptors,
// processes or memory left.
func HostLacks(err error) bool {
	errno, _ := errors.AsType[syscall.Errno](err)
	switch errno {
	case syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM:
		return true
	default:
		return false
	}
}
