package human

import (
	"fmt"
	"strings"

	"gyges/rules"
)

// listMoves writes the legal moves in short notation, but each start, or piece
// displaced, only once, with all the squares that can follow it:
//
//	d1-    c2 d3 goal
//	d1xc3@ a1 b1 d2
//
// With a start (a square, +height or height@) it lists those moves alone. It
// returns "" if there are none.
func listMoves(ms *rules.MoveSet, start string) string {
	var b strings.Builder
	heading := ""
	for m := range ms.All() {
		text := m.String()
		cut := strings.LastIndexAny(text, "-@") + 1
		head, tail := text[:cut], text[cut:]
		if !strings.HasPrefix(head, start) {
			continue
		}
		if head != heading {
			if heading != "" {
				b.WriteByte('\n')
			}
			heading = head
			fmt.Fprintf(&b, "  %-6s", head)
		}
		b.WriteString(" " + tail)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
