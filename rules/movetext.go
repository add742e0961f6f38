package rules

import (
	"fmt"
	"strings"
)

// maxMoveText bounds move texts from outside: a course passes each of the 60
// doors twice at most.
const maxMoveText = 512

// String returns the move's short notation: "d1-c3", "d1xc3@e5", "b5-goal",
// "+2-c2", "2@c1", "pass".
func (m Move) String() string {
	var b [9]byte
	return string(m.AppendText(b[:0]))
}

// AppendText appends the move's short notation to text.
func (m Move) AppendText(text []byte) []byte {
	switch {
	case m == Pass:
		return append(text, "pass"...)
	case m&kindBit == 0:
		return append(text, "none"...)
	case m.IsPlacement():
		text = append(text, '0'+byte(m.FromHand()), '@')
		return append(text, m.To().String()...)
	}
	if h := m.FromHand(); h > 0 {
		text = append(text, '+', '0'+byte(h))
	} else {
		text = appendSquare(text, m.from())
	}
	if m.To().IsGoal() {
		return append(text, "-goal"...)
	}
	if m.Drop() == NoSquare {
		return appendSquare(append(text, '-'), m.To())
	}
	text = appendSquare(append(text, 'x'), m.To())
	return appendSquare(append(text, '@'), m.Drop())
}

func appendSquare(text []byte, s Square) []byte {
	return append(text, 'a'+byte(s.File()), '1'+byte(s.Row()))
}

// LongText returns the move's long notation in p: the whole course as the
// Italian rulebook prints it, crossed squares in parentheses, by the fewest
// legs. A move without a course (a pass, a placement) has its short text.
func (r *Rules) LongText(p Position, m Move) string {
	course, ok := r.Course(p, m)
	if !ok {
		return m.String()
	}
	var b strings.Builder
	if h := m.FromHand(); h > 0 {
		fmt.Fprintf(&b, "+%d", h)
	}
	join := byte('-')
	if m.Drop() != NoSquare {
		join = 'x'
	}
	formatCourse(&b, course, join)
	if m.Drop() != NoSquare {
		b.WriteString("@" + m.Drop().String())
	}
	return b.String()
}

// moveParser reads a move text and follows its course on the board.
type moveParser struct {
	scanner
	rules  *Rules
	side   Side
	board  Position // without the moving piece
	height Height
	from   Square
	course []Step
	at     []int // where each step stands in the text
	drop   Square
	dropAt int
	xAt    int // where the 'x' stands; -1 if there is none
}

// ParseMove reads a move in short or long notation. In long notation the
// course is checked step by step against p: lengths of legs, crossed squares,
// doors. Whether the move is legal beyond that is for [Game.Check] to say.
// The error is a *SyntaxError that names the column.
func (r *Rules) ParseMove(p Position, text string) (Move, error) {
	mp := &moveParser{rules: r, side: p.Side(), board: p, drop: NoSquare, xAt: -1}
	mp.text = strings.TrimSpace(text)
	if len(mp.text) > maxMoveText {
		return NoMove, mp.fail(maxMoveText, "expected a move of at most %d bytes, found %d", maxMoveText, len(mp.text))
	}
	if mp.text == "pass" {
		return Pass, nil
	}
	if len(mp.text) > 1 && mp.text[1] == '@' {
		return mp.placement()
	}
	if err := mp.start(p); err != nil {
		return NoMove, err
	}
	if err := mp.steps(); err != nil {
		return NoMove, err
	}
	if err := mp.ending(); err != nil {
		return NoMove, err
	}
	if mp.isLong() {
		if err := mp.checkCourse(); err != nil {
			return NoMove, err
		}
	}
	return newMove(mp.from, mp.course[len(mp.course)-1].Square, mp.drop), nil
}

func (mp *moveParser) placement() (Move, error) {
	h, err := mp.digit(3, "the height of the piece to place")
	if err == nil && h == 0 {
		err = mp.fail(0, "expected a height from 1 to 3, found 0")
	}
	if err != nil {
		return NoMove, err
	}
	mp.scanner.at++ // '@'
	s, err := mp.square("the square to place it on")
	if err != nil {
		return NoMove, err
	}
	if err := mp.end(); err != nil {
		return NoMove, err
	}
	return newMove(placeBase+Square(h), s, NoSquare), nil
}

func (mp *moveParser) end() error {
	if mp.scanner.at < len(mp.text) {
		return mp.fail(mp.scanner.at, "expected the end of the move, %s", mp.found())
	}
	return nil
}

func (mp *moveParser) square(what string) (Square, error) {
	at := mp.scanner.at
	if f := mp.peek(); f >= 'a' && f < 'a'+Files {
		mp.scanner.at++
		if r := mp.peek(); r >= '1' && r < '1'+Rows {
			mp.scanner.at++
			return SquareAt(int(f-'a'), int(r-'1')), nil
		}
		return NoSquare, mp.fail(mp.scanner.at, "expected a row from 1 to 6 for %s, %s", what, mp.found())
	}
	return NoSquare, mp.fail(at, "expected %s, a1 to f6, %s", what, mp.found())
}

// start reads the start square or the height of an entering piece.
func (mp *moveParser) start(p Position) error {
	if mp.peek() == '+' {
		mp.scanner.at++
		h, err := mp.digit(3, "the height of the entering piece")
		if err == nil && h == 0 {
			err = mp.fail(1, "expected a height from 1 to 3, found 0")
		}
		mp.from, mp.height = handBase+Square(h), Height(h)
		return err
	}
	s, err := mp.square("the start square")
	if err != nil {
		return err
	}
	mp.from, mp.height = s, p.At(s)
	if mp.height == 0 {
		return mp.fail(0, "there is no piece on %v", s)
	}
	mp.board.lift(s)
	return nil
}

// steps reads the squares after the start up to the last landing.
func (mp *moveParser) steps() error {
	for mp.peek() == '-' || mp.peek() == 'x' {
		if mp.xAt >= 0 {
			return mp.fail(mp.scanner.at, "expected '@' and the drop square after a displacement, %s", mp.found())
		}
		if mp.peek() == 'x' {
			mp.xAt = mp.scanner.at
		}
		mp.scanner.at++
		if mp.peek() == '(' {
			if mp.xAt >= 0 {
				return mp.fail(mp.scanner.at, "expected the displaced piece's square, %s", mp.found())
			}
			if err := mp.crossed(); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(mp.text[mp.scanner.at:], "goal") {
			if mp.xAt >= 0 {
				return mp.fail(mp.scanner.at, "expected the displaced piece's square: the goal holds no piece")
			}
			mp.add(goalOf(mp.side), false, mp.scanner.at)
			mp.scanner.at += len("goal")
			return nil
		}
		at := mp.scanner.at
		s, err := mp.square("a square or goal")
		if err != nil {
			return err
		}
		mp.add(s, false, at)
	}
	return nil
}

// crossed reads a group of crossed squares in parentheses.
func (mp *moveParser) crossed() error {
	if n := len(mp.course); n > 0 && mp.course[n-1].Crossed {
		return mp.fail(mp.scanner.at, "expected a landing between two groups of crossed squares, %s", mp.found())
	}
	for {
		mp.scanner.at++ // '(' or '-'
		at := mp.scanner.at
		s, err := mp.square("a crossed square")
		if err != nil {
			return err
		}
		mp.add(s, true, at)
		if mp.peek() != '-' {
			break
		}
	}
	return mp.expect(')', "')' or '-' after a crossed square")
}

func (mp *moveParser) add(s Square, crossed bool, at int) {
	mp.course = append(mp.course, Step{s, crossed})
	mp.at = append(mp.at, at)
}

// ending reads the drop, and checks that the text is whole.
func (mp *moveParser) ending() error {
	if n := len(mp.course); n == 0 || mp.course[n-1].Crossed {
		return mp.fail(mp.scanner.at, "expected '-' or 'x' and where the piece ends, %s", mp.found())
	}
	if mp.xAt < 0 {
		return mp.end()
	}
	if err := mp.expect('@', "'@' and the drop square"); err != nil {
		return err
	}
	mp.dropAt = mp.scanner.at
	s, err := mp.square("the drop square")
	if err != nil {
		return err
	}
	mp.drop = s
	return mp.end()
}

// isLong reports whether the text gives a course: a short text names the end
// alone. A single landing next to the start is the same in both notations.
func (mp *moveParser) isLong() bool { return len(mp.course) > 1 }

// checkCourse follows the course on the board.
func (mp *moveParser) checkCourse() error {
	var used, back uint64
	var bounced SquareSet
	at, need := mp.from, int(mp.height)
	for i, st := range mp.course {
		if err := mp.checkStep(i, at, &used, &back); err != nil {
			return err
		}
		at = st.Square
		need--
		last := i == len(mp.course)-1
		switch {
		case st.Crossed && need == 0:
			return mp.fail(mp.at[i], "expected the leg to end on %v, not to cross it", st.Square)
		case !st.Crossed && need > 0:
			return mp.fail(mp.at[i], "expected %d more steps before the leg ends on %v", need, st.Square)
		case st.Crossed && mp.board.Occupied().Has(st.Square):
			return mp.fail(mp.at[i], "expected an empty square to cross, but %v is occupied", st.Square)
		case st.Crossed:
			continue
		case !last && !mp.board.Occupied().Has(st.Square):
			return mp.fail(mp.at[i], "expected a piece to bounce off on %v, which is empty", st.Square)
		case bounced.Has(st.Square) && !mp.rules.options.RevisitPiece:
			return mp.fail(mp.at[i], "expected a course that lands on %v once only under these rules", st.Square)
		}
		if !last {
			bounced |= 1 << st.Square
			need = int(mp.board.At(st.Square))
			if mp.rules.perLeg {
				used, back = 0, 0
			}
		}
	}
	return nil
}

// checkStep checks that the i-th step leads through a door not yet used.
func (mp *moveParser) checkStep(i int, at Square, used, back *uint64) error {
	to := mp.course[i].Square
	if at >= NumSquares {
		if !rowSet(int(mp.side) * (Rows - 1)).Has(to) {
			return mp.fail(mp.at[i], "expected a square of %v's first row to enter on, found %v", mp.side, to)
		}
		return nil
	}
	adjacent := false
	for _, s := range neighbours(at, mp.side) {
		adjacent = adjacent || s == to
	}
	if !adjacent {
		return mp.fail(mp.at[i], "expected a square next to %v, found %v", at, to)
	}
	if to.IsGoal() {
		return nil
	}
	number, westSouth := door(at, to)
	doors := used
	if westSouth && mp.rules.options.DoorRule == Directed {
		doors = back
	}
	if *doors>>number&1 != 0 {
		return mp.fail(mp.at[i], "the door between %v and %v has been used already", at, to)
	}
	*doors |= 1 << number
	return nil
}
