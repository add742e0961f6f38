package manual

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/rules/base/textfmt"
)

// address prints web addresses.
func address(destination string) string {
	if strings.HasPrefix(destination, "https:") {
		return destination
	}
	return ""
}

func TestRender(t *testing.T) {
	const prose = "Each side has *six* pieces, and **no piece** belongs to a player: see the\n" +
		"[rules](https://example.org/rules) for Gygès, the `standard` ones and `a -b` of Übergänge, [below](#below)."
	for name, c := range map[string]struct {
		source  string
		columns int
		styles  bool
		want    string
	}{
		"40 columns": {prose, 40, false, `
Each side has six pieces, and no piece
belongs to a player: see the rules
(https://example.org/rules) for Gygès,
the ¸standard¸ ones and ¸a -b¸ of
Übergänge, below.
`},
		"80 columns": {prose, 80, false, `
Each side has six pieces, and no piece belongs to a player: see the rules
(https://example.org/rules) for Gygès, the ¸standard¸ ones and ¸a -b¸ of
Übergänge, below.
`},
		"100 columns": {prose, 100, false, `
Each side has six pieces, and no piece belongs to a player: see the rules
(https://example.org/rules) for Gygès, the ¸standard¸ ones and ¸a -b¸ of Übergänge, below.
`},
		"styles": {"# A *title*\n\n## Next\n\nsome **bold words** and ¸code¸", 20, true, `
<1><4>A <4>title<0><1><4><0>

<1>Next<0>

some <1>bold words<0> and
<36>code<0>
`},
		"style over two lines": {"**one two**", 4, true, "\n<1>one<0>\n<1>two<0>\n"},
		"headings": {"Title\n=====\ntext\n### Three and a half", 80, false, `
# Title

text

### Three and a half
`},
		"breaks and entities": {"one\\\ntwo  \nthree<br>four &lt;&#233;&gt; \\*\\\\ \\_<!-- no -->&amp;lt;", 80, false, `
one
two
three
four <é> *\ _&lt;
`},
		"lists": {`
Steps:
- one, which is too long for one line of it
- two
  - nested, and also too long for a line
    1. deep
    2. down
- three

9. nine

   more of nine

10. ten

        code of ten
`, 32, false, `
Steps:

- one, which is too long for one
  line of it
- two
  - nested, and also too long
    for a line
    1. deep
    2. down
- three

 9. nine

    more of nine

10. ten

        code of ten
`},
		"code": {"¸¸¸console\n$ gyges moves '321123/000000/000000/000000/000000/321123 s'\n\n\tlast\n¸¸¸\n\n    indented", 40, false, `
    $ gyges moves '321123/000000/000000/000000/000000/321123 s'

        last

    indented
`},
		"table": {"| Name | Größe | What it is for |\n|:--|--:|---|\n| ¸depth¸ | 12 | plies to search, or \\| none of them |\n| x | 7 | |", 40, false, `
 Name     Größe  What it is for
---------------------------------------
 ¸depth¸     12  plies to search, or |
                 none of them
 x            7
`},
		"pipe in code in a table": {"| A |\n|---|\n| ¸a\\|b¸ |", 40, false, "\n A\n-------\n ¸a|b¸\n"},
		"table with styles": {"| A | B |\n|---|---|\n| **two words** | c |", 40, true, `
 <1>A<0>          <1>B<0>
--------------
 <1>two words<0>  c
`},
		"quote": {"> one\n> two\n>\n> - three", 80, false, "\n| one two\n|\n| - three\n"},
		"links": {"[¸https://a.b¸](https://a.b) <https://c.d> [x][1] ![a *board*](b.svg) [e](f.go)\n\n[1]: https://g.h 'title'", 80, false, `
¸https://a.b¸ https://c.d x (https://g.h) a board e
`},
		"ends of addresses": {"[a/b](https://x.y/a/b), [¸b.c¸](https://x.y/b.c), [b](https://x.y/b)", 80, false, `
https://x.y/a/b, ¸https://x.y/b.c¸, b (https://x.y/b)
`},
		"HTML": {"<!-- hidden -->\n\n<p align=\"center\">\n  <img src=\"b.svg\"\n  alt=\"A board &amp; pieces\">\n</p>\n\nH<sub>2</sub>O", 80, false, `
A board & pieces

H2O
`},
		"rule":  {"a\n\n---\n\nb", 10, false, "\na\n\n----------\n\nb\n"},
		"empty": {"", 80, false, "\n"},
	} {
		source := strings.ReplaceAll(c.source, "¸", "`")
		got := Render(source, Options{Columns: c.columns, Styles: c.styles, Address: address})
		got = regexp.MustCompile("\x1b\\[(.*?)m").ReplaceAllString(got, "<$1>")
		require.Equal(t, strings.ReplaceAll(c.want, "¸", "`"), "\n"+got, name)
	}
}

func TestSummary(t *testing.T) {
	for source, want := range map[string][2]string{
		"# The `rules`\n\nA *game*, see\n[it](x.md). And more.\n\nNext.": {"The `rules`", "A game, see it."},
		"text\n\n# Title\n\n- list\n\nOne sentence.":                     {"Title", "One sentence."},
		"# Title\n": {"Title", ""},
		"":          {"", ""},
	} {
		title, sentence := Summary(source)
		require.Equal(t, want, [2]string{title, sentence}, source)
	}
}

// The lines of any text but code fit, and no word is lost.
func TestAnyText(t *testing.T) {
	word := rapid.StringMatching(`[a-zäöüßèé]{1,20}|https://[a-z]{1,90}`)
	prose := rapid.Custom(func(t *rapid.T) string {
		words := rapid.SliceOfN(word, 1, 20).Draw(t, "words")
		for i, mark := range rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", "*", "**", "`"}), len(words), len(words)).Draw(t, "marks") {
			words[i] = mark + words[i] + mark
		}
		return strings.Join(words, " ")
	})
	block := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(prose, 1, 4).Draw(t, "lines")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return strings.Join(lines, "\n")
		case 1:
			return "## " + lines[0]
		case 2:
			for i := range lines {
				lines[i] = strings.Repeat("  ", i) + "- " + lines[i]
			}
			return strings.Join(lines, "\n")
		default:
			row := "| " + strings.Join(lines, " | ") + " |\n"
			return row + strings.Repeat("|---", len(lines)) + "|\n" + row
		}
	})
	escapes := regexp.MustCompile("\x1b\\[[0-9]+m")
	// letters returns the letters of a text. In a table words are cut and stand side by
	// side: then they are sorted.
	letters := func(text string, sorted bool) string {
		found := regexp.MustCompile(`[a-zäöüßèé]`).FindAllString(escapes.ReplaceAllString(text, ""), -1)
		if sorted {
			slices.Sort(found)
		}
		return strings.Join(found, "")
	}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(block, 1, 5).Draw(t, "blocks"), "\n\n")
		columns := rapid.IntRange(40, 100).Draw(t, "columns")
		table := strings.Contains(source, "|")
		for _, styles := range []bool{false, true} {
			out := Render(source, Options{Columns: columns, Styles: styles})
			require.Equal(t, letters(source, table), letters(out, table))
			for line := range strings.Lines(out) {
				require.LessOrEqual(t, textfmt.Width(strings.TrimSuffix(line, "\n")), columns, out)
				if found := escapes.FindAllString(line, -1); len(found) > 0 {
					require.Equal(t, reset, found[len(found)-1], "%q", line)
				}
			}
		}
	})
}
