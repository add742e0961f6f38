package textfmt

import (
	"cmp"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Width returns the number of columns a text takes on a terminal, escape sequences left out.
func Width(text string) int {
	// The locale would give ± and the like another width.
	return twwidth.WidthWithOptions(text, twwidth.Options{})
}

// Wrap breaks a text without escape sequences at blanks into lines of at most N columns. A word
// that is longer is cut, if possible behind a punctuation mark or a no-break space, and rather
// between the parameters of a spec than within one. Line breaks in the text stay. A no-break space
// becomes a blank.
func Wrap(text string, columns int) []string {
	columns = max(columns, 1)
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range Words(paragraph) {
			longer := line + " " + word
			if line != "" && Width(longer) <= columns {
				line = longer
				continue
			}
			if line != "" {
				lines = append(lines, line)
			}
			for Width(word) > columns {
				head, tail := cutWord(word, columns)
				if tail == "" { // a character of two columns where there is one
					break
				}
				lines = append(lines, head)
				word = tail
			}
			line = word
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, NoBreak, " ")
	}
	return lines
}

// Unwrap joins the lines of each paragraph of a text. Paragraphs have empty lines between them.
func Unwrap(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, paragraph := range paragraphs {
		paragraphs[i] = strings.Join(Words(paragraph), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// Hang returns a text behind what comes before it, wrapped to lines of at most N columns that begin
// below it.
func Hang(before, text string, columns int) string {
	const narrowest = 20
	indent := Width(before)
	var b strings.Builder
	for _, line := range Wrap(text, max(columns-indent, narrowest)) {
		b.WriteString(strings.TrimRight(before+line, " ") + "\n")
		before = strings.Repeat(" ", indent)
	}
	return b.String()
}

// Fit returns a text whose lines are at most N columns wide: wider ones are broken at blanks, and
// go on below their first word, behind blanks and the dash of a list.
func Fit(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if Width(line) <= columns {
			continue
		}
		words := strings.TrimLeft(line, " -")
		before := line[:len(line)-len(words)]
		before = before[max(0, len(before)-columns/3):]
		lines[i] = strings.TrimSuffix(Hang(before, words, columns), "\n")
	}
	return strings.Join(lines, "\n")
}

// NoBreak is a blank at which no line is broken.
const NoBreak = "\u00a0"

// Words returns the words of a text, between which a line may be broken.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n", r) })
}

// cutWord returns the longest beginning of a word that fits, at least one character, and the rest.
// Where a third of the columns is enough, the beginning ends in a mark between the parts of a spec,
// or else in another mark.
func cutWord(word string, columns int) (head, tail string) {
	end := 0  // where the longest beginning ends
	part := 0 // where the longest beginning ends that ends between two parts
	mark := 0 // where the longest one ends that ends in another mark
	for i, r := range word {
		next := i + len(string(r))
		width := Width(word[:next])
		if width > columns && end > 0 {
			break
		}
		end = next
		if 3*width < columns {
			continue
		}
		if strings.ContainsRune("/,;:"+NoBreak, r) {
			part = next
		} else if strings.ContainsRune("=-_|", r) {
			mark = next
		}
	}
	end = cmp.Or(part, mark, end)
	return strings.TrimSuffix(word[:end], NoBreak), word[end:]
}
