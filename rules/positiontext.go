package rules

import (
	"fmt"
	"strings"
)

// SyntaxError is a mistake in a position or move text.
type SyntaxError struct {
	Text   string // the whole text
	Column int    // where it goes wrong, counted from 1 in bytes
	Reason string // what was expected and what was found
}

// Error returns one line that names the text, the column and the reason.
func (e *SyntaxError) Error() string {
	text := e.Text
	if len(text) > 80 {
		text = text[:77] + "..."
	}
	return fmt.Sprintf("%q, column %d: %s", text, e.Column, e.Reason)
}

// maxPositionText bounds position texts from outside; the longest real one has 63 bytes.
const maxPositionText = 128

// scanner walks over a text and remembers the column for errors.
type scanner struct {
	text string
	at   int
}

func (s *scanner) fail(at int, format string, args ...any) error {
	return &SyntaxError{Text: s.text, Column: at + 1, Reason: fmt.Sprintf(format, args...)}
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// found describes the next byte for messages.
func (s *scanner) found() string {
	if s.at >= len(s.text) {
		return "found the end"
	}
	return fmt.Sprintf("found %q", s.text[s.at])
}

func (s *scanner) expect(c byte, what string) error {
	if s.peek() != c || s.at >= len(s.text) {
		return s.fail(s.at, "expected %s, %s", what, s.found())
	}
	s.at++
	return nil
}

// digit reads a digit from 0 to top.
func (s *scanner) digit(top byte, what string) (int, error) {
	c := s.peek()
	if c < '0' || c > '0'+top {
		return 0, s.fail(s.at, "expected %s (a digit from 0 to %d), %s", what, top, s.found())
	}
	s.at++
	return int(c - '0'), nil
}

// blanks skips spaces and tabs and reports whether there were any.
func (s *scanner) blanks() bool {
	from := s.at
	for s.peek() == ' ' || s.peek() == '\t' {
		s.at++
	}
	return s.at > from
}

// ParsePosition reads a position text: six rows of six digits from row 1 to
// row 6, then the side to move: "321123/000000/000000/000000/000000/321123 s".
//
// Under Kang three fields follow: the reserves of South/North as counts of
// heights 1, 2, 3; the goals South-North; who took a piece out on his previous
// turn (-, s, n, sn): "… n 100/012 1-2 s". Under the other rules a field of
// reserves means that the players are still placing their pieces, and a field
// of goals (1-0 or 0-1, with eleven pieces on the board) that the game is over.
//
// The error is a *SyntaxError that names the column.
func (r *Rules) ParsePosition(text string) (Position, error) {
	s := &scanner{text: text}
	if len(text) > maxPositionText {
		return Position{}, s.fail(maxPositionText, "expected a position of at most %d bytes, found %d",
			maxPositionText, len(text))
	}
	s.blanks()
	p, err := parseBoard(s)
	if err != nil {
		return Position{}, err
	}
	if err := parseSide(s, &p); err != nil {
		return Position{}, err
	}
	if r.options.Kang {
		err = r.parseKangFields(s, &p)
	} else {
		err = r.parseOptionalField(s, &p)
	}
	if err != nil {
		return Position{}, err
	}
	s.blanks()
	if s.at < len(s.text) {
		return Position{}, s.fail(s.at, "expected the end of the position, %s", s.found())
	}
	if err := r.checkPieces(s, p); err != nil {
		return Position{}, err
	}
	return p, nil
}

// SideToMove returns the side to move of a position text. It reads the board and
// that side, which are the same under all rules, and nothing behind them.
//
// The error is a *SyntaxError that names the column.
func SideToMove(text string) (Side, error) {
	s := &scanner{text: text}
	s.blanks()
	p, err := parseBoard(s)
	if err != nil {
		return South, err
	}
	err = parseSide(s, &p)
	return p.Side(), err
}

func parseBoard(s *scanner) (Position, error) {
	var p Position
	for row := range Rows {
		for file := range Files {
			square := SquareAt(file, row)
			c := s.peek()
			if c < '0' || c > '3' {
				_, err := s.digit(3, fmt.Sprintf("the height on %v", square))
				return p, err
			}
			s.at++
			p.put(square, Height(c-'0'))
		}
		if row < Rows-1 {
			if s.peek() != '/' {
				return p, s.expect('/', fmt.Sprintf("'/' after the six squares of row %d", row+1))
			}
			s.at++
		}
	}
	return p, nil
}

func parseSide(s *scanner, p *Position) error {
	spaced := s.blanks()
	switch c := s.peek(); {
	case spaced && c == 's':
	case spaced && c == 'n':
		p.lo |= sideBit
	default:
		return s.fail(s.at, "expected a space and the side to move, 's' or 'n', %s", s.found())
	}
	s.at++
	return nil
}

func (r *Rules) parseKangFields(s *scanner, p *Position) error {
	if !s.blanks() {
		return s.fail(s.at, "expected a space and the reserves, like 100/012, %s", s.found())
	}
	if err := parseHands(s, p, PerHeight); err != nil {
		return err
	}
	if !s.blanks() {
		return s.fail(s.at, "expected a space and the goals, like 1-2, %s", s.found())
	}
	at := s.at
	if err := parseGoals(s, p, byte(r.goalsToWin)); err != nil {
		return err
	}
	if p.Goals(South) == r.goalsToWin && p.Goals(North) == r.goalsToWin {
		return s.fail(at, "both sides have %d goals; the first to reach them wins", r.goalsToWin)
	}
	if !s.blanks() {
		return s.fail(s.at, "expected a space and who took a piece out last (-, s, n or sn), %s", s.found())
	}
	return r.parseCooldown(s, p)
}

func (r *Rules) parseCooldown(s *scanner, p *Position) error {
	at := s.at
	for s.at < len(s.text) && s.peek() != ' ' && s.peek() != '\t' {
		s.at++
	}
	switch word := s.text[at:s.at]; {
	case word == "-":
	case !r.cooldown && (word == "s" || word == "n" || word == "sn"):
		return s.fail(at, "expected '-': these rules have no cooldown")
	case word == "s":
		p.lo |= 1 << coolShift
	case word == "n":
		p.lo |= 2 << coolShift
	case word == "sn":
		p.lo |= 3 << coolShift
	default:
		s.at = at
		return s.fail(at, "expected who took a piece out last (-, s, n or sn), %s", s.found())
	}
	return nil
}

// parseOptionalField reads what may follow the side under rules other than Kang.
func (r *Rules) parseOptionalField(s *scanner, p *Position) error {
	s.blanks()
	if s.at >= len(s.text) {
		return nil
	}
	if s.at+1 < len(s.text) && s.text[s.at+1] == '-' {
		return parseGoals(s, p, 1)
	}
	at := s.at
	if err := parseHands(s, p, 2); err != nil {
		return err
	}
	if !r.settingUp(*p) {
		return s.fail(at, "expected no reserves, or the pieces still to be placed: nobody holds a piece once play has begun")
	}
	return nil
}

func parseHands(s *scanner, p *Position, top byte) error {
	for _, side := range []Side{South, North} {
		for h := Height(1); h <= 3; h++ {
			c := s.peek()
			if c < '0' || c > '0'+top {
				_, err := s.digit(top, fmt.Sprintf("how many pieces of height %d %v holds", h, side))
				return err
			}
			s.at++
			p.addHand(side, h, int(c-'0'))
		}
		if side == South {
			if err := s.expect('/', "'/' between the reserves"); err != nil {
				return err
			}
		}
	}
	return nil
}

func parseGoals(s *scanner, p *Position, top byte) error {
	for _, side := range []Side{South, North} {
		n, err := s.digit(top, side.String()+"'s goals")
		if err != nil {
			return err
		}
		p.hi |= uint64(n) << (goalShift + uint(side)*4)
		if side == South {
			if err := s.expect('-', "'-' between the goals"); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPieces verifies that the twelve pieces are all there, each once.
func (r *Rules) checkPieces(s *scanner, p Position) error {
	finished := !r.options.Kang && p.Goals(South)+p.Goals(North) > 0
	missing := 0
	for h := Height(1); h <= 3; h++ {
		n := p.OfHeight(h).Count() + p.Hand(South, h) + p.Hand(North, h)
		missing += PerHeight - n
		if n > PerHeight || n < PerHeight && !finished {
			return s.fail(len(s.text), "expected %d pieces of height %d in all, found %d", PerHeight, h, n)
		}
	}
	switch {
	case finished && p.Goals(South)+p.Goals(North) > 1:
		return s.fail(len(s.text), "expected one winner, found goals %d-%d", p.Goals(South), p.Goals(North))
	case finished && (missing != 1 || r.settingUp(p)):
		return s.fail(len(s.text), "expected eleven pieces on the board and one in the goal, found %d missing", missing)
	case r.settingUp(p):
		return r.checkSetup(s, p)
	}
	return nil
}

// checkSetup verifies that what has been placed came from the hands, in order.
func (r *Rules) checkSetup(s *scanner, p Position) error {
	placed := [2]int{}
	for _, side := range []Side{South, North} {
		zone := r.setupSquares(side)
		for h := Height(1); h <= 3; h++ {
			n, want := (p.OfHeight(h) & zone).Count(), 2-p.Hand(side, h)
			if n != want {
				return s.fail(len(s.text), "expected %d pieces of height %d placed in %v's zone, found %d", want, h, side, n)
			}
			placed[side] += n
		}
	}
	if next := r.nextToPlace(placed[South], placed[North]); next != p.Side() {
		return s.fail(len(s.text), "expected %v to place the next piece", next)
	}
	return nil
}

// FormatPosition prints p as ParsePosition reads it.
func (r *Rules) FormatPosition(p Position) string {
	var b strings.Builder
	b.Grow(64)
	for row := range Rows {
		if row > 0 {
			b.WriteByte('/')
		}
		for file := range Files {
			b.WriteByte('0' + byte(p.At(SquareAt(file, row))))
		}
	}
	b.WriteByte(' ')
	b.WriteByte(p.Side().Letter())
	if r.options.Kang || r.settingUp(p) {
		b.WriteByte(' ')
		for _, side := range []Side{South, North} {
			if side == North {
				b.WriteByte('/')
			}
			for h := Height(1); h <= 3; h++ {
				b.WriteByte('0' + byte(p.Hand(side, h)))
			}
		}
	}
	if r.options.Kang || p.Goals(South)+p.Goals(North) > 0 {
		fmt.Fprintf(&b, " %d-%d", p.Goals(South), p.Goals(North))
	}
	if r.options.Kang {
		b.WriteString([...]string{" -", " s", " n", " sn"}[p.lo>>coolShift&3])
	}
	return b.String()
}
