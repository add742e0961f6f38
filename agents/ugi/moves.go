package ugi

import (
	"fmt"
	"strconv"
	"strings"

	"gyges/rules"
)

// null is the move of a side that has none.
const null = "null"

// formatMove writes a move in the protocol's numbers.
func formatMove(m rules.Move) string {
	switch {
	case m == rules.NoMove || m == rules.Pass:
		return null
	case m.IsPlacement():
		return fmt.Sprintf("@%d|%d", m.FromHand(), m.To())
	case m.FromHand() > 0:
		return fmt.Sprintf("+%d|%s", m.FromHand(), formatEnd(m))
	default:
		return fmt.Sprintf("%d|%s", m.From(), formatEnd(m))
	}
}

func formatEnd(m rules.Move) string {
	if m.Drop() == rules.NoSquare {
		return strconv.Itoa(int(m.To()))
	}
	return fmt.Sprintf("%d|%d", m.To(), m.Drop())
}

// parseMove reads a move in p, written in the protocol's numbers or in the
// short or long notation of package rules. Either goal's number stands for the
// mover's aim, since nobody moves into his own. Whether the move is legal is not
// checked; the error says what is wrong with the text, or that the start square
// is empty.
func parseMove(r *rules.Rules, p rules.Position, text string) (rules.Move, error) {
	if text == null {
		return rules.Pass, nil
	}
	if !strings.Contains(text, "|") {
		return r.ParseMove(p, text)
	}
	short, err := shortNotation(text)
	if err != nil {
		return rules.NoMove, err
	}
	m, err := r.ParseMove(p, short)
	if err != nil {
		return rules.NoMove, fmt.Errorf("%s is %w", text, err)
	}
	return m, nil
}

// shortNotation turns a move in numbers into the notation of package rules.
func shortNotation(text string) (string, error) {
	fields := strings.Split(text, "|")
	bad := func() (string, error) {
		return "", fmt.Errorf("expected a move start|end or start|end|drop, found %q", escape(text, maxShown))
	}
	if len(fields) < 2 || len(fields) > 3 {
		return bad()
	}
	start, place, ok := startText(fields[0])
	to, okTo := number(fields[1], int(rules.SouthGoal))
	end := rules.Square(to)
	switch {
	case !ok || !okTo || place && (len(fields) == 3 || end.IsGoal()) || end.IsGoal() && len(fields) == 3:
		return bad()
	case place:
		return start + end.String(), nil
	case len(fields) == 2:
		return start + "-" + end.String(), nil
	}
	drop, ok := number(fields[2], rules.NumSquares-1)
	if !ok {
		return bad()
	}
	return start + "x" + end.String() + "@" + rules.Square(drop).String(), nil
}

// startText reads where a move starts; place tells that it is a placement.
func startText(text string) (start string, place, ok bool) {
	if text == "" {
		return "", false, false
	}
	switch text[0] {
	case '+':
		_, ok = number(text[1:], 3)
		return text, false, ok
	case '@':
		_, ok = number(text[1:], 3)
		return text[1:] + "@", true, ok
	default:
		n, ok := number(text, rules.NumSquares-1)
		return rules.Square(n).String(), false, ok
	}
}

// number reads a number from 0 to top, written without a sign.
func number(text string, top int) (int, bool) {
	if len(text) == 0 || len(text) > 2 || text[0] == '+' || text[0] == '-' {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n <= top
}

// startRows is the board that setpos start stands for.
const startRows = "321123/000000/000000/000000/000000/321123"

// formatRows writes a board as setpos data takes it: the first row is the
// mover's home row.
func formatRows(r *rules.Rules, p rules.Position) string {
	if p.Side() == rules.North {
		p = p.Rotate()
	}
	rows, _, _ := strings.Cut(r.FormatPosition(p), " ")
	return rows
}

// parseRows reads a board as setpos data gives it. The rows may be separated
// by slashes, commas, bars or blanks, or not at all. The bottom player is South
// and to move.
func parseRows(r *rules.Rules, text string) (rules.Position, error) {
	var b strings.Builder
	squares := 0
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '3' && squares < rules.NumSquares:
			if squares > 0 && squares%rules.Files == 0 {
				b.WriteByte('/')
			}
			b.WriteByte(c)
			squares++
		case strings.IndexByte("/,| \t", c) < 0:
			return rules.Position{}, fmt.Errorf("expected a board of 36 digits from 0 to 3, found %q", escape(text[i:], maxShown))
		}
	}
	if squares < rules.NumSquares {
		return rules.Position{}, fmt.Errorf("expected a board of 36 digits from 0 to 3, found %d", squares)
	}
	return r.ParsePosition(b.String() + " s")
}
