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

// openInput opens a regular file that a user names; "-" is the standard input, and name is for messages. Reading
// fails as soon as ctx ends, also where the standard input would block.
func openInput(ctx context.Context, e *env, path string) (in io.ReadCloser, name string, err error) {
	file, name := io.NopCloser(e.in), "standard input"
	if path != "-" {
		if file, err = files.Open(path); err != nil {
			return nil, "", plainFileError(err)
		}
		name = path
	}
	out, to := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = to.CloseWithError(ctx.Err()) }) // it is never an error
	go func() {
		defer stop()
		_, err := io.Copy(to, file)
		_ = file.Close() // it was only read
		_ = to.CloseWithError(err)
	}()
	return out, name, nil
}

// readInput returns what read makes of a file that a user names, see [openInput].
func readInput[T any](
	ctx context.Context, e *env, path string, read func(in io.Reader, name string) (T, error),
) (value T, err error) {
	in, name, err := openInput(ctx, e, path)
	if err == nil {
		defer func() { _ = in.Close() }() // it was only read
		value, err = read(in, name)
	}
	return value, plainFileError(err)
}

// gameFiles finds the file of records of each run; other files are
// returned as they are. A file given twice is an error: its games would count twice.
func gameFiles(runs []string) ([]string, error) {
	var list []string
	var infos []os.FileInfo
	var errs []error
	for _, path := range runs {
		if path == "-" {
			list, infos = append(list, path), append(infos, nil)
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
		if err == nil {
			err = files.Regular(path)
		}
		if err != nil {
			errs = append(errs, fileError("run", err))
			continue
		}
		for i, other := range infos {
			if other != nil && os.SameFile(other, info) {
				errs = append(errs, fmt.Errorf("run: %s is given twice, also as %s", path, list[i]))
			}
		}
		list, infos = append(list, path), append(infos, info)
	}
	return list, errors.Join(errs...)
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
