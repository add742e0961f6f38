package rules

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gyges/rules/base/settings"
)

// EPD is a line of a file of positions with their perft counts.
type EPD struct {
	Text     string // the position as written in the file
	Position Position
	Counts   []PerftCount
}

// PerftCount is the number of sequences of Depth plies.
type PerftCount struct {
	Depth int
	Nodes uint64
}

// maxPerftDepth is the highest depth in such a file, in plies.
const maxPerftDepth = 20

var (
	// firstOperation is where operations begin without a semicolon before them.
	firstOperation = regexp.MustCompile(`;|\s(D\d+|id|c\d)\s|$`)
	// remark is an operation on a text in quotes. A backslash in one is of what follows it.
	remark = regexp.MustCompile(`(^|;)\s*[a-zA-CE-Z]\w*\s+"([^"\\]|\\.)*"\s*(;|$)`)
)

// ParseEPD reads a line "POSITION ;D1 n ;D2 n" or "POSITION D1 n; D2 n;". Operations on a text in
// quotes, such as id "TEXT", are left out.
func (r *Rules) ParseEPD(text string) (l EPD, err error) {
	end := firstOperation.FindStringIndex(text)[0]
	l.Text = strings.TrimSpace(text[:end])
	l.Position, err = r.ParsePosition(l.Text)
	if err != nil {
		return l, fmt.Errorf("position %w", err)
	}
	text = text[end:]
	for remark.MatchString(text) {
		text = remark.ReplaceAllLiteralString(text, ";")
	}
	for operation := range strings.SplitSeq(text, ";") {
		operation = strings.TrimSpace(operation)
		if operation == "" {
			continue
		}
		count, err := parsePerftCount(operation)
		if err != nil {
			return l, err
		}
		isAgain := func(c PerftCount) bool { return c.Depth == count.Depth }
		if slices.ContainsFunc(l.Counts, isAgain) {
			return l, fmt.Errorf("expected D%d once, found it again in %.60q",
				count.Depth, ";"+operation)
		}
		l.Counts = append(l.Counts, count)
	}
	if len(l.Counts) == 0 {
		err = errors.New("expected ';D1 n' after the position, found the end")
	}
	return l, err
}

// parsePerftCount reads an operation "D1 n".
func parsePerftCount(text string) (PerftCount, error) {
	depthText, nodesText, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	digits, isDepth := strings.CutPrefix(depthText, "D")
	depth, errDepth := settings.Parse[uint64](digits)
	nodes, errNodes := settings.Parse[uint64](strings.TrimSpace(nodesText))
	areNumbers := errors.Join(errDepth, errNodes) == nil
	if !isDepth || !areNumbers || depth > maxPerftDepth {
		hint := settings.ZeroHint(digits + " " + nodesText)
		return PerftCount{}, fmt.Errorf(
			"expected a depth D0 to D%d and a count, like ';D2 4096'%s, found %.60q",
			maxPerftDepth, hint, ";"+text)
	}
	return PerftCount{int(depth), nodes}, nil
}
