package rules

import "strings"

// Step is one square of a course.
type Step struct {
	Square  Square
	Crossed bool // passed on the way; otherwise the start, a landing or the end
}

// Course returns a course for m in p with the fewest legs: the squares from
// the start (none if the piece comes from a hand) to the end. ok is false if
// no course leads from the move's start to its end; the move may still be
// illegal for other reasons.
func (r *Rules) Course(p Position, m Move) (course []Step, ok bool) {
	from, height := m.from(), m.FromHand()
	if m == Pass || m&kindBit == 0 || m.IsPlacement() {
		return nil, false
	}
	board := p
	if from < NumSquares {
		height = p.At(from)
		board.lift(from)
	}
	if height == 0 || m.To() == goalOf(p.Side().Other()) {
		return nil, false
	}
	tr := r.newPlainSearch(board, source{from, height}, p.Side())
	last := tr.shortest(m.To())
	if last == nil {
		return nil, false
	}
	if from < NumSquares {
		course = append(course, Step{Square: from})
	}
	return append(course, last.steps()...), true
}

// legNode is a leg at the end of a course, with the legs before it.
type legNode struct {
	leg        leg
	before     *legNode
	used, back uint64
	open       SquareSet
}

// shortest searches the courses breadth first for one that ends on to.
func (tr *plainSearch) shortest(to Square) *legNode {
	if !tr.bound().Has(to) {
		return nil
	}
	queue := []*legNode{{open: tr.occ, leg: leg{end: NoSquare}}}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		list := tr.root
		if n.leg.end != NoSquare {
			list = tr.legs[tr.board.At(n.leg.end)-1][n.leg.end]
		}
		for _, l := range list {
			if uint64(l.crossed&tr.occ)|l.doors&n.used|l.back&n.back != 0 {
				continue
			}
			next := &legNode{leg: l, used: n.used | l.doors, back: n.back | l.back, open: n.open &^ (1 << l.end)}
			if tr.perLeg {
				next.used = 0
			}
			if n.leg.end != NoSquare {
				next.before = n
			}
			if l.end == to {
				return next
			}
			if n.open.Has(l.end) {
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// steps lists the squares of the course that ends with n, without its start.
func (n *legNode) steps() []Step {
	if n == nil {
		return nil
	}
	steps := n.before.steps()
	for _, s := range n.leg.via {
		if s != NoSquare {
			steps = append(steps, Step{s, true})
		}
	}
	return append(steps, Step{n.leg.end, false})
}

// formatCourse writes a course as the Italian rulebook prints it, crossed
// squares in parentheses: d2-(c2-b2)-b3-c3. The last landing is joined by join.
func formatCourse(b *strings.Builder, course []Step, join byte) {
	for i, st := range course {
		prev := i > 0 && course[i-1].Crossed
		switch {
		case st.Crossed && prev:
			b.WriteByte('-')
		case st.Crossed:
			b.WriteString("-(")
		case prev:
			b.WriteByte(')')
		}
		if !st.Crossed && b.Len() > 0 {
			if i == len(course)-1 {
				b.WriteByte(join)
			} else {
				b.WriteByte('-')
			}
		}
		b.WriteString(st.Square.String())
	}
}
