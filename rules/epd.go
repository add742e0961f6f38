package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
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

// ParseEPD reads a line "POSITION ;D1 n ;D2 n".
func (r *Rules) ParseEPD(text string) (EPD, error) {
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
		if !isDepth || errDepth != nil || errNodes != nil || depth > maxPerftDepth {
			return l, fmt.Errorf("expected a depth D0 to D%d and a count, like ';D2 4096', found %.60q", maxPerftDepth, ";"+f)
		}
		l.Counts = append(l.Counts, PerftCount{int(depth), nodes})
	}
	return l, nil
}
