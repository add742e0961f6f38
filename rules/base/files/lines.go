package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxBadLines is the number of malformed lines after which a text is not read on.
const maxBadLines = 20

// Lines calls each with every line of a text and its number from 1. Ends, byte order marks and spaces around lines are
// removed; empty lines and those that begin with # are left out. Of the others there may be maxLines, of maxLine bytes
// at most. The error joins those of reading and of each, after the text's name and the line's number.
func Lines(in io.Reader, name string, maxLine, maxLines int, each func(n int, line string) error) error {
	var errs []error
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine+1) // with its end
	n, taken := 1, 0
	for ; len(errs) < maxBadLines && lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		if taken++; taken > maxLines {
			return errors.Join(append(errs, fmt.Errorf("%s:%d: expected at most %d lines, found more", name, n, maxLines))...)
		}
		if err := each(n, line); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		errs = append(errs, fmt.Errorf("%s:%d: expected a line of at most %d bytes, found a longer one", name, n, maxLine))
	case err != nil:
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
