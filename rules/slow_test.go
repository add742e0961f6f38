package rules

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// The slow generator: the rules once more, written from their text without a table, a bit trick or
// a shortcut, to compare the fast one with. It shares nothing with it but the Options; positions
// come in as texts and are read here by hand.

type cell struct{ file, row int }

func (c cell) String() string { return fmt.Sprintf("%c%d", 'a'+c.file, c.row+1) }

// slowPos is a position: a value, copied by assignment. The sides are 's' and 'n'.
type slowPos struct {
	heights      [6][6]int // by file and row
	side         byte
	south, north slowPlayer
}

// slowPlayer is what belongs to one player.
type slowPlayer struct {
	hand  [4]int // pieces by height
	goals int
	out   bool // took a piece out on the previous turn
}

func (p *slowPos) on(c cell) *int { return &p.heights[c.file][c.row] }

func (p *slowPos) player(side byte) *slowPlayer {
	if side == 's' {
		return &p.south
	}
	return &p.north
}

func slowParse(text string) slowPos {
	f := strings.Fields(text)
	p := slowPos{side: f[1][0]}
	for row, digits := range strings.Split(f[0], "/") {
		for file, d := range digits {
			if d != '0' {
				p.heights[file][row] = int(d - '0')
			}
		}
	}
	if len(f) < 4 {
		return p
	}
	for i, h := range []int{1, 2, 3} {
		p.south.hand[h] = int(f[2][i] - '0')
		p.north.hand[h] = int(f[2][i+4] - '0')
	}
	p.south.goals, p.north.goals = int(f[3][0]-'0'), int(f[3][2]-'0')
	p.south.out, p.north.out = strings.Contains(f[4], "s"), strings.Contains(f[4], "n")
	return p
}

// text prints what the repetition rule compares.
func (p slowPos) text(o Options) string {
	var b strings.Builder
	for row := range 6 {
		for file := range 6 {
			b.WriteByte('0' + byte(p.heights[file][row]))
		}
	}
	if o.Kang {
		fmt.Fprint(&b, p.south, p.north)
	}
	return b.String()
}

func slowOther(side byte) byte {
	if side == 's' {
		return 'n'
	}
	return 's'
}

// passages marks the doors passed: for each square whether the door to its
// east, north, west, south is used. Without directions only east and north count.
type passages [6][6][4]bool

// slowState is where a piece stands in its course.
type slowState struct {
	at   cell
	left int
	used passages
}

type slowGen struct {
	o     Options
	p     slowPos
	past  []string // texts that may not be reproduced
	moves map[string]bool
	seen  map[slowState]bool // states of the present course search
	ended map[cell]bool      // squares on which one of its courses has ended

	bounds map[string]int // rows found by slowPlayableRow, by position text
}

// slowMoves returns the legal moves of the side to move in short notation,
// byte-sorted. past are the texts that the repetition rule forbids.
func slowMoves(o Options, p slowPos, past []string) []string {
	g := &slowGen{o: o, p: p, past: past}
	hand, rows := g.hand(), g.rows()
	entries := g.movesOf(hand)
	if len(hand) > 0 && o.KangEntry == Mandatory {
		if len(entries) > 0 {
			return sortedKeys(entries)
		}
	}
	for _, row := range rows {
		moves := g.movesOf(row)
		if len(moves) == 0 {
			continue
		}
		maps.Copy(entries, moves)
		break
	}
	if len(entries) == 0 {
		return []string{"pass"}
	}
	return sortedKeys(entries)
}

// movesOf returns the moves of some pieces.
func (g *slowGen) movesOf(sources []slowSource) map[string]bool {
	g.moves = map[string]bool{}
	for _, src := range sources {
		g.source(src)
	}
	return g.moves
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// slowSource is a piece to move: on the board, or of a height in hand.
type slowSource struct {
	on   cell
	hand bool
	h    int
}

// hand lists the pieces in hand, one of each height, that may enter.
func (g *slowGen) hand() (list []slowSource) {
	for h := 1; g.o.Kang && h <= 3; h++ {
		if g.p.player(g.p.side).hand[h] > 0 {
			list = append(list, slowSource{hand: true, h: h})
		}
	}
	return list
}

// rows lists the pieces on the board by rows, nearest to the mover first.
func (g *slowGen) rows() (list [][]slowSource) {
	for i := range 6 {
		row := i
		if g.p.side == 'n' {
			row = 5 - i
		}
		var pieces []slowSource
		for file := range 6 {
			if h := g.p.heights[file][row]; h > 0 {
				pieces = append(pieces, slowSource{on: cell{file, row}, h: h})
			}
		}
		if len(pieces) > 0 {
			list = append(list, pieces)
		}
	}
	return list
}

func (g *slowGen) source(src slowSource) {
	g.seen, g.ended = map[slowState]bool{}, map[cell]bool{}
	if !src.hand {
		*g.p.on(src.on) = 0
		g.steps(src, slowState{at: src.on, left: src.h})
		*g.p.on(src.on) = src.h
		return
	}
	row := 0
	if g.p.side == 'n' {
		row = 5
	}
	for file := range 6 {
		g.arrive(src, slowState{at: cell{file, row}, left: src.h - 1})
	}
}

// steps makes one more step of a leg in every direction.
func (g *slowGen) steps(src slowSource, s slowState) {
	if g.seen[s] {
		return
	}
	g.seen[s] = true
	for way, d := range []cell{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		to := cell{s.at.file + d.file, s.at.row + d.row}
		if to.file < 0 || to.file > 5 {
			continue
		}
		if to.row < 0 || to.row > 5 {
			far := to.row > 5 == (g.p.side == 's')
			waits := g.o.Kang && g.p.player(g.p.side).out
			if far && s.left == 1 && !waits {
				g.moves[src.name()+"-goal"] = true // can't bring anything back: goals never go down
			}
			continue
		}
		from := s.at
		if g.o.DoorRule != Directed && way >= 2 {
			from, way = to, way-2 // the same door from its other side
		}
		if next := s; !next.used[from.file][from.row][way] {
			next.used[from.file][from.row][way] = true
			next.at, next.left = to, s.left-1
			g.arrive(src, next)
		}
	}
}

// arrive is called when the piece has made a step.
func (g *slowGen) arrive(src slowSource, s slowState) {
	other := *g.p.on(s.at)
	switch {
	case s.left > 0 && other > 0:
		return
	case s.left > 0:
		g.steps(src, s)
	case other == 0 && !g.ended[s.at]:
		g.ended[s.at] = true
		g.end(src, s.at, nil)
	case other > 0:
		g.bounce(src, s, other)
		if g.o.Relocation && !g.ended[s.at] {
			g.ended[s.at] = true
			for row := range 6 {
				for file := range 6 {
					g.end(src, s.at, &cell{file, row})
				}
			}
		}
	}
}

// bounce begins another leg.
func (g *slowGen) bounce(src slowSource, s slowState, h int) {
	s.left = h
	if g.o.DoorRule == PerLeg {
		s.used = passages{}
	}
	g.steps(src, s)
}

func (s slowSource) name() string {
	if s.hand {
		return fmt.Sprintf("+%d", s.h)
	}
	return s.on.String()
}

// end notes the move if the board may stand so. The moving piece is lifted.
func (g *slowGen) end(src slowSource, at cell, drop *cell) {
	q := g.p
	name := src.name() + "-" + at.String()
	displaced := *q.on(at)
	*q.on(at) = src.h
	if drop != nil {
		if *q.on(*drop) > 0 || g.behind(q, *drop) {
			return
		}
		*q.on(*drop) = displaced
		name = src.name() + "x" + at.String() + "@" + drop.String()
	}
	if src.hand {
		q.player(q.side).hand[src.h]--
	}
	q.player(q.side).out = false
	if g.o.NullMove != AllowNull && !src.hand {
		before := g.p
		if *before.on(src.on) = src.h; before.heights == q.heights {
			return
		}
	}
	if len(g.past) > 0 && slices.Contains(g.past, q.text(g.o)) {
		return
	}
	g.moves[name] = true
}

// behind reports whether a square lies behind the row of the opponent that bounds drops.
func (g *slowGen) behind(q slowPos, c cell) bool {
	first := slowFirstRow(q, slowOther(q.side))
	if g.o.DropZone == BehindPlayableRow {
		text := q.text(g.o)
		row, known := g.bounds[text]
		if !known {
			opponent := q
			opponent.side = slowOther(q.side)
			row = slowPlayableRow(g.o, opponent)
			if g.bounds == nil {
				g.bounds = map[string]int{}
			}
			g.bounds[text] = row
		}
		first = row
	}
	if q.side == 's' {
		return c.row > first
	}
	return c.row < first
}

// slowFirstRow returns the occupied row nearest to a side, -1 on an empty board.
func slowFirstRow(p slowPos, side byte) int {
	p.side = side
	rows := (&slowGen{p: p}).rows()
	if len(rows) == 0 {
		return -1
	}
	return rows[0][0].on.row
}

// slowPlayableRow returns the first row of the side to move of which a course of some piece ends on
// an empty square other than its start, on a piece or on the goal; its first occupied row if there
// is none.
func slowPlayableRow(o Options, p slowPos) int {
	probe := &slowGen{o: o, p: p}
	probe.o.DropZone, probe.o.NullMove = "first_row", AllowNull
	for _, row := range probe.rows() {
		moves := probe.movesOf(row)
		for _, src := range row {
			delete(moves, src.name()+"-"+src.name())
		}
		if len(moves) > 0 {
			return row[0].on.row
		}
	}
	return slowFirstRow(p, p.side)
}

// slowApply makes a move given in short notation.
func slowApply(o Options, p slowPos, move string) slowPos {
	q := p
	mover := q.player(p.side)
	q.side = slowOther(p.side)
	mover.out = false
	if move == "pass" {
		return q
	}
	at := func(s string) cell { return cell{int(s[0] - 'a'), int(s[1] - '1')} }
	var h int
	if move[0] == '+' {
		h = int(move[1] - '0')
		mover.hand[h]--
	} else {
		h = *q.on(at(move))
		*q.on(at(move)) = 0
	}
	rest := move[2:]
	if rest == "-goal" {
		mover.goals++
		if o.Kang {
			q.player(q.side).hand[h]++
			mover.out = true
		}
		return q
	}
	to := at(rest[1:])
	if i := strings.IndexByte(rest, '@'); i > 0 {
		*q.on(at(rest[i+1:])) = *q.on(to)
	}
	*q.on(to) = h
	return q
}
