package rules

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPositionText bounds position texts from outside; the longest real one has 63 bytes.
const maxPositionText = 128

// scanner reads a text from left to right. It keeps the first error; reading goes on after it and
// returns zeros.
type scanner struct {
	text string
	at   int // bytes read
	err  error
}

// fail records an error, unless there is one: a line with the text, the column in bytes from 1, and
// the reason.
func (s *scanner) fail(at int, format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%.80q, column %d: %s", s.text, at+1, fmt.Sprintf(format, args...))
	}
}

// expected fails at the next character: that is not what was expected.
func (s *scanner) expected(format string, args ...any) {
	found := "found the end"
	if s.at < len(s.text) {
		next, _ := utf8.DecodeRuneInString(s.text[s.at:])
		found = fmt.Sprintf("found %q", next)
	}
	s.fail(s.at, "expected %s, %s", fmt.Sprintf(format, args...), found)
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// accept reads c if it is next, and reports whether it was.
func (s *scanner) accept(c byte) bool {
	_, ok := s.between(c, c)
	return ok
}

// between reads a byte from low to high if one is next, and returns by how much it is above low.
func (s *scanner) between(low, high byte) (n int, ok bool) {
	c := s.peek()
	if c < low || c > high {
		return 0, false
	}
	s.at++
	return int(c - low), true
}

// blanks skips spaces and tabs and reports whether there were any.
func (s *scanner) blanks() bool {
	from := s.at
	for s.accept(' ') || s.accept('\t') {
	}
	return s.at > from
}

// space skips the blanks that come before what is expected next.
func (s *scanner) space(next string) {
	if !s.blanks() {
		s.expected("a space and %s", next)
	}
}

// end checks that nothing follows.
func (s *scanner) end(what string) {
	if s.at < len(s.text) {
		s.expected("the end of the %s", what)
	}
}

// ParsePosition reads a position text: six rows of six digits from row 1 to row 6, then the side to
// move: "321123/000000/000000/000000/000000/321123 s".
//
// Under Kang three fields follow: the reserves of South/North as counts of heights 1, 2, 3; the
// goals South-North; who took a piece out on his previous turn (-, s, n, sn). An example: "… n
// 100/012 1-2 s". Under the other rules a field of reserves means that the players are still
// placing their pieces, and a field of goals (1-0 or 0-1, with eleven pieces on the board) that the
// game is over. The error names the column.
func (r *Rules) ParsePosition(text string) (Position, error) {
	s := &scanner{text: text}
	if len(text) > maxPositionText {
		s.fail(maxPositionText, "expected a position of at most %d bytes, found %d",
			maxPositionText, len(text))
	}
	p := s.boardAndSide()
	if r.options.Kang {
		r.parseKangFields(s, &p)
	} else {
		r.parseOptionalField(s, &p)
	}
	s.blanks()
	s.end("position")
	if s.err == nil {
		r.checkPieces(s, p)
	}
	if s.err != nil {
		return Position{}, s.err
	}
	return p, nil
}

// SideToMove returns the side to move of a position text under any rules, of which it reads nothing
// behind that side.
func SideToMove(text string) (Side, error) {
	s := &scanner{text: text}
	return s.boardAndSide().Side(), s.err
}

// boardAndSide reads the first two fields of a position.
func (s *scanner) boardAndSide() (p Position) {
	s.blanks()
	for square := range Square(NumSquares) {
		isNewRow := square > 0 && square.File() == 0
		if isNewRow && !s.accept('/') {
			s.expected("'/' after the six squares of row %d", square.Row())
		}
		h, ok := s.between('0', '3')
		if !ok {
			s.expected("the height on %v (a digit from 0 to 3)", square)
		}
		p.put(square, Height(h))
	}
	s.space("the side to move, 's' or 'n'")
	if s.accept('n') {
		p.lo |= sideBit
	} else if !s.accept('s') {
		s.expected("a space and the side to move, 's' or 'n'")
	}
	return p
}

// parseKangFields reads what follows the side under Kang.
func (r *Rules) parseKangFields(s *scanner, p *Position) {
	s.space("the reserves, like 100/012")
	s.hands(p, perHeight)
	s.space("the goals, like 1-2")
	at := s.at
	s.goals(p, r.goalsToWin)
	if p.Goals(South)+p.Goals(North) == 2*r.goalsToWin { // no side has more than it takes
		s.fail(at, "both sides have %d goals; the first to reach them wins", r.goalsToWin)
	}
	s.space("who took a piece out last (-, s, n or sn)")
	rest := s.text[s.at:]
	word := rest[:strings.IndexAny(rest+" ", " \t")]
	took := slices.Index(tookOutTexts[:], word)
	if took < 0 {
		s.expected("who took a piece out last (-, s, n or sn)")
		return
	}
	s.at += len(word)
	p.lo |= uint64(took) << coolShift
}

// tookOutTexts are the texts of the cooldown by the bits in a position.
var tookOutTexts = [...]string{"-", "s", "n", "sn"}

// parseOptionalField reads what may follow the side under rules other than Kang.
func (r *Rules) parseOptionalField(s *scanner, p *Position) {
	s.blanks()
	rest := s.text[s.at:]
	if rest == "" {
		return
	}
	if len(rest) > 1 && rest[1] == '-' {
		s.goals(p, 1)
		return
	}
	at := s.at
	s.hands(p, 2)
	if !r.SettingUp(*p) {
		s.fail(at, "expected no reserves, or the pieces still to be placed: "+
			"there are none once play has begun")
	}
}

// hands reads the reserves, each count up to most.
func (s *scanner) hands(p *Position, most byte) {
	for _, side := range []Side{South, North} {
		if side == North && !s.accept('/') {
			s.expected("'/' between the reserves")
		}
		for h := Height(1); h <= 3; h++ {
			n, ok := s.between('0', '0'+most)
			if !ok {
				s.expected("how many pieces of height %d %v holds (a digit from 0 to %d)",
					h, side, most)
			}
			p.addHand(side, h, n)
		}
	}
}

// goals reads the goals, each count up to most.
func (s *scanner) goals(p *Position, most int) {
	for _, side := range []Side{South, North} {
		if side == North && !s.accept('-') {
			s.expected("'-' between the goals")
		}
		n, ok := s.between('0', '0'+byte(most))
		if !ok {
			s.expected("%v's goals (a digit from 0 to %d)", side, most)
		}
		p.hi |= uint64(n) << goalsAt(side)
	}
}

// checkPieces verifies that the twelve pieces are all there, each once.
func (r *Rules) checkPieces(s *scanner, p Position) {
	end := len(s.text)
	goals := p.Goals(South) + p.Goals(North)
	isOver := goals > 0 && !r.options.Kang
	missing := 0
	for h := Height(1); h <= 3; h++ {
		n := p.OfHeight(h).Count() + p.Hand(South, h) + p.Hand(North, h)
		missing += perHeight - n
		isShort := n < perHeight && !isOver
		if n > perHeight || isShort {
			s.fail(end, "expected %d pieces of height %d in all, found %d", perHeight, h, n)
		}
	}
	if !isOver {
		if r.SettingUp(p) {
			r.checkSetup(s, p)
		}
		return
	}
	if goals > 1 {
		s.fail(end, "expected one winner, found goals %d-%d", p.Goals(South), p.Goals(North))
	}
	if missing != 1 || r.SettingUp(p) {
		s.fail(end, "expected eleven pieces on the board and one in the goal, found %d missing",
			missing)
	}
}

// checkSetup verifies that the pieces placed so far are where and whose they may be.
func (r *Rules) checkSetup(s *scanner, p Position) {
	end := len(s.text)
	for _, side := range []Side{South, North} {
		for h := Height(1); h <= 3; h++ {
			placed := p.OfHeight(h) & r.setupSquares(side)
			want := 2 - p.Hand(side, h)
			if n := placed.Count(); n != want {
				s.fail(end, "expected %d pieces of height %d placed in %v's zone, found %d",
					want, h, side, n)
			}
		}
	}
	if next := r.nextToPlace(p); next != p.Side() {
		s.fail(end, "expected %v to place the next piece", next)
	}
}

// FormatPosition prints p as ParsePosition reads it.
func (r *Rules) FormatPosition(p Position) string {
	var b strings.Builder
	b.Grow(64)
	for s := range Square(NumSquares) {
		if s > 0 && s.File() == 0 {
			b.WriteByte('/')
		}
		b.WriteByte('0' + byte(p.At(s)))
	}
	b.WriteByte(' ')
	b.WriteByte(p.Side().Letter())
	if r.options.Kang || r.SettingUp(p) {
		fmt.Fprintf(&b, " %s/%s", p.handText(South), p.handText(North))
	}
	if r.options.Kang || p.Goals(South)+p.Goals(North) > 0 {
		fmt.Fprintf(&b, " %d-%d", p.Goals(South), p.Goals(North))
	}
	if r.options.Kang {
		b.WriteString(" " + tookOutTexts[p.lo>>coolShift&3])
	}
	return b.String()
}

func (p Position) handText(side Side) string {
	return fmt.Sprintf("%d%d%d", p.Hand(side, 1), p.Hand(side, 2), p.Hand(side, 3))
}
