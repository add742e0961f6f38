package human

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gyges/rules"
)

// Board draws a position for people, South at the bottom: a digit is a piece of that height, a dot an empty square.
// last is the move that led here, or rules.NoMove: the square it left is in (), those where it put pieces are in []. Of
// its course, which may be nil, pieces that it bounced off are in <>, empty squares that it crossed hold a plus sign.
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
			content, marks := "·", "  "
			switch h := p.At(s); {
			case h > 0:
				content = strconv.Itoa(int(h))
			case crossed.Has(s):
				content = "+"
			}
			switch {
			case s == last.To() || s == last.Drop():
				marks = "[]"
			case s == last.From():
				marks = "()"
			case landed.Has(s):
				marks = "<>"
			}
			b.WriteString(marks[:1] + content + marks[1:])
		}
		fmt.Fprintf(&b, "│ %d\n", row+1)
	}
	fmt.Fprintf(&b, "    └%s┘\n      a  b  c  d  e  f\n          South%s\n", edge, reserve(r, p, rules.South))
	return b.String()
}

func reserve(r *rules.Rules, p rules.Position, side rules.Side) string {
	var parts []string
	switch {
	case r.SettingUp(p):
		parts = append(parts, "still to place: "+hand(p, side))
	case r.Options().Kang:
		parts = append(parts, "in hand: "+hand(p, side),
			fmt.Sprintf("goals: %d of %d", p.Goals(side), rules.KangGoals))
		if p.TookOut(side) {
			parts = append(parts, "took a piece out last turn")
		}
	case p.Goals(side) > 0:
		parts = append(parts, "reached the goal")
	}
	if parts == nil {
		return ""
	}
	return "   " + strings.Join(parts, ", ")
}

func hand(p rules.Position, side rules.Side) string {
	text := ""
	for h := rules.Height(1); h <= 3; h++ {
		text += strings.Repeat(fmt.Sprintf(" %d", h), p.Hand(side, h))
	}
	return cmp.Or(strings.TrimPrefix(text, " "), "none")
}
