package textfmt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string // lines, separated by |
	}{
		{"", 10, ""},
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two|three"},
		{"  one   two\tthree ", 80, "one two three"},
		{"one\n\ntwo", 80, "one||two"},
		{"größe läßt", 5, "größe|läßt"},
		{"größe läßt", 4, "größ|e|läßt"},
		{"一二 三四", 5, "一二|三四"},
		{"一二 三四", 2, "一|二|三|四"},
		{"一二", 1, "一|二"}, // each is two columns wide
		{"é́x", 1, "é́|x"},
		{"standard:null_move=allow", 20, "standard:|null_move=allow"},
		{"a a\u00a0b", 4, "a|a b"},
		{"a abc\u00a0def", 4, "a|abc|def"},
		{"a-bcdefghijk", 9, "a-bcdefgh|ijk"},
	} {
		require.Equal(t, c.want, strings.Join(Wrap(c.text, c.columns), "|"), "%q, %d", c.text, c.columns)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 20, ""},
		{"as  it\n   is\n", 20, "as  it\n   is\n"},
		{"one two three four five six\n", 20, "one two three four\nfive six\n"},
		{"short\n  one two three four five six", 22, "short\n  one two three four\n  five six"},
		{"- one two three four five six\n\n", 22, "- one two three four\n  five six\n\n"},
		{strings.Repeat(" ", 30) + "one two three four five", 30, strings.Repeat(" ", 10) + "one two three four\n" +
			strings.Repeat(" ", 10) + "five"},
		{"\x1b[31mgyges:\x1b[0m one two three four", 20, "\x1b[31mgyges:\x1b[0m one two three\nfour"},
		{"一二三四五 六七八九十 é́é́é́", 22, "一二三四五 六七八九十\né́é́é́"},
	} {
		require.Equal(t, c.want, Fit(c.text, c.columns), "%q, %d", c.text, c.columns)
	}
}

// No line is too long, no character is lost, and a blank is where the text has one.
func TestWrapAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zäé±/=-]{1,30}`)).Draw(t, "words")
		columns := rapid.IntRange(1, 40).Draw(t, "columns")
		lines := Wrap(strings.Join(words, " "), columns)
		for _, line := range lines {
			require.LessOrEqual(t, Width(line), columns)
			require.Equal(t, strings.TrimSpace(line), line)
		}
		require.Equal(t, strings.Join(words, ""), strings.ReplaceAll(strings.Join(lines, ""), " ", ""))
	})
}
