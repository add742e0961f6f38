package standings

import (
	"hash/fnv"
	"slices"
	"strings"

	"gyges/rules"
)

// emptyRow is a row of the board without pieces.
const emptyRow = "000000"

// rowNames returns the names of the rows of pieces that South and North begin with: the heights from
// their owner's left to right, or the mirror image if that comes first, as both are equally strong.
// It reports false if the opening is no set-up.
func rowNames(ruleSet, opening string) (south, north string, ok bool) {
	board, rest, _ := strings.Cut(opening, " ")
	rows := strings.Split(board, "/") // South's back row first, from South's left
	if len(rows) != rules.Rows || rest != "s" || rows[2] != emptyRow || rows[3] != emptyRow {
		return "", "", false
	}
	if rows[1] != emptyRow || rows[4] != emptyRow {
		if r, err := rules.Parse(ruleSet); err != nil || r.Options().SetupZone != rules.TwoRows {
			return "", "", false
		}
	}
	south, okSouth := rowName(rows[0], rows[1])
	north, okNorth := rowName(rows[5], rows[4]) // as South sees it, which is the mirror image
	return south, north, okSouth && okNorth
}

// rowName returns the name of a player's pieces in its first two rows, the second only if it has
// some, and false if they aren't two of each height.
func rowName(back, front string) (name string, ok bool) {
	name, image := back, reversed(back)
	if front != emptyRow {
		name, image = name+"/"+front, image+"/"+reversed(front)
	}
	pieces := []byte(back + front)
	slices.Sort(pieces)
	return min(name, image), string(pieces) == emptyRow+"112233"
}

// hashOpening returns a hash of a position, the same for its mirror image.
func hashOpening(position string) uint64 {
	board, rest, _ := strings.Cut(position, " ")
	rows := strings.Split(board, "/")
	for i := range rows {
		rows[i] = reversed(rows[i])
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(min(board, strings.Join(rows, "/")) + " " + rest)) // never fails
	return h.Sum64()
}

func reversed(text string) string {
	letters := []byte(text)
	slices.Reverse(letters)
	return string(letters)
}
