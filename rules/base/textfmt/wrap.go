package textfmt

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Width returns the number of columns a text takes on a terminal. Escape sequences,
// such as those of colours, take none.
func Width(text string) int {
	// The locale would give ± and the like another width.
	return twwidth.WidthWithOptions(text, twwidth.Options{})
}

// Wrap breaks a text at blanks into lines of at most so many columns. A word that is
// longer is cut, if possible behind a punctuation mark or a
// no-break space, and rather between the parameters of a spec than within one. Line breaks in the text stay.
// Styles, which are escape sequences ESC[…m, end at the end of a line and begin again
// in the next one. A no-break space becomes a blank.
func Wrap(text string, columns int) []string {
	columns = max(columns, 1)
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line, used := "", 0
		for _, word := range Words(paragraph) {
			w := Width(word)
			if used > 0 && used+1+w <= columns {
				line, used = line+" "+word, used+1+w
				continue
			}
			if used > 0 {
				lines = append(lines, line)
			}
			for w > columns {
				head, tail := cutWord(word, columns)
				if tail == "" { // a character of two columns where there is one
					break
				}
				lines = append(lines, head)
				word, w = tail, Width(tail)
			}
			line, used = word, w
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, NoBreak, " ")
	}
	return closeStyles(lines)
}

// Hang returns a text, with a line end, behind what comes before it, wrapped to lines of at most
// so many columns that begin below it.
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

const (
	NoBreak = "\u00a0"       // a blank at which no line is broken
	Marks   = parts + "=-_|" // behind them long words are cut
	parts   = "/,;:"
)

// Words returns the words of a text, between which a line may be broken.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
}

// style matches the escape sequence that begins a style or ends all of them.
var style = regexp.MustCompile("\x1b\\[[0-9;]*m")

const noStyle = "\x1b[0m"

// cutWord returns the longest beginning of a word that fits, at least one
// character, and the rest. Where a third of the columns is enough, the beginning
// ends in a punctuation mark, one of parts if possible.
func cutWord(word string, columns int) (head, tail string) {
	end, after, part := 0, 0, 0
	for i := 0; i < len(word); {
		if at := style.FindStringIndex(word[i:]); at != nil && at[0] == 0 {
			i += at[1]
			continue
		}
		next := len(word)
		for j := range word[i:] {
			if j > 0 {
				next = i + j
				break
			}
		}
		if w := Width(word[:next]); w > columns && end > 0 {
			break
		} else if strings.ContainsAny(word[i:next], Marks+NoBreak) && 3*w >= columns {
			after = next
			if !strings.ContainsAny(word[i:next], Marks[len(parts):]) {
				part = next
			}
		}
		i, end = next, next
	}
	end = cmp.Or(part, after, end)
	return strings.TrimSuffix(word[:end], NoBreak), word[end:]
}

// closeStyles ends, in each line, the styles that the line doesn't end, and begins
// them again in the next.
func closeStyles(lines []string) []string {
	open := ""
	for i, line := range lines {
		line = open + line
		for _, s := range style.FindAllString(lines[i], -1) {
			if s == noStyle {
				open = ""
			} else {
				open += s
			}
		}
		if open != "" {
			line += noStyle
		}
		lines[i] = line
	}
	return lines
}
