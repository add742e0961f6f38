// Package suggest words the message on an unknown name, with known ones that are near.
package suggest

import (
	"fmt"
	"strings"
)

// Unknown returns the message on an unknown word, a name of some kind of thing, with known words: the near ones or all.
func Unknown(what, word string, known []string) string {
	hint := DidYouMean(word, known)
	if hint == "" {
		hint = "; expected one of: " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("unknown %s %.60q%s", what, word, hint)
}

// DidYouMean returns the end of a message on an unknown word: the known words that begin with it, or
// differ from it by at most two letters; "" if there are none.
func DidYouMean(word string, known []string) string {
	var near []string
	for _, k := range known {
		d := distance(word, k)
		if word != "" && strings.HasPrefix(k, word) || d <= 2 && 2*d <= len(word) {
			near = append(near, fmt.Sprintf("%q", k))
		}
	}
	switch len(near) {
	case 0:
		return ""
	case 1:
		return ", did you mean " + near[0] + "?"
	default:
		return ", did you mean one of " + strings.Join(near, ", ") + "?"
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

// distance returns the Levenshtein distance: the letters to insert, delete or replace to get from a to b.
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
