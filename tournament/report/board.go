package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"gyges/rules"
)

// Sizes of a board, those of board.js.
const (
	squareSize  = 60.0
	boardSize   = rules.Files * squareSize
	boardLeft   = 26.0
	boardWidth  = boardLeft + boardSize + 8
	goalHeight  = 26.0
	goalMiddle  = 8 + goalHeight/2 // from the board's edge
	handHeight  = 46.0
	markedRound = 26.5 // radius of the circle around a piece
)

// boardDrawing is the picture of a position in the making. Points are complex numbers.
type boardDrawing struct {
	drawing
	top    float64 // upper edge of row 6
	bottom float64 // lower edge of row 1
	move   rules.Move
	course []rules.Step
	points []complex128 // of the course, with the start
	tip    float64      // from the tip of the course's arrow to its last point
}

// Board returns the picture of a position, South at the bottom, as the viewer draws it. If
// m is not [rules.NoMove] it shows the position after that move, legal in p, and the
// move's course.
func Board(r *rules.Rules, p rules.Position, m rules.Move, course []rules.Step) Figure {
	after, caption := p, ""
	if m != rules.NoMove {
		after = r.Apply(p, m)
		caption = fmt.Sprintf("%v plays %s. ", p.Side(), m.LongText(course))
	}
	caption += describeBoard(after)
	hand := 0.0
	if r.Options().Kang || r.SettingUp(after) {
		hand = handHeight
	}
	d := boardDrawing{top: hand + goalMiddle + goalHeight/2, move: m, course: course, tip: 4}
	d.bottom = d.top + boardSize
	d.height = d.bottom + goalMiddle + goalHeight/2 + 18 + hand
	d.ground()
	if hand > 0 {
		d.hands(r, after)
	}
	if len(course) > 0 {
		if !m.IsGoal() {
			d.tip = 10 + 5*float64(after.At(m.To()))
		}
		d.follow(p.Side())
		d.courseBelow()
	}
	for s := range after.Occupied().All() {
		d.piece(fmt.Sprintf("%d on %v", after.At(s), s), d.center(s), after.At(s), 1)
	}
	if len(course) > 0 {
		d.courseAbove(p)
	} else if m.IsPlacement() {
		d.mark("landed", d.center(m.To()), markedRound, "")
	}
	const element = `<svg class="board" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s" role="img"` +
		` aria-label="%s">%s</svg>`
	svg := fmt.Sprintf(element, coordinate(boardWidth), coordinate(d.height), html.EscapeString(caption), d.String())
	//nolint:gosec // every text in it is escaped above
	return Figure{Name: "board", Caption: caption, SVG: template.HTML(svg), styles: asset("board.css")}
}

// describeBoard returns a position in words.
func describeBoard(p rules.Position) string {
	var pieces []string
	for s := range p.Occupied().All() {
		pieces = append(pieces, fmt.Sprintf("%d on %v", p.At(s), s))
	}
	list := cmp.Or(strings.Join(pieces, ", "), "empty")
	return fmt.Sprintf("Board, from South’s side: %s. %v to move.", list, p.Side())
}

// center returns the middle of a board square.
func (d *boardDrawing) center(s rules.Square) complex128 {
	return complex(boardLeft+(float64(s.File())+0.5)*squareSize, d.bottom-(float64(s.Row())+0.5)*squareSize)
}

// edge returns the height of the middle of the goal beyond a side's first row.
func (d *boardDrawing) edge(side rules.Side) float64 {
	if side == rules.South {
		return d.bottom + goalMiddle
	}
	return d.top - goalMiddle
}

// ground draws goals, squares and coordinates.
func (d *boardDrawing) ground() {
	const inner = squareSize - 2
	for _, side := range []rules.Side{rules.South, rules.North} {
		y, letter := d.edge(side.Other()), string(side.Letter())
		d.shape("rect", "goal "+letter, "", "x y width height rx", boardLeft, y-goalHeight/2, boardSize, goalHeight, 8)
		d.text("aim-"+letter, "middle", boardLeft+boardSize/2, y+4, side.String()+"’s goal")
	}
	for s := range rules.Square(rules.NumSquares) {
		class, c := "square", d.center(s)
		if (s.File()+s.Row())%2 == 1 {
			class += " odd"
		}
		d.shape("rect", class, s.String(), "x y width height rx", real(c)-inner/2, imag(c)-inner/2, inner, inner, 6)
	}
	for i := range rules.Files {
		c := d.center(rules.SquareAt(i, i))
		d.text("file", "middle", real(c), d.bottom+goalMiddle+goalHeight/2+14, string(rune('a'+i)))
		d.text("row", "end", boardLeft-7, imag(c)+4, string(rune('1'+i)))
	}
}

// mark draws a circle.
func (d *boardDrawing) mark(class string, at complex128, radius float64, title string) {
	d.circle(class, real(at), imag(at), radius, title)
}

// piece draws as many rings as the piece is high, and its height as a figure.
func (d *boardDrawing) piece(title string, at complex128, h rules.Height, scale float64) {
	fmt.Fprintf(d, `<g class="piece" transform="translate(%s) scale(%s)">%s`,
		pointText(at), coordinate(scale), titleElement(title))
	for k := h; k > 1; k-- {
		d.mark("ring", 0, 8+5*float64(k), "")
	}
	d.mark("ring top", 0, 13, "")
	d.text("height", "middle", 0, 5.5, fmt.Sprint(h))
	d.WriteString("</g>")
}

// hands draws the pieces in the players' hands, and in Kang the number of their goals.
func (d *boardDrawing) hands(r *rules.Rules, p rules.Position) {
	for _, side := range []rules.Side{rules.South, rules.North} {
		label, y := side.String(), handHeight/2
		if side == rules.South {
			y = d.height - handHeight/2 + 2
		}
		if r.Options().Kang {
			label += fmt.Sprintf(": %d out", p.Goals(side))
		}
		d.text("aim-"+string(side.Letter()), "start", boardLeft, y+4, label)
		held := p.Hand(side, 1) + p.Hand(side, 2) + p.Hand(side, 3)
		x := boardLeft + 110.0
		for h := rules.Height(1); h <= 3; h++ {
			for range p.Hand(side, h) {
				d.piece(fmt.Sprintf("%d in %v’s hand", h, side), complex(x, y), h, 0.8)
				x += min(40, 230/float64(held)) // all of them beside the label
			}
		}
	}
}

// follow finds the points of the course, made by side. It begins with the start, which for
// a piece from the hand is beyond the edge.
func (d *boardDrawing) follow(side rules.Side) {
	if d.move.FromHand() > 0 {
		d.course = slices.Insert(slices.Clone(d.course), 0, rules.Step{Square: rules.NoSquare})
		d.points = []complex128{complex(real(d.center(d.course[1].Square)), d.edge(side))}
	}
	for _, step := range d.course[len(d.points):] {
		if step.Square.IsGoal() {
			d.points = append(d.points, complex(real(d.points[len(d.points)-1]), d.edge(side.Other())))
		} else {
			d.points = append(d.points, d.center(step.Square))
		}
	}
}

// courseBelow draws what of the course lies below the pieces: its start and its line from
// door to door.
func (d *boardDrawing) courseBelow() {
	last := len(d.points) - 1
	if d.move.From().OnBoard() {
		d.mark("from", d.points[0], 25, "")
	}
	line := "M"
	for _, at := range d.points[:last] {
		line += pointText(at) + "L"
	}
	fmt.Fprintf(d, `<path class="path" d="%s"/>`, line+pointText(before(d.points[last-1], d.points[last], d.tip+10)))
	for i := 1; i < last; i++ {
		d.mark("door", (d.points[i-1]+d.points[i])/2, 3.6, "")
	}
}

// courseAbove draws what of a course made in p lies above the pieces: the head of its
// line, the bounces, and the way of a displaced piece.
func (d *boardDrawing) courseAbove(p rules.Position) {
	last := len(d.points) - 1
	d.arrow("arrow", d.points[last-1], d.points[last], d.tip)
	for i := 1; i < last; i++ {
		if s := d.course[i].Square; !d.course[i].Crossed {
			d.mark("bounced", d.points[i], markedRound, fmt.Sprintf("bounces off the %d on %v", p.At(s), s))
		}
	}
	if d.move.Drop() == rules.NoSquare {
		return
	}
	from, to := d.points[last], d.center(d.move.Drop())
	bend := (from+to)/2 + (to-from)*complex(0, 26/cmplx.Abs(to-from)) // beside the middle
	fmt.Fprintf(d, `<path class="droppath" d="M%sQ%s %s"/>`,
		pointText(before(bend, from, 24)), pointText(bend), pointText(before(bend, to, 36)))
	d.arrow("droparrow", bend, to, 26)
	d.mark("landed", to, markedRound, fmt.Sprintf("the %d from %v", p.At(d.move.To()), d.move.To()))
}

// arrow draws the head of a line from a, with its tip this far before b.
func (d *boardDrawing) arrow(class string, a, b complex128, tip float64) {
	fmt.Fprintf(d, `<path class="%s" d="M-12 -8L0 0L-12 8Z" transform="translate(%s) rotate(%s)"/>`,
		class, pointText(before(a, b, tip)), coordinate(cmplx.Phase(b-a)*180/math.Pi))
}

// before returns the point on the line from a to b that lies this far before b.
func before(a, b complex128, by float64) complex128 {
	return b - (b-a)*complex(min(by/cmplx.Abs(b-a), 1), 0)
}

func pointText(at complex128) string { return coordinate(real(at)) + " " + coordinate(imag(at)) }
