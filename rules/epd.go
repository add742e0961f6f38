package rules

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// operations begins the operations of a line where no semicolon stands before them.
var operations = regexp.MustCompile(`\s(D\d+|id|c\d)\s`)

// ParseEPD reads a line "POSITION ;D1 n ;D2 n" or "POSITION D1 n; D2 n;". Operations on a text in quotes, such as id
// "TEXT", are left out.
func (r *Rules) ParseEPD(text string) (l EPD, err error) {
	position := strings.IndexByte(text+";", ';')
	if at := operations.FindStringIndex(text[:position]); at != nil {
		position = at[0]
	}
	l.Text = strings.TrimSpace(text[:position])
	if l.Position, err = r.ParsePosition(l.Text); err != nil {
		return l, fmt.Errorf("position %w", err)
	}
	fields, err := splitOperations(text[position:])
	for _, f := range fields {
		if f == "" {
			continue
		}
		name := strings.Fields(f)[0]
		value := strings.TrimSpace(f[len(name):])
		digits, isDepth := strings.CutPrefix(name, "D")
		if !isDepth && len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
			continue
		}
		depth, errDepth := strconv.ParseUint(digits, 10, 8)
		nodes, errNodes := strconv.ParseUint(value, 10, 64)
		if !isDepth || errDepth != nil || errNodes != nil || depth > maxPerftDepth {
			return l, fmt.Errorf("expected a depth D0 to D%d and a count, like ';D2 4096', found %.60q", maxPerftDepth, ";"+f)
		}
		if slices.ContainsFunc(l.Counts, func(c PerftCount) bool { return c.Depth == int(depth) }) {
			return l, fmt.Errorf("expected D%d once, found it again in %.60q", depth, ";"+f)
		}
		l.Counts = append(l.Counts, PerftCount{int(depth), nodes})
	}
	if err == nil && len(l.Counts) == 0 {
		err = errors.New("expected ';D1 n' after the position, found the end")
	}
	return l, err
}

// splitOperations splits a text at the semicolons outside of quotes, inside of which a backslash takes away the meaning
// of what follows it.
func splitOperations(text string) (list []string, err error) {
	start, quote := 0, -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote >= 0:
			i++
		case c == '"' && quote >= 0:
			quote = -1
		case c == '"':
			quote = i
		case c == ';' && quote < 0:
			list = append(list, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	if quote >= 0 {
		return nil, fmt.Errorf("expected a quote at the end of %.60q", text[quote:])
	}
	return append(list, strings.TrimSpace(text[start:])), nil
}
