package report

import (
	"cmp"
	"fmt"
	"strings"

	"gyges/rules"
	"gyges/tournament/web"
)

// Sizes of a board, which are those of board.js.
const (
	squareSize  = 60.0
	boardLeft   = 26.0
	boardTop    = 26.0 // upper edge of row 6
	boardSize   = rules.Files * squareSize
	boardBottom = boardTop + boardSize
	markRadius  = 26.5 // of the circle around a piece
)

// Board returns the picture of a position, South at the bottom. If m is not [rules.NoMove] it shows
// the position after that move, legal in p, and the move's course from its dashed start.
func Board(r *rules.Rules, p rules.Position, m rules.Move, course []rules.Step) Figure {
	after, caption := p, ""
	if m != rules.NoMove {
		after = r.Apply(p, m)
		caption = fmt.Sprintf("%v plays %s. ", p.Side(), m.LongText(course))
	}
	d := &drawing{width: boardLeft + boardSize + 8, height: boardBottom + 50}
	d.squares()
	d.sides(r, after)
	d.course(p, m, course)
	var pieces []string
	for s := range after.Occupied().All() {
		name := fmt.Sprintf("%d on %v", after.At(s), s)
		pieces = append(pieces, name)
		d.piece(s, after.At(s), name)
	}
	onBoard := cmp.Or(strings.Join(pieces, ", "), "empty")
	caption += fmt.Sprintf("Board, from South’s side: %s. %v to move.", onBoard, after.Side())
	f := d.figure("board", "board", caption)
	f.styles = web.Asset("board.css")
	return f
}

// center returns the middle of a square.
func center(s rules.Square) point {
	return point{
		x: boardLeft + (float64(s.File())+0.5)*squareSize,
		y: boardBottom - (float64(s.Row())+0.5)*squareSize,
	}
}

// squares draws the empty board with the names of its files and rows.
func (d *drawing) squares() {
	const size = squareSize - 2 // the gap between two squares is 2
	for s := range rules.Square(rules.NumSquares) {
		class := "square"
		if (s.File()+s.Row())%2 == 1 {
			class += " odd"
		}
		c := center(s)
		d.rect(class, c.x-size/2, c.y-size/2, size, size, s.String())
	}
	for i := range rules.Files {
		s := rules.SquareAt(i, i) // one of each file and each row
		c := center(s)
		file, row := s.String()[:1], s.String()[1:]
		d.text("file", "middle", c.x, boardBottom+16, file)
		d.text("row", "end", boardLeft-7, c.y+4, row)
	}
}

// piece draws a ring for each height of a piece, and its height as a figure.
func (d *drawing) piece(s rules.Square, height rules.Height, name string) {
	c := center(s)
	for k := height; k > 0; k-- {
		class := "ring"
		if k == 1 {
			class = "ring top"
		}
		d.circle(class, c, 8+5*float64(k), name)
	}
	d.text("height", "middle", c.x, c.y+5.5, fmt.Sprint(height))
}

// edge returns the height of a side's edge of the board, where its pieces enter and its opponent's
// pieces leave.
func edge(side rules.Side) float64 {
	if side == rules.South {
		return boardBottom + 4
	}
	return boardTop - 4
}

// sides writes what lies beyond the edges: the goals, or the pieces in the players' hands.
func (d *drawing) sides(r *rules.Rules, p rules.Position) {
	for _, side := range []rules.Side{rules.South, rules.North} {
		text := side.String() + "’s goal"
		y := edge(side.Other()) - 6
		if r.Options().Kang || r.SettingUp(p) {
			text = side.String() + " holds"
			y = edge(side) - 6
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
		class := "aim-" + string(side.Letter())
		d.text(class, "middle", boardLeft+boardSize/2, y, text)
	}
}

// course draws a move's way through the squares, its bounces, and the way of a displaced piece.
func (d *drawing) course(p rules.Position, m rules.Move, course []rules.Step) {
	if m.IsPlacement() {
		d.circle("landed", center(m.To()), markRadius, "")
	}
	if len(course) == 0 {
		return
	}
	// A piece from the hand enters over its side's edge.
	var way []point
	var at point
	isEntry := m.FromHand() > 0
	if isEntry {
		way = append(way, point{center(course[0].Square).x, edge(p.Side())})
	}
	for i, step := range course {
		if step.Square.IsGoal() {
			at.y = edge(p.Side().Other()) // straight on
		} else {
			at = center(step.Square)
		}
		isBounce := !step.Crossed && i < len(course)-1
		if i == 0 && !isEntry {
			d.circle("from", at, markRadius, "")
		} else if isBounce {
			height := p.At(step.Square)
			title := fmt.Sprintf("bounces off the %d on %v", height, step.Square)
			d.circle("bounced", at, markRadius, title)
		}
		way = append(way, at)
	}
	d.path("path", way)
	if m.Drop() != rules.NoSquare {
		to := center(m.Drop())
		d.line("droppath", at.x, at.y, to.x, to.y)
		title := fmt.Sprintf("the %d from %v", p.At(m.To()), m.To())
		d.circle("landed", to, markRadius, title)
	}
}
