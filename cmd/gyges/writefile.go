package main

import (
	"bufio"
	"errors"
	"io"

	"gyges/rules/base/files"
)

// writeFile writes the file that a flag names, in one go: see [files.Create]. What
// write returns is returned as it is; the system's errors are no mistake of the
// user's, but for those of opening.
func writeFile(flag, path string, write func(io.Writer) error) error {
	f, err := files.Create(path)
	if err != nil {
		return fileError(flag, err)
	}
	if err = buffered(f, write); err != nil {
		return errors.Join(err, asFailure(f.Discard()))
	}
	return asFailure(f.Commit())
}

// buffered writes in large pieces.
func buffered(to io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(to, 256<<10)
	err := write(b)
	if flushErr := b.Flush(); err == nil {
		err = asFailure(flushErr)
	}
	return err
}
