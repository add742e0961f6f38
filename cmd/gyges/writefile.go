package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

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

// writeOut writes what --out asks for: a file, or without one the standard output, and reports whether it is a file.
func writeOut(e *env, path string, write func(io.Writer) error) (toFile bool, err error) {
	if path == "" || path == "-" {
		return false, buffered(e.out, write)
	}
	return true, writeFile("--out", path, write)
}

// formatOf returns the format of the file that a flag names: that of --format, or else the one that its name ends
// in; the first one for a name without an ending and for the standard output. Any other name is refused.
func formatOf(format, flag, path string, formats ...string) (string, error) {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	switch ending {
	case "txt":
		ending = "text"
	case "htm":
		ending = "html"
	}
	switch known := slices.Contains(formats, ending); {
	case known && format != "" && format != ending:
		return "", fmt.Errorf("%s: %s has the ending of another format than --format %s", flag, path, format)
	case known || format != "":
		return cmp.Or(format, ending), nil
	case ending == "":
		return formats[0], nil
	}
	endings := "a name that ends in ." + strings.ReplaceAll(strings.Join(formats, ", ."), "text", "txt")
	if len(formats) > 1 {
		endings += ", or --format"
	}
	return "", fmt.Errorf("%s: expected %s; found %s", flag, endings, path)
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
