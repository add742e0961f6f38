package human

// The board as text.

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gyges/rules"
)

// Board draws a position for people, South at the bottom: a digit is a piece of that height, a dot
// an empty square. last is the move that led here, or rules.NoMove: the square it left is in (),
// those where it put pieces are in []. Of its course, which may be nil, pieces that it bounced off
// are in <>, empty squares that it crossed hold a plus sign.
func Board(r *rules.Rules, p rules.Position, last rules.Move, course []rules.Step) string {
	var crossed, landed rules.SquareSet
	for _, step := range course {
		if step.Crossed {
			crossed |= 1 << step.Square
		} else {
			landed |= 1 << step.Square
		}
	}
	edge := strings.Repeat("─", 3*rules.Files)
	if !r.Options().Kang {
		edge = "────── goal ──────"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "          North%s\n    ┌%s┐\n", reserve(r, p, rules.North), edge)
	for row := rules.Rows - 1; row >= 0; row-- {
		fmt.Fprintf(&b, "  %d │", row+1)
		for file := range rules.Files {
			s := rules.SquareAt(file, row)
			content := "·"
			if h := p.At(s); h > 0 {
				content = strconv.Itoa(int(h))
			} else if crossed.Has(s) {
				content = "+"
			}
			signs := "  "
			switch {
			case s == last.To(), s == last.Drop():
				signs = "[]"
			case s == last.From():
				signs = "()"
			case landed.Has(s):
				signs = "<>"
			}
			b.WriteString(signs[:1] + content + signs[1:])
		}
		fmt.Fprintf(&b, "│ %d\n", row+1)
	}
	fmt.Fprintf(&b, "    └%s┘\n      a  b  c  d  e  f\n", edge)
	fmt.Fprintf(&b, "          South%s\n", reserve(r, p, rules.South))
	return b.String()
}

// reserve returns what a side has beside the board: pieces in hand, goals.
func reserve(r *rules.Rules, p rules.Position, side rules.Side) string {
	goals := p.Goals(side)
	switch {
	case r.SettingUp(p):
		return "   still to place: " + hand(p, side)
	case r.Options().Kang:
		text := "   in hand: " + hand(p, side)
		text += fmt.Sprintf(", goals: %d of %d", goals, rules.KangGoals)
		if p.TookOut(side) {
			text += ", took a piece out last turn"
		}
		return text
	case goals > 0:
		return "   reached the goal"
	}
	return ""
}

// hand returns the heights of the pieces in a side's hand.
func hand(p rules.Position, side rules.Side) string {
	heights := ""
	for h := rules.Height(1); h <= 3; h++ {
		heights += strings.Repeat(fmt.Sprintf(" %d", h), p.Hand(side, h))
	}
	return cmp.Or(strings.TrimSpace(heights), "none")
}
