// Package textfmt formats names and numbers for terminals, Markdown and JSON. Names
// come from outside: what it returns holds no control character.
package textfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gyges/rules/base/lists"
)

// Visible returns a name as it can be printed: [Escape]d, and an empty one as "".
func Visible(name string) string {
	if name == "" {
		return `""`
	}
	return Escape(name)
}

// Escape returns a text in which whatever isn't printable (control and formatting characters,
// invalid UTF-8) is a Go escape, so that it can't drive a terminal, break a line or turn its
// direction.
func Escape(text string) string { return escape(text, unicode.IsPrint) }

// EscapeData is [Escape] that keeps blanks of any width, for what programs read.
func EscapeData(text string) string { return escape(text, unicode.IsGraphic) }

func escape(text string, keep func(rune) bool) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, w := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && w == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case keep(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += w
	}
	return b.String()
}

// Cut returns a text of at most N bytes: a longer one ends in an ellipsis, and is cut between two
// characters.
func Cut(text string, most int) string {
	const ellipsis = "…"
	if len(text) <= most {
		return text
	}
	end := most - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// Markdown returns a visible name with a backslash before what Markdown would take for markup or
// for the end of a table cell. Underscores inside words mean nothing and stay bare.
func Markdown(name string) string {
	runes := []rune(" " + Visible(name) + " ")
	var b strings.Builder
	for i, r := range runes[1 : len(runes)-1] {
		isMarkup := strings.ContainsRune("\\|`*~<>[]&", r)
		isInWord := isWordRune(runes[i]) && isWordRune(runes[i+2]) // the runes before and after r
		if isMarkup || r == '_' && !isInWord {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isWordRune(r rune) bool { return unicode.In(r, unicode.Letter, unicode.Number) }

// Decimal returns a number rounded to one decimal, without a sign before zero.
func Decimal(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Percent returns a share, 0 to 1, in percent with one decimal.
func Percent(share float64) string { return Decimal(100*share) + " %" }

// Likelihood returns a likelihood, 0 to 1, in percent with one decimal and without the sign. As
// nothing that is estimated is certain, none is 0.0 or 100.0.
func Likelihood(p float64) string {
	switch text := Decimal(100 * p); text {
	case "0.0":
		return "<0.1"
	case "100.0":
		return ">99.9"
	default:
		return text
	}
}

// Thousands returns a number with commas between thousands.
func Thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Digits formats a number with three significant digits, from 100 as a whole number.
func Digits(x float64) string {
	if math.Abs(x) >= 100 {
		return Thousands(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Plural returns "1 game" or "2 games".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun == "ply" {
		return fmt.Sprintf("%d plies", n)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// JSON is a string whose JSON has every unprintable character escaped: a terminal that shows it
// gets no commands. Invalid UTF-8, which JSON can't hold, becomes U+FFFD.
type JSON string

// MarshalJSON implements json.Marshaler.
func (e JSON) MarshalJSON() ([]byte, error) {
	quoted, _ := jsontext.AppendQuote(nil, string(e)) // its error is of invalid UTF-8
	out := make([]byte, 0, len(quoted))
	for _, r := range string(quoted) {
		switch {
		case unicode.IsPrint(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out, nil
}

// List returns at most N visible names and the number of the others: "a, b and 3 more".
func List(names []string, most int) string {
	shown := names[:min(most, len(names))]
	text := strings.Join(lists.Map(shown, Visible), ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ShellWord quotes a word for a shell where that is needed.
func ShellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
