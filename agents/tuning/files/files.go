// Package files keeps files whole that several processes may write, or that a
// process may leave half written.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrInUse is returned by [Lock] for a file that another process has.
var ErrInUse = errors.New("another process is at work here")

// Replace writes a file beside its place and moves it there, so that a reader
// finds the old one or the new one, never a part. It is synced to the disk.
func Replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
