package human

import (
	"fmt"
	"strings"

	"gyges/rules"
)

// Board draws a position for people, South at the bottom: a digit is a piece of that height, a dot an empty square.
// last is the move that led here, or rules.NoMove: the square it left is put in (), the squares where it put pieces in
// []. Of its course, which may be nil, pieces that it bounced off are in <>, empty squares that it crossed hold a plus
// sign. The text ends in a newline.
func Board(r *rules.Rules, p rules.Position, last rules.Move, course []rules.Step) string {
	var crossed, landed rules.SquareSet
	for _, step := range course {
		if step.Crossed {
			crossed |= 1 << step.Square
		} else {
			landed |= 1 << step.Square
		}
	}
	var b strings.Builder
	kang := r.Options().Kang
	fmt.Fprintf(&b, "          North%s\n", reserve(r, p, rules.North))
	frame(&b, "┌", "┐", !kang)
	for row := rules.Rows - 1; row >= 0; row-- {
		fmt.Fprintf(&b, "  %d │", row+1)
		for file := range rules.Files {
			s := rules.SquareAt(file, row)
			left, right := marks(s, last, landed)
			content := piece(p.At(s))
			if p.At(s) == 0 && crossed.Has(s) {
				content = "+"
			}
			b.WriteString(left + content + right)
		}
		fmt.Fprintf(&b, "│ %d\n", row+1)
	}
	frame(&b, "└", "┘", !kang)
	b.WriteString("      a  b  c  d  e  f\n")
	fmt.Fprintf(&b, "          South%s\n", reserve(r, p, rules.South))
	return b.String()
}

// frame draws the upper or lower edge, with the goal in it where there is one.
func frame(b *strings.Builder, left, right string, goal bool) {
	edge := strings.Repeat("─", 3*rules.Files)
	if goal {
		side := strings.Repeat("─", (3*rules.Files-len(" goal "))/2)
		edge = side + " goal " + side
	}
	b.WriteString("    " + left + edge + right + "\n")
}

func piece(h rules.Height) string {
	if h == 0 {
		return "·"
	}
	return string(rune('0' + h))
}

// marks returns the signs left and right of a square's content.
func marks(s rules.Square, last rules.Move, landed rules.SquareSet) (left, right string) {
	switch {
	case s == last.To() || s == last.Drop():
		return "[", "]"
	case s == last.From():
		return "(", ")"
	case landed.Has(s):
		return "<", ">"
	default:
		return " ", " "
	}
}

// reserve returns what a side has in hand and has scored, if the rules have reserves.
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
	if len(parts) == 0 {
		return ""
	}
	return "   " + strings.Join(parts, ", ")
}

// hand lists the heights of the pieces in a side's hand.
func hand(p rules.Position, side rules.Side) string {
	var list []string
	for h := rules.Height(1); h <= 3; h++ {
		for range p.Hand(side, h) {
			list = append(list, piece(h))
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " ")
}
