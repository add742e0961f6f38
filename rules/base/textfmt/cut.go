package textfmt

import "iter"

// Cuts returns the ways to cut a text to so many columns, with an ellipsis in place of what is left
// out: in the middle first, then near to the end and near to the beginning. A text that is short
// enough is returned alone and whole.
func Cuts(text string, columns int) iter.Seq[string] {
	return func(yield func(string) bool) {
		if Width(text) <= columns {
			yield(text)
			return
		}
		letters := []rune(text)
		room := columns - 1 // beside the ellipsis
		for k := range room + 1 {
			head := room/2 + (k+1)/2
			if k%2 == 0 {
				head = room/2 - k/2
			}
			if head < 0 || head > room {
				continue
			}
			if !yield(beginning(letters, head) + "…" + end(letters, room-head)) {
				return
			}
		}
	}
}

// beginning returns the longest beginning of at most so many columns.
func beginning(letters []rune, columns int) string {
	n := 0
	for n < len(letters) && Width(string(letters[:n+1])) <= columns {
		n++
	}
	return string(letters[:n])
}

// end returns the longest end of at most so many columns.
func end(letters []rune, columns int) string {
	n := len(letters)
	for n > 0 && Width(string(letters[n-1:])) <= columns {
		n--
	}
	return string(letters[n:])
}
