package standings

import (
	"hash/fnv"
	"slices"
	"strings"

)

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
