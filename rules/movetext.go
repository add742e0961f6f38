package rules

import (
	"fmt"
	"slices"
	"strings"
)

// maxMoveText bounds move texts from outside: a course passes each of the 60 doors twice at most.
const maxMoveText = 512

// String returns the move's short notation: "d1-c3", "d1xc3@e5", "b5-goal", "+2-c2", "2@c1", "pass".
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

// LongText returns the move's long notation in p: the course with the fewest legs as the Italian rulebook prints it,
// crossed squares in parentheses: "d2-(c2-b2)-b3-c3". A pass or a placement has its short text.
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
	for i, st := range course {
		sep := "-"
		switch before := i > 0 && course[i-1].Crossed; {
		case b.Len() == 0:
			sep = ""
		case st.Crossed && !before:
			sep = "-("
		case !st.Crossed && before:
			sep = ")-"
		}
		if i == len(course)-1 && m.Drop() != NoSquare {
			sep = strings.Replace(sep, "-", "x", 1)
		}
		b.WriteString(sep + st.Square.String())
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

// ParseMove reads a move in short or long notation. In long notation the course is checked step by step against p;
// whether the move is legal beyond that, [Game.Check] reports. The error names the column.
func (r *Rules) ParseMove(p Position, text string) (Move, error) {
	m, _, err := r.parseMove(p, text)
	return m, err
}

// ParseCourse reads a move like [Rules.ParseMove] and returns its course too, in the form of [Rules.Course]: the one
// written, or for a move in short notation one with the fewest legs. A move that has none has a nil course.
func (r *Rules) ParseCourse(p Position, text string) (Move, []Step, error) {
	m, course, err := r.parseMove(p, text)
	switch {
	case err != nil:
		return m, nil, err
	case len(course) < 2: // a short text has the end alone
		course, _ = r.Course(p, m)
	case m.From().OnBoard():
		course = slices.Insert(course, 0, Step{Square: m.From()})
	}
	return m, course, nil
}

// parseMove reads a move and the squares after its start.
func (r *Rules) parseMove(p Position, text string) (Move, []Step, error) {
	mp := &moveParser{rules: r, side: p.Side(), board: p, drop: NoSquare}
	mp.text = strings.TrimSpace(text)
	switch {
	case len(mp.text) > maxMoveText:
		mp.fail(maxMoveText, "expected a move of at most %d bytes, found %d", maxMoveText, len(mp.text))
	case mp.text == "pass":
		return Pass, nil, nil
	case len(mp.text) > 1 && mp.text[1] == '@':
		h := mp.digit("the height of the piece to place")
		mp.at++ // '@'
		mp.source.from, mp.to = placeBase+Square(h), mp.square("the square to place it on")
	default:
		mp.start(p)
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

func (mp *moveParser) digit(what string) Height {
	h, ok := mp.between('1', '3')
	if !ok {
		mp.expected("%s (a digit from 1 to 3)", what)
	}
	return Height(h + 1)
}

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

func (mp *moveParser) start(p Position) {
	if mp.accept('+') {
		h := mp.digit("the height of the entering piece")
		mp.source = source{handBase + Square(h), h}
		return
	}
	from := mp.square("the start square")
	if mp.err != nil {
		return
	}
	mp.source = source{from, p.At(from)}
	mp.board.lift(from)
	if mp.source.height == 0 {
		mp.fail(0, "there is no piece on %v", from)
	}
}

func (mp *moveParser) steps() {
	for mp.err == nil {
		crossed := len(mp.course) > 0 && mp.course[len(mp.course)-1].Crossed
		switch {
		case mp.accept('x'):
			mp.landing("the displaced piece's square")
			if !mp.accept('@') {
				mp.expected("'@' and the drop square after a displacement")
			}
			mp.drop = mp.square("the drop square")
			return
		case !mp.accept('-'):
			if crossed || len(mp.course) == 0 {
				mp.expected("'-' or 'x' and where the piece ends")
			}
			return
		case mp.peek() == '(' && crossed:
			mp.expected("a landing between two groups of crossed squares")
		case mp.peek() == '(':
			mp.crossed()
		case strings.HasPrefix(mp.text[mp.at:], "goal"):
			mp.to = goalOf(mp.side)
			mp.add(mp.to, false, mp.at)
			mp.at += len("goal")
			return
		default:
			mp.landing("a square or goal")
		}
	}
}

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

func (mp *moveParser) landing(what string) {
	at := mp.at
	mp.to = mp.square(what)
	mp.add(mp.to, false, at)
}

func (mp *moveParser) add(s Square, crossed bool, at int) {
	mp.course = append(mp.course, Step{s, crossed})
	mp.columns = append(mp.columns, at)
}

func (mp *moveParser) checkCourse() {
	occ := mp.board.Occupied()
	w := walk{at: mp.source.start(mp.side), left: int(mp.source.height)}
	for i, st := range mp.course {
		at, s, last := w.at, st.Square, i == len(mp.course)-1
		refusal := w.step(mp.rules, mp.board, s)
		fail := func(format string, args ...any) { mp.fail(mp.columns[i], format, args...) }
		switch {
		case !slices.Contains(adjacency[at], s) && !at.OnBoard():
			fail("expected a square of %v's first row to enter on, found %v", mp.side, s)
		case !slices.Contains(adjacency[at], s):
			fail("expected a square next to %v, found %v", at, s)
		case refusal != "":
			fail(refusal, at, s)
		case st.Crossed && w.left == 0:
			fail("expected the leg to end on %v, not to cross it", s)
		case !st.Crossed && w.left > 0:
			fail("expected %d more steps before the leg ends on %v", w.left, s)
		case st.Crossed && occ.Has(s):
			fail("expected an empty square to cross, but %v is occupied", s)
		case !st.Crossed && !last && !occ.Has(s):
			fail("expected a piece to bounce off on %v, which is empty", s)
		}
	}
}
