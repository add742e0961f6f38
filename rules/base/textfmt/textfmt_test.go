package textfmt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	for name, want := range map[string]string{
		"alphabeta:depth=3":   "alphabeta:depth=3",
		`w\a.json`:            `w\a.json`,
		"":                    `""`,
		"a\x1b[2Jb":           `a\x1b[2Jb`,
		"line\r\nbreak\t":     `line\r\nbreak\t`,
		"\u009b31m":           `\u009b31m`,
		"\u202edlrow\u2066":   `\u202edlrow\u2066`,
		"\xff\xfe":            `\xff\xfe`,
		"名前 é 🦌":              "名前 é 🦌",
		"it's \"quoted\"":     "it's \"quoted\"",
		"\U000e0041\u00a0 \a": `\U000e0041\u00a0 \a`,
	} {
		require.Equal(t, want, Visible(name))
	}
	require.Empty(t, Escape(""))
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "abcdef": "abcdef", "abcdefg": "abc…", "abécdef": "ab…",
		"abc\xff\xffxx": "abc…"} {
		require.Equal(t, want, Cut(text, 6))
	}
}

func TestMarkdownNames(t *testing.T) {
	for name, want := range map[string]string{
		"mcts:iterations=500,weights=my_file_2.json": "mcts:iterations=500,weights=my_file_2.json",
		"a|b":              `a\|b`,
		"_x_":              `\_x\_`,
		`*a* \ <b> [c](d)`: "\\*a\\* \\\\ \\<b\\> \\[c\\](d)",
		"`a` & ~b~":        "\\`a\\` \\& \\~b\\~",
	} {
		require.Equal(t, want, Markdown(name))
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -100: "-100", -1000: "-1,000",
		1234567: "1,234,567"} {
		require.Equal(t, want, Thousands(n))
	}
	require.Equal(t, "0.0", Decimal(-0.04))
	require.Equal(t, "-0.1", Decimal(-0.06))
	require.Equal(t, "1 game", Plural(1, "game"))
	require.Equal(t, "0 games", Plural(0, "game"))
	require.Equal(t, "2 plies", Plural(2, "ply"))
}

// No likelihood is printed as certain or impossible.
func TestLikelihood(t *testing.T) {
	for p, want := range map[float64]string{
		0: "<0.1", 1e-300: "<0.1", 0.000499: "<0.1", 0.0006: "0.1", 0.5: "50.0", 0.9994: "99.9", 0.99951: ">99.9", 1: ">99.9",
	} {
		require.Equal(t, want, Likelihood(p), "%v", p)
	}
}
