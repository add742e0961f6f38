package rules

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// EPD is a line of a file of positions with their perft counts.
type EPD struct {
	Line     int    // from 1
	Text     string // the position as written in the file
	Position Position
	Counts   []PerftCount
}

// PerftCount is the number of sequences of so many plies.
type PerftCount struct {
	Depth int
	Nodes uint64
}

// Bounds of such files.
const (
	MaxPerftDepth = 20   // plies
	maxEPDLine    = 4096 // bytes
	maxEPDErrors  = 20   // malformed lines that are named
)

// ReadEPD reads lines "POSITION ;D1 n ;D2 n". Empty lines and those that begin with #
// are ignored. The error joins all malformed lines, up to a limit, after the file's
// name, and an error of in.
func (r *Rules) ReadEPD(name string, in io.Reader) ([]EPD, error) {
	var lines []EPD
	var errs []error
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxEPDLine)
	n := 1
	for ; scanner.Scan() && len(errs) < maxEPDErrors; n++ {
		text := strings.TrimSpace(scanner.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		l, err := r.parseEPD(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
			continue
		}
		l.Line = n
		lines = append(lines, l)
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		errs = append(errs, fmt.Errorf("%s:%d: expected at most %d bytes in a line", name, n, maxEPDLine))
	case err != nil:
		errs = append(errs, err)
	case len(lines) == 0 && len(errs) == 0:
		errs = append(errs, fmt.Errorf("%s: expected lines 'POSITION ;D1 n', found none", name))
	}
	return lines, errors.Join(errs...)
}

func (r *Rules) parseEPD(text string) (EPD, error) {
	fields := strings.Split(text, ";")
	l := EPD{Text: strings.TrimSpace(fields[0])}
	var err error
	if l.Position, err = r.ParsePosition(l.Text); err != nil {
		return l, fmt.Errorf("position %w", err)
	}
	if len(fields) == 1 {
		return l, errors.New("expected ';D1 n' after the position, found the end")
	}
	for _, f := range fields[1:] {
		depthText, nodesText, _ := strings.Cut(strings.TrimSpace(f), " ")
		digits, isDepth := strings.CutPrefix(depthText, "D")
		depth, errDepth := strconv.ParseUint(digits, 10, 8)
		nodes, errNodes := strconv.ParseUint(strings.TrimSpace(nodesText), 10, 64)
		if !isDepth || errDepth != nil || errNodes != nil || depth > MaxPerftDepth {
			return l, fmt.Errorf("expected a depth D0 to D%d and a count, like ';D2 4096', found %.60q", MaxPerftDepth, ";"+f)
		}
		l.Counts = append(l.Counts, PerftCount{int(depth), nodes})
	}
	return l, nil
}
