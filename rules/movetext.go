package rules

import (
	"fmt"
	"slices"
	"strings"
)

// maxMoveText bounds move texts from outside: a course passes each of the 60 doors twice at most.
const maxMoveText = 512

// String returns the move's short notation: "d1-c3", "d1xc3@e5", "b5-goal", "+2-c2", "2@c1",
// "pass".
func (m Move) String() string {
	return string(m.AppendText(nil))
}

// AppendText appends the move's short notation to text.
func (m Move) AppendText(text []byte) []byte {
	switch {
	case m == Pass:
		return append(text, "pass"...)
	case m&kindBit == 0:
		return append(text, "none"...)
	case m.IsPlacement():
		return m.To().appendTo(append(text, '0'+byte(m.FromHand()), '@'))
	}
	if h := m.FromHand(); h > 0 {
		text = append(text, '+', '0'+byte(h))
	} else {
		text = m.from().appendTo(text)
	}
	if m.Drop() == NoSquare {
		return m.To().appendTo(append(text, '-'))
	}
	text = m.To().appendTo(append(text, 'x'))
	return m.Drop().appendTo(append(text, '@'))
}

// LongText returns the move's long notation in p: the course with the fewest legs as the Italian
// rulebook prints it, crossed squares in parentheses: "d2-(c2-b2)-b3-c3". A pass or a placement has
// its short text.
func (r *Rules) LongText(p Position, m Move) string {
	course, _ := r.Course(p, m)
	return m.LongText(course)
}

// LongText returns the move's long notation with the given course, its short text if that is empty.
func (m Move) LongText(course []Step) string {
	if len(course) == 0 {
		return m.String()
	}
	var b strings.Builder
	if h := m.FromHand(); h > 0 {
		fmt.Fprintf(&b, "+%d", h)
	}
	wasCrossed := false // the square before
	for i, step := range course {
		if wasCrossed && !step.Crossed {
			b.WriteByte(')')
		}
		if i == len(course)-1 && m.Drop() != NoSquare {
			b.WriteByte('x')
		} else if b.Len() > 0 {
			b.WriteByte('-')
		}
		if step.Crossed && !wasCrossed {
			b.WriteByte('(')
		}
		b.WriteString(step.Square.String())
		wasCrossed = step.Crossed
	}
	if m.Drop() != NoSquare {
		b.WriteString("@" + m.Drop().String())
	}
	return b.String()
}

// moveParser reads a move text and follows its course on the board.
type moveParser struct {
	scanner
	rules    *Rules
	side     Side
	board    Position // without the moving piece
	source   source
	course   []Step
	columns  []int // index of each step in the text, from 0
	to, drop Square
}

// ParseMove reads a move in short or long notation. In long notation the course is checked step by
// step against p; whether the move is legal beyond that, [Game.Check] reports. The error names the
// column.
func (r *Rules) ParseMove(p Position, text string) (Move, error) {
	m, _, err := r.parseMove(p, text)
	return m, err
}

// ParseCourse reads a move like [Rules.ParseMove] and returns its course too, in the form of
// [Rules.Course]: the one written, or for a move in short notation one with the fewest legs. A move
// that has none has a nil course.
func (r *Rules) ParseCourse(p Position, text string) (Move, []Step, error) {
	m, course, err := r.parseMove(p, text)
	if len(course) < 2 { // a short text has the end alone, a wrong one nothing
		course, _ = r.Course(p, m)
	} else if m.From().OnBoard() {
		course = slices.Insert(course, 0, Step{Square: m.From()})
	}
	return m, course, err
}

// parseMove reads a move and the squares after its start.
func (r *Rules) parseMove(p Position, text string) (Move, []Step, error) {
	mp := &moveParser{rules: r, side: p.Side(), board: p, drop: NoSquare}
	mp.text = strings.TrimSpace(text)
	if mp.text == "pass" {
		return Pass, nil, nil
	}
	if len(mp.text) > maxMoveText {
		mp.fail(maxMoveText, "expected a move of at most %d bytes, found %d",
			maxMoveText, len(mp.text))
	} else if len(mp.text) > 1 && mp.text[1] == '@' {
		h := mp.digit("the height of the piece to place")
		mp.at++ // '@'
		mp.source.from = placeBase + Square(h)
		mp.to = mp.square("the square to place it on")
	} else {
		mp.start()
		mp.steps()
	}
	mp.end("move")
	if mp.err == nil && len(mp.course) > 1 { // a short text has the end alone
		mp.checkCourse()
	}
	if mp.err != nil {
		return NoMove, nil, mp.err
	}
	return newMove(mp.source.from, mp.to, mp.drop), mp.course, nil
}

// digit reads a height.
func (mp *moveParser) digit(what string) Height {
	h, ok := mp.between('1', '3')
	if !ok {
		mp.expected("%s (a digit from 1 to 3)", what)
	}
	return Height(h + 1)
}

// square reads the name of a square.
func (mp *moveParser) square(what string) Square {
	file, ok := mp.between('a', 'f')
	if !ok {
		mp.expected("%s, a1 to f6", what)
		return NoSquare
	}
	row, ok := mp.between('1', '6')
	if !ok {
		mp.expected("a row from 1 to 6 for %s", what)
	}
	return SquareAt(file, row)
}

// start reads where the piece comes from, and lifts it from the board.
func (mp *moveParser) start() {
	if mp.accept('+') {
		h := mp.digit("the height of the entering piece")
		mp.source = source{handBase + Square(h), h}
		return
	}
	from := mp.square("the start square")
	if mp.err != nil {
		return
	}
	mp.source = source{from, mp.board.At(from)}
	mp.board.lift(from)
	if mp.source.height == 0 {
		mp.fail(0, "there is no piece on %v", from)
	}
}

// steps reads the squares behind the start, up to the end of the move.
func (mp *moveParser) steps() {
	wasCrossed := false // the square before
	for mp.err == nil {
		if mp.accept('x') {
			mp.landing("the displaced piece's square")
			if !mp.accept('@') {
				mp.expected("'@' and the drop square after a displacement")
			}
			mp.drop = mp.square("the drop square")
			return
		}
		if !mp.accept('-') {
			if wasCrossed || len(mp.course) == 0 {
				mp.expected("'-' or 'x' and where the piece ends")
			}
			return
		}

		isCrossed := mp.peek() == '('
		if isCrossed && wasCrossed {
			mp.expected("a landing between two groups of crossed squares")
		} else if isCrossed {
			mp.crossed()
		} else if strings.HasPrefix(mp.text[mp.at:], "goal") {
			mp.to = goalOf(mp.side)
			mp.add(mp.to, false, mp.at)
			mp.at += len("goal")
			return
		} else {
			mp.landing("a square or goal")
		}
		wasCrossed = isCrossed
	}
}

// crossed reads the squares in parentheses.
func (mp *moveParser) crossed() {
	for more := true; more; more = mp.err == nil && mp.peek() == '-' {
		mp.at++ // '(' or '-'
		at := mp.at
		mp.add(mp.square("a crossed square"), true, at)
	}
	if !mp.accept(')') {
		mp.expected("')' or '-' after a crossed square")
	}
}

// landing reads a square where a leg ends.
func (mp *moveParser) landing(what string) {
	at := mp.at
	mp.to = mp.square(what)
	mp.add(mp.to, false, at)
}

func (mp *moveParser) add(s Square, crossed bool, at int) {
	mp.course = append(mp.course, Step{s, crossed})
	mp.columns = append(mp.columns, at)
}

// checkCourse follows the course on the board.
func (mp *moveParser) checkCourse() {
	occupied := mp.board.Occupied()
	w := mp.source.walk(mp.side)
	for i, step := range mp.course {
		from, to := w.at, step.Square
		at := mp.columns[i]
		isAdjacent := slices.Contains(adjacency[from], to)
		isOpen := w.step(mp.rules, mp.board, to)
		switch {
		case !isAdjacent && !from.OnBoard():
			mp.fail(at, "expected a square of %v's first row to enter on, found %v", mp.side, to)
		case !isAdjacent:
			mp.fail(at, "expected a square next to %v, found %v", from, to)
		case !isOpen:
			mp.fail(at, "the door between %v and %v has been used already", from, to)
		case step.Crossed && w.left == 0:
			mp.fail(at, "expected the leg to end on %v, not to cross it", to)
		case step.Crossed && occupied.Has(to):
			mp.fail(at, "expected an empty square to cross, but %v is occupied", to)
		case step.Crossed:
			// an empty square on the way
		case w.left > 0:
			mp.fail(at, "expected %d more steps before the leg ends on %v", w.left, to)
		case i < len(mp.course)-1 && !occupied.Has(to):
			mp.fail(at, "expected a piece to bounce off on %v, which is empty", to)
		}
	}
}
