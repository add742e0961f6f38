package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"gyges/rules"
)

const (
	maxEPDLine   = 4096 // bytes
	maxEPDErrors = 20   // malformed lines that are named
)

// epdLine is one position with the counts that are expected of it.
type epdLine struct {
	where    string // file:line
	text     string
	position rules.Position
	counts   []epdCount
}

type epdCount struct {
	depth int
	nodes uint64
}

// checkFile compares the counts of a file and prints those that differ.
func (c *perftCmd) checkFile(ctx context.Context, e *env, r *rules.Rules) error {
	lines, err := c.readEPD(ctx, e.in, r)
	if err != nil {
		return err
	}
	mismatches := 0
	for _, l := range lines {
		for _, want := range l.counts {
			if c.Depth != nil && want.depth > *c.Depth {
				continue
			}
			n, _, err := perft(ctx, r, l.position, want.depth, c.how())
			if err != nil {
				return err
			}
			e.log.Debug("perft", "at", l.where, "depth", want.depth, "nodes", n)
			if n != want.nodes {
				mismatches++
				e.out.printf("%s: %s depth %d: expected %d, counted %d\n", l.where, l.text, want.depth, want.nodes, n)
			}
		}
	}
	e.out.printf("%d positions, %d mismatches\n", len(lines), mismatches)
	if mismatches > 0 {
		return errNo
	}
	return nil
}

func (c *perftCmd) readEPD(ctx context.Context, stdin io.Reader, r *rules.Rules) ([]epdLine, error) {
	f, name, err := openInput(ctx, stdin, c.EPD)
	if err != nil {
		return nil, fileError("--epd", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	return parseEPD(name, f, r)
}

// fileError words an error of opening or reading a file.
func fileError(flag string, err error) error {
	return fmt.Errorf("%s: %w", flag, plainFileError(err))
}

// plainFileError words an error of the system without the call that failed.
func plainFileError(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// parseEPD reads lines "POSITION ;D1 n ;D2 n". Empty lines and those that begin
// with # are left out. The error joins all malformed lines, up to a limit.
func parseEPD(name string, in io.Reader, r *rules.Rules) ([]epdLine, error) {
	var lines []epdLine
	var errs []error
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxEPDLine)
	n := 0
	for scanner.Scan() && len(errs) < maxEPDErrors {
		n++
		text := strings.TrimSpace(scanner.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		l, err := parseEPDLine(text, r)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
			continue
		}
		l.where = fmt.Sprintf("%s:%d", name, n)
		lines = append(lines, l)
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		errs = append(errs, fmt.Errorf("%s:%d: expected at most %d bytes in a line", name, n+1, maxEPDLine))
	} else if err != nil {
		errs = append(errs, fileError("--epd", err))
	}
	if len(lines) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: expected lines 'POSITION ;D1 n', found none", name))
	}
	return lines, errors.Join(errs...)
}

func parseEPDLine(text string, r *rules.Rules) (epdLine, error) {
	fields := strings.Split(text, ";")
	l := epdLine{text: strings.TrimSpace(fields[0])}
	var err error
	if l.position, err = parsePosition(r, []string{l.text}); err != nil {
		return l, err
	}
	if len(fields) == 1 {
		return l, errors.New("expected ';D1 n' after the position, found the end")
	}
	for _, f := range fields[1:] {
		count, err := parseEPDCount(f)
		if err != nil {
			return l, err
		}
		l.counts = append(l.counts, count)
	}
	return l, nil
}

func parseEPDCount(text string) (epdCount, error) {
	var c epdCount
	words := strings.Fields(text)
	if len(words) == 2 && strings.HasPrefix(words[0], "D") {
		depth, errDepth := strconv.ParseUint(words[0][1:], 10, 8)
		nodes, errNodes := strconv.ParseUint(words[1], 10, 64)
		if errDepth == nil && errNodes == nil && depth <= maxDepth {
			return epdCount{int(depth), nodes}, nil
		}
	}
	return c, fmt.Errorf("expected a depth D0 to D%d and a count, like ';D2 4096', found %.60q", maxDepth, ";"+text)
}
