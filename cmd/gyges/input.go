package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gyges/rules/base/files"
	"gyges/tournament"
)

// openInput opens what a user names as a file; "-" is the standard input, and name
// is for messages. Pipes and devices are refused. Reading fails as soon as ctx ends, also
// where the standard input would block.
func openInput(ctx context.Context, stdin io.Reader, path string) (in io.ReadCloser, name string, err error) {
	if path == "-" {
		return abandonable(ctx, stdin), "standard input", nil
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, "", err
	}
	return interruptible{ctx, f}, path, nil
}

// readInput returns what read makes of a file that a user names, see [openInput].
func readInput[T any](
	ctx context.Context, e *env, path string, read func(in io.Reader, name string) (T, error),
) (value T, err error) {
	in, name, err := openInput(ctx, e.in, path)
	if err == nil {
		defer func() { _ = in.Close() }() // it was only read
		value, err = read(in, name)
	}
	return value, plainFileError(err)
}

// mayBlock reports whether a path names a pipe, a device or a socket.
func mayBlock(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// interruptible is a file that can't be read any more when its context is
// cancelled, so that Ctrl-C ends the reading of a large one.
type interruptible struct {
	ctx context.Context
	io.ReadCloser
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p)
}

// abandonable reads the standard input, which may block. When ctx ends it fails at once; the blocked
// call is left behind until the process ends.
func abandonable(ctx context.Context, in io.Reader) io.ReadCloser {
	out, to := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = to.CloseWithError(ctx.Err()) }) // it is never an error
	go func() {
		defer stop()
		_, err := io.Copy(to, in)
		_ = to.CloseWithError(err)
	}()
	return out
}

// fromPath returns what read reads from a path. If that is a pipe or a device, it
// returns as soon as ctx ends, and leaves the blocked call behind.
func fromPath[T any](ctx context.Context, path string, read func() (T, error)) (T, error) {
	if !mayBlock(path) {
		return read()
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// gameFiles finds the file of records of each run; other files are
// returned as they are. A file given twice is an error: its games would count twice.
func gameFiles(runs []string) ([]string, error) {
	var paths []string
	var infos []os.FileInfo
	var errs []error
	for _, path := range runs {
		if path == "-" {
			paths, infos = append(paths, path), append(infos, nil)
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if tournament.IsCutImport(path) {
				errs = append(errs, fmt.Errorf("run: %s holds an import that was not finished; import the file again", path))
				continue
			}
			path = filepath.Join(path, tournament.GamesFile)
			info, err = os.Stat(path)
		}
		if err != nil {
			errs = append(errs, fileError("run", err))
			continue
		}
		for i, other := range infos {
			if other != nil && os.SameFile(other, info) {
				errs = append(errs, fmt.Errorf("run: %s is given twice, also as %s", path, paths[i]))
			}
		}
		paths, infos = append(paths, path), append(infos, info)
	}
	return paths, errors.Join(errs...)
}

// runName is the name of a run's folder, which may be given by its records, or of another file.
func runName(path string) string {
	if filepath.Base(path) == tournament.GamesFile {
		path = filepath.Dir(path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}

// fileError returns an error of opening or reading a file.
func fileError(flag string, err error) error {
	return fmt.Errorf("%s: %w", flag, plainFileError(err))
}

// plainFileError returns an error of the system without the name of the failed call.
func plainFileError(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}
