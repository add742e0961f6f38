package ugi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gyges/rules"
)

// null is the move of a side that has none.
const null = "null"

// formatMove writes a move in the protocol's numbers, in which squares are numbered from South's
// left.
func formatMove(m rules.Move) string {
	text := fmt.Sprintf("%d|%d", m.From(), m.To())
	switch {
	case m == rules.NoMove, m == rules.Pass:
		return null
	case m.IsPlacement():
		return fmt.Sprintf("@%d|%d", m.FromHand(), m.To())
	case m.FromHand() > 0:
		text = fmt.Sprintf("+%d|%d", m.FromHand(), m.To())
	}
	if m.Drop() != rules.NoSquare {
		text += fmt.Sprintf("|%d", m.Drop())
	}
	return text
}

// parseMove reads a move in p, written in the protocol's numbers or in the short or long notation
// of package rules. Either goal's number means the opponent's goal. Whether the move is legal is
// not checked; it returns an error for an invalid text or an empty start square.
func parseMove(r *rules.Rules, p rules.Position, text string) (rules.Move, error) {
	if text == null {
		return rules.Pass, nil
	}
	if !strings.Contains(text, "|") {
		return r.ParseMove(p, text)
	}
	// Package rules reads the move, so the numbers are rewritten as names of squares. A number that
	// names none becomes the name of no square.
	short := shortNotation(text)
	if strings.Contains(short, rules.NoSquare.String()) {
		return rules.NoMove, fmt.Errorf(
			"expected a move start|end or start|end|drop, found %.120q", text)
	}
	m, err := r.ParseMove(p, short)
	if err != nil {
		return rules.NoMove, fmt.Errorf("%.40s is %w", text, err)
	}
	return m, nil
}

// shortNotation rewrites a move in the protocol's numbers: where it starts, a square or, after +
// and @, a height in the hand; where it ends; where it drops a piece.
func shortNotation(text string) string {
	start, rest, _ := strings.Cut(text, "|")
	end, drop, drops := strings.Cut(rest, "|")
	height, places := strings.CutPrefix(start, "@")
	switch {
	case places && !drops:
		return height + "@" + squareName(end)
	case !strings.HasPrefix(start, "+"):
		start = squareName(start)
	}
	if drops {
		return start + "x" + squareName(end) + "@" + squareName(drop)
	}
	return start + "-" + squareName(end)
}

// squareName returns the name of the square with a number, or that of no square.
func squareName(number string) string {
	n, err := strconv.ParseUint(number, 10, 8)
	if err != nil {
		return rules.NoSquare.String()
	}
	return rules.Square(n).String()
}

// startRows is the board of setpos start.
const startRows = "321123/000000/000000/000000/000000/321123"

// formatRows writes a board for setpos data: the first row is the mover's home row.
func formatRows(r *rules.Rules, p rules.Position) string {
	if p.Side() == rules.North {
		p = p.Rotate()
	}
	rows, _, _ := strings.Cut(r.FormatPosition(p), " ")
	return rows
}

// parseRows reads the board of setpos data. The rows may be separated by slashes, commas, bars or
// blanks, or not at all. The bottom player is South and to move.
func parseRows(r *rules.Rules, text string) (p rules.Position, err error) {
	separators := strings.NewReplacer("/", "", ",", "", "|", "", " ", "", "\t", "")
	digits := separators.Replace(text)
	if rest := strings.TrimLeft(digits, "0123"); rest != "" {
		return p, fmt.Errorf(
			"expected a board of 36 digits from 0 to 3, found %.120q", rest)
	}
	if len(digits) != rules.NumSquares {
		return p, fmt.Errorf(
			"expected a board of 36 digits from 0 to 3, found %d", len(digits))
	}
	var rows []string
	for row := range slices.Chunk([]byte(digits), rules.Files) {
		rows = append(rows, string(row))
	}
	return r.ParsePosition(strings.Join(rows, "/") + " s")
}
