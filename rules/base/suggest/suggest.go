// Package suggest words the message on an unknown name, with known ones that are near.
package suggest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unknown returns the message on an unknown word, a name of some kind of thing, with known words:
// the near ones, or all up to a bound.
func Unknown(what, word string, known []string) string {
	hint := DidYouMean(word, known)
	if hint == "" {
		hint = "; expected one of: " + strings.Join(known[:min(len(known), 40)], ", ")
	}
	return fmt.Sprintf("unknown %s %.60q%s", what, word, hint)
}

// DidYouMean returns the end of a message on an unknown word: the known words that begin with it,
// or differ from it by at most two letters, some of the nearest if there are many; "" if there are
// none.
func DidYouMean(word string, known []string) string {
	var near [3][]string // by distance; those that begin with the word come first
	for _, k := range known {
		switch d := distance(word, k); {
		case word != "" && strings.HasPrefix(k, word):
			near[0] = append(near[0], strconv.Quote(k))
		case d <= min(2, len(word)/2):
			near[d] = append(near[d], strconv.Quote(k))
		}
	}
	list := slices.Concat(near[:]...)
	switch len(list) {
	case 0:
		return ""
	case 1:
		return ", did you mean " + list[0] + "?"
	default:
		return ", did you mean one of " + strings.Join(list[:min(len(list), 6)], ", ") + "?"
	}
}

// OneOf returns the names as in "a, b or c".
func OneOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// distance returns the Levenshtein distance: the letters to insert, delete or replace to get from a
// to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // the distances of the beginnings of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
