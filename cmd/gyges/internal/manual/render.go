// Package manual prints a manual, written in Markdown, as text for a terminal.
package manual

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// Options say how a text is printed.
type Options struct {
	Columns int // the lines of all but code are not longer

	// Styles makes headings and emphasised text bold or underlined and code coloured,
	// by escape sequences. Without it headings keep their marks, and code its backticks.
	Styles bool

	// Address returns what is printed in parentheses behind the text of a link to a
	// destination, "" for nothing.
	Address func(destination string) string
}

// Render returns a Markdown text with the tables of GitHub as it is printed.
func Render(source string, o Options) string {
	p := printer{Options: o, source: []byte(source)}
	var b strings.Builder
	for _, line := range p.blocks(p.parse(), o.Columns, 1) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Summary returns the first heading of a Markdown text and the first sentence below it.
func Summary(source string) (title, sentence string) {
	p := printer{source: []byte(source)}
	for n := p.parse().FirstChild(); n != nil; n = n.NextSibling() {
		switch {
		case n.Kind() == ast.KindHeading && title == "":
			title = p.inline(n)
		case n.Kind() == ast.KindParagraph && title != "":
			sentence, _, cut := strings.Cut(p.inline(n), ". ")
			if cut {
				sentence += "."
			}
			return title, sentence
		}
	}
	return title, ""
}

// printer prints the nodes of a text. Every block is a list of lines.
type printer struct {
	Options
	source []byte
	open   string // the escape sequences of the styles in use
}

func (p *printer) parse() ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(p.source))
}

// blocks returns the children of a node with a number of empty lines between them.
func (p *printer) blocks(parent ast.Node, columns, apart int) (lines []string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		block := p.block(n, columns)
		if len(lines) > 0 && len(block) > 0 {
			lines = append(lines, make([]string, apart)...)
		}
		lines = append(lines, block...)
	}
	return lines
}

func (p *printer) block(n ast.Node, columns int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return textfmt.Wrap(p.heading(n), columns)
	case *ast.Paragraph, *ast.TextBlock:
		return textfmt.Wrap(p.inline(n), columns)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		code := strings.TrimRight(string(n.Lines().Value(p.source)), "\n")
		code = strings.ReplaceAll(code, "\t", codeIndent)
		return indent(strings.Split(code, "\n"), codeIndent, codeIndent)
	case *ast.HTMLBlock:
		if words := withoutTags(string(n.Lines().Value(p.source))); strings.TrimSpace(words) != "" {
			return textfmt.Wrap(strings.Join(strings.Fields(words), " "), columns)
		}
		return nil
	case *ast.ThematicBreak:
		return []string{strings.Repeat("-", columns)}
	case *ast.Blockquote:
		return indent(p.blocks(n, columns-2, 1), "| ", "| ")
	case *ast.List:
		return p.list(n, columns)
	case *table.Table:
		return p.table(n, columns)
	default:
		return p.blocks(n, columns, 1)
	}
}

// codeIndent stands before lines of code, and for tabs in them.
const codeIndent = "    "

// indent puts one text before the first line and another before those that follow.
// Empty lines get no blanks.
func indent(lines []string, first, others string) []string {
	for i, line := range lines {
		lines[i] = strings.TrimRight(first+line, " ")
		first = others
	}
	return lines
}

func (p *printer) heading(n *ast.Heading) string {
	switch {
	case !p.Styles:
		return strings.Repeat("#", n.Level) + " " + p.inline(n)
	case n.Level == 1:
		return p.styled(bold+underlined, n)
	default:
		return p.styled(bold, n)
	}
}

func (p *printer) list(n *ast.List, columns int) (lines []string) {
	apart := 1
	if n.IsTight {
		apart = 0
	}
	last := fmt.Sprint(n.Start + n.ChildCount() - 1)
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = fmt.Sprintf("%*d. ", len(last), number)
			number++
		}
		if len(lines) > 0 {
			lines = append(lines, make([]string, apart)...)
		}
		block := p.blocks(item, columns-len(marker), apart)
		if len(block) == 0 {
			block = []string{""}
		}
		lines = append(lines, indent(block, marker, strings.Repeat(" ", len(marker)))...)
	}
	return lines
}

func (p *printer) table(n *table.Table, columns int) []string {
	g := grid.Grid{Left: map[int]bool{}, Width: columns}
	for i, a := range n.Alignments {
		g.Left[i] = a != table.AlignRight
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if row.Kind() == table.KindTableHeader {
				cells = append(cells, p.styled(bold, cell))
			} else {
				cells = append(cells, p.inline(cell))
			}
		}
		if row.Kind() == table.KindTableHeader {
			g.Header = cells
		} else {
			g.Add(cells...)
		}
	}
	var b strings.Builder
	if err := g.Write(&b, false); err != nil { // a builder takes everything
		panic(err)
	}
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

// inline returns the text in a block, on one line but for hard line breaks.
func (p *printer) inline(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			if n.IsRaw() {
				b.Write(n.Value(p.source))
			} else {
				b.WriteString(unescape(n.Value(p.source)))
			}
			switch {
			case n.HardLineBreak():
				b.WriteByte('\n')
			case n.SoftLineBreak():
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeSpan:
			b.WriteString(p.code(p.inline(n)))
		case *ast.Emphasis:
			b.WriteString(p.styled(cmp.Or(map[int]string{1: underlined}[n.Level], bold), n))
		case *ast.Link:
			b.WriteString(p.link(n))
		case *ast.AutoLink:
			b.Write(n.Label(p.source))
		case *ast.RawHTML:
			b.WriteString(withoutTags(string(n.Segments.Value(p.source))))
		default: // such as an image, whose children are its other text
			b.WriteString(p.inline(n))
		}
	}
	return b.String()
}

// code returns code in a line. If it is short, no line is broken in it.
func (p *printer) code(text string) string {
	const short = 24
	text = strings.ReplaceAll(text, "\n", " ")
	if textfmt.Width(text) <= short {
		text = strings.ReplaceAll(text, " ", textfmt.NoBreak)
	}
	if p.Styles {
		return coloured + text + reset + p.open
	}
	return "`" + text + "`"
}

// link returns the text of a link with the address. Of a text that is the address's end,
// as the name of a file is, only the address is left.
func (p *printer) link(n *ast.Link) string {
	words := p.inline(n)
	if p.Address == nil {
		return words
	}
	address := p.Address(string(n.Destination))
	plain := printer{source: p.source}
	name := strings.ReplaceAll(plain.inline(n), textfmt.NoBreak, " ")
	file := strings.Trim(name, "`")
	isEnd := file == address || strings.ContainsAny(file, "./") && strings.HasSuffix(address, "/"+file)
	switch {
	case address == "":
		return words
	case isEnd && file != name:
		return p.code(address)
	case isEnd:
		return address
	}
	return words + " (" + address + ")"
}

// The escape sequences of the styles.
const (
	bold       = "\x1b[1m"
	underlined = "\x1b[4m"
	coloured   = "\x1b[36m"
	reset      = "\x1b[0m"
)

// styled returns the text in a node in a style, in addition to those around it.
func (p *printer) styled(style string, n ast.Node) string {
	if !p.Styles {
		return p.inline(n)
	}
	around := p.open
	p.open += style
	words := p.inline(n)
	p.open = around
	if words == "" {
		return ""
	}
	return style + words + reset + around
}

// unescape returns a text with what its backslashes and entities stand for.
func unescape(source []byte) string {
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	goldmarkhtml.DefaultWriter.Write(w, source)
	_ = w.Flush() // a buffer takes everything
	return html.UnescapeString(buf.String())
}

var (
	comment   = regexp.MustCompile(`(?s)<!--.*?-->`)
	image     = regexp.MustCompile(`(?is)<img\b[^>]*\balt="([^"]*)"[^>]*>`)
	lineBreak = regexp.MustCompile(`(?i)<br */?>`)
	tag       = regexp.MustCompile(`(?s)<[^>]*>`)
)

// withoutTags returns the text in HTML: of images, the other text.
func withoutTags(source string) string {
	source = comment.ReplaceAllString(source, "")
	source = image.ReplaceAllString(source, "$1")
	source = lineBreak.ReplaceAllString(source, "\n")
	return html.UnescapeString(tag.ReplaceAllString(source, ""))
}
