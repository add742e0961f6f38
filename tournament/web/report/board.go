package report

import (
	"cmp"
	"fmt"
	"strings"

	"gyges/rules"
)

// Sizes of a board, those of board.js.
const (
	squareSize  = 60.0
	boardLeft   = 26.0
	boardTop    = 26.0 // upper edge of row 6
	boardSize   = rules.Files * squareSize
	markedRound = 26.5 // radius of the circle around a piece
)

// Board returns the picture of a position, South at the bottom. If m is not [rules.NoMove] it shows
// the position after that move, legal in p, and the move's course from its dashed start.
func Board(r *rules.Rules, p rules.Position, m rules.Move, course []rules.Step) Figure {
	after, caption := p, ""
	if m != rules.NoMove {
		after = r.Apply(p, m)
		caption = fmt.Sprintf("%v plays %s. ", p.Side(), m.LongText(course))
	}
	var pieces []string
	for s := range after.Occupied().All() {
		pieces = append(pieces, fmt.Sprintf("%d on %v", after.At(s), s))
	}
	caption += fmt.Sprintf("Board, from South’s side: %s. %v to move.", cmp.Or(strings.Join(pieces, ", "), "empty"),
		after.Side())
	d := &drawing{width: boardLeft + boardSize + 8, height: boardTop + boardSize + 50}
	for s := range rules.Square(rules.NumSquares) {
		class := "square"
		if (s.File()+s.Row())%2 == 1 {
			class += " odd"
		}
		x, y := center(s)
		d.rect(class, x-squareSize/2+1, y-squareSize/2+1, squareSize-2, squareSize-2, s.String())
	}
	for i := range rules.Files {
		x, y := center(rules.SquareAt(i, i))
		d.text("file", "middle", x, boardTop+boardSize+16, string(rune('a'+i)))
		d.text("row", "end", boardLeft-7, y+4, string(rune('1'+i)))
	}
	d.sides(r, after)
	d.course(p, m, course)
	for s := range after.Occupied().All() {
		x, y := center(s)
		for k := after.At(s); k > 0; k-- { // a ring for each height
			class := "ring"
			if k == 1 {
				class = "ring top"
			}
			d.circle(class, x, y, 8+5*float64(k), fmt.Sprintf("%d on %v", after.At(s), s))
		}
		d.text("height", "middle", x, y+5.5, fmt.Sprint(after.At(s)))
	}
	f := d.figure("board", "board", caption)
	f.styles = asset("board.css")
	return f
}

func center(s rules.Square) (x, y float64) {
	return boardLeft + (float64(s.File())+0.5)*squareSize, boardTop + boardSize - (float64(s.Row())+0.5)*squareSize
}

// beyond returns the height of a side's edge of the board, where its pieces enter and its opponent's leave.
func beyond(side rules.Side) float64 {
	if side == rules.South {
		return boardTop + boardSize + 4
	}
	return boardTop - 4
}

// sides writes what lies beyond the edges: the goals, or the pieces in the players' hands.
func (d *drawing) sides(r *rules.Rules, p rules.Position) {
	for _, side := range []rules.Side{rules.South, rules.North} {
		text, y := side.String()+"’s goal", beyond(side.Other())-6
		if r.Options().Kang || r.SettingUp(p) {
			text, y = side.String()+" holds", beyond(side)-6
			for h := rules.Height(1); h <= 3; h++ {
				text += strings.Repeat(fmt.Sprintf(" %d", h), p.Hand(side, h))
			}
		}
		if r.Options().Kang {
			text += fmt.Sprintf("; %d out", p.Goals(side))
		}
		if y > boardTop {
			y += 38 // below the files
		}
		d.text("aim-"+string(side.Letter()), "middle", boardLeft+boardSize/2, y, text)
	}
}

// course draws a move's way through the squares, its bounces, and the way of a displaced piece.
func (d *drawing) course(p rules.Position, m rules.Move, course []rules.Step) {
	if m.IsPlacement() {
		x, y := center(m.To())
		d.circle("landed", x, y, markedRound, "")
	}
	if len(course) == 0 {
		return
	}
	var line []string
	var x, y float64
	if m.FromHand() > 0 {
		x, _ = center(course[0].Square)
		line = append(line, coordinate(x)+" "+coordinate(beyond(p.Side())))
	}
	for i, step := range course {
		s := step.Square
		if s.IsGoal() {
			y = beyond(p.Side().Other())
		} else if x, y = center(s); i == 0 && m.FromHand() == 0 {
			d.circle("from", x, y, markedRound, "")
		} else if i < len(course)-1 && !step.Crossed {
			d.circle("bounced", x, y, markedRound, fmt.Sprintf("bounces off the %d on %v", p.At(s), s))
		}
		line = append(line, coordinate(x)+" "+coordinate(y))
	}
	fmt.Fprintf(d, `<path %s d="M%s"/>`, paint("path"), strings.Join(line, "L"))
	if m.Drop() != rules.NoSquare {
		toX, toY := center(m.Drop())
		d.line("droppath", x, y, toX, toY)
		d.circle("landed", toX, toY, markedRound, fmt.Sprintf("the %d from %v", p.At(m.To()), m.To()))
	}
}
