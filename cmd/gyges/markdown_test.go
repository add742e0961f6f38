package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// markdown is a document that has been read.
type markdown struct {
	path    string // from the repository's root, with slashes
	source  []byte
	blocks  []fence
	links   []target
	code    []target        // inline code
	glued   []target        // text in which a heading or a sentence begins without a break before it
	anchors map[string]bool // what a link to the document can name after #
}

// fence is a fenced code block.
type fence struct {
	language    string
	text        string
	line        int    // of the text
	start, stop int    // of the text in the source
	indent      string // of each line in the source but the first, which begins behind it
}

// target is what a link or an image points to, or a piece of inline code.
type target struct {
	text string
	line int
}

// glued finds a heading behind other text on its line, or a sentence without a blank before it.
var (
	glued      = regexp.MustCompile(`\S[ \t]*#{2,}[ \t]|[a-z)][.!?;][A-Z][a-z]*(\s|$)`)
	inlineCode = regexp.MustCompile("`[^`]*`")
)

// parseMarkdown reads a document.
func parseMarkdown(path string, source []byte) *markdown {
	d := &markdown{path: path, source: source, anchors: map[string]bool{}}
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	slugs := map[string]int{}
	line := 1 // of the text that the walk is at
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
			line = d.lineAt(n.Lines().At(0).Start)
		}
		if t, ok := n.FirstChild().(*ast.Text); ok {
			line = d.lineAt(t.Segment.Start)
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			d.addBlock(n)
		case *ast.Heading:
			s := slug(plainText(n, source))
			if slugs[s]++; slugs[s] > 1 {
				s = fmt.Sprintf("%s-%d", s, slugs[s]-1)
			}
			d.anchors[s] = true
		case *ast.Link:
			d.links = append(d.links, target{string(n.Destination), line})
		case *ast.Image:
			d.links = append(d.links, target{string(n.Destination), line})
		case *ast.Paragraph, *ast.TextBlock:
			text := inlineCode.ReplaceAllLiteral(n.Lines().Value(source), []byte("code"))
			if found := glued.Find(text); found != nil {
				d.glued = append(d.glued, target{string(found), line})
			}
		case *ast.CodeSpan:
			d.code = append(d.code, target{plainText(n, source), line})
		case *ast.HTMLBlock:
			d.addHTML(n.Lines().Value(source), line)
		case *ast.RawHTML:
			d.addHTML(n.Segments.Value(source), line)
		}
		return ast.WalkContinue, nil
	})
	return d
}

func (d *markdown) lineAt(offset int) int { return bytes.Count(d.source[:offset], []byte("\n")) + 1 }

func (d *markdown) addBlock(n *ast.FencedCodeBlock) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	start, stop := lines.At(0).Start, lines.At(lines.Len()-1).Stop
	d.blocks = append(d.blocks, fence{
		language: string(n.Language(d.source)), text: string(lines.Value(d.source)),
		line: d.lineAt(start), start: start, stop: stop,
		indent: string(d.source[bytes.LastIndexByte(d.source[:start], '\n')+1 : start]),
	})
}

// addHTML adds the links, images and anchors of HTML in the document.
func (d *markdown) addHTML(source []byte, line int) {
	z := html.NewTokenizer(bytes.NewReader(source))
	for z.Next() != html.ErrorToken {
		for _, a := range z.Token().Attr {
			switch a.Key {
			case "href", "src", "srcset":
				d.links = append(d.links, target{a.Val, line})
			case "id", "name":
				d.anchors[a.Val] = true
			}
		}
	}
}

// plainText returns the text of a node without its markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Value(source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.AutoLink:
			b.Write(c.Label(source))
		default:
			b.WriteString(plainText(c, source))
		}
	}
	return b.String()
}

// slug returns the anchor that GitHub gives a heading, but for the number of a second one of the same name.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, strings.TrimSpace(heading))
}

// replace returns the source with other texts in some blocks, given by their index.
func (d *markdown) replace(texts map[int]string) []byte {
	var out bytes.Buffer
	end := 0
	for i, b := range d.blocks {
		content, ok := texts[i]
		if !ok {
			continue
		}
		out.Write(d.source[end:b.start])
		for j, line := range slices.Collect(strings.Lines(content)) {
			if j > 0 && line != "\n" {
				out.WriteString(b.indent)
			}
			out.WriteString(line)
		}
		end = b.stop
	}
	out.Write(d.source[end:])
	return out.Bytes()
}

// lineAnchor is an anchor in a file of code.
var lineAnchor = regexp.MustCompile(`^L\d+(-L\d+)?$`)

// brokenLinks returns what is wrong with the links to files of the repository. The
// working directory is its root; known has the documents that have been read, by path.
func (d *markdown) brokenLinks(known map[string]*markdown) []string {
	var problems []string
	for _, link := range d.links {
		if err := d.checkLink(link.text, known); err != nil {
			problems = append(problems, fmt.Sprintf("%s:%d: link %s: %v", d.path, link.line, link.text, err))
		}
	}
	return problems
}

func (d *markdown) checkLink(link string, known map[string]*markdown) error {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" {
		return err
	}
	file := d.path
	if u.Path != "" {
		file = path.Join(path.Dir(d.path), u.Path)
	}
	if strings.HasPrefix(u.Path, "/") || strings.HasPrefix(file, "../") || u.Host != "" || u.RawQuery != "" {
		return errors.New("expected a path inside the repository, relative to the document")
	}
	if isResult(file) {
		return errors.New("results of runs are not part of the repository")
	}
	info, err := os.Stat(filepath.FromSlash(file))
	if err != nil {
		return errors.New("there is no such file")
	}
	switch {
	case u.Fragment == "":
		return nil
	case info.IsDir():
		file = path.Join(file, "README.md")
	case !strings.HasSuffix(file, ".md"):
		if !lineAnchor.MatchString(u.Fragment) {
			return errors.New("expected an anchor like #L10 in a file of code")
		}
		return nil
	}
	to := known[file]
	if to == nil {
		source, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			return err
		}
		to = parseMarkdown(file, source)
	}
	if !to.anchors[u.Fragment] {
		return fmt.Errorf("%s has no heading with that anchor", file)
	}
	return nil
}

// isResult reports whether a path is that of a run, which is not committed.
func isResult(file string) bool {
	rest, ok := strings.CutPrefix(file, "results/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && !slices.Contains([]string{"README.md", "manual.go", "reference", "studies"}, first)
}

func TestSlugs(t *testing.T) {
	d := parseMarkdown("x.md", []byte("# `gyges rate`: The *first* table, & more\n\n## A_b-c 1.5 ± 2 (Elo)\n\nA\n-\n\n## A\n\n### Gygès\n\n"+
		"<a id=\"old\"></a>\n\n```text\n# no heading\n```\n"))
	require.Equal(t, map[string]bool{"gyges-rate-the-first-table--more": true, "a_b-c-15--2-elo": true, "a": true, "a-1": true,
		"gygès": true, "old": true}, d.anchors)
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.MkdirAll("rules/sub", 0o700))
	require.NoError(t, os.MkdirAll("results/mine", 0o700))
	for _, name := range []string{"rules/README.md", "rules/doc.md", "rules/a.go", "rules/sub/x y.svg"} {
		require.NoError(t, os.WriteFile(name, []byte("# Rules\n"), 0o600))
	}
	known := map[string]*markdown{}
	for link, problem := range map[string]string{
		"a.go": "", "README.md": "", "../rules": "", "sub": "", "README.md#rules": "", ".#rules": "", "../rules/#rules": "",
		"sub/x%20y.svg": "", "#here": "", "a.go#L10": "", "https://example.org/x#y": "", "mailto:a@b.c": "",
		"b.go": "no such file", "readme.md": "no such file", "#there": "no heading", "README.md#Rules": "no heading",
		"../rules#x": "no heading", "sub#x": "", "a.go#x": "anchor like", "/rules/a.go": "relative to", "../../x": "relative to",
		"../results/mine": "not part",
	} {
		d := parseMarkdown("rules/doc.md", fmt.Appendf(nil, "# Here\n\ntext\n[x](%s)\n", link))
		known[d.path] = d
		switch problems := d.brokenLinks(known); {
		case problem != "":
			require.Len(t, problems, 1, link)
			require.Contains(t, problems[0], problem)
			require.Contains(t, problems[0], "rules/doc.md:4: link "+link)
		case link == "sub#x": // there is no README.md
			require.Len(t, problems, 1, link)
		default:
			require.Empty(t, problems, link)
		}
	}
	d := parseMarkdown("rules/doc.md", []byte("![x](no.svg)\n\n<img src=\"no.png\">\n\n| a |\n|---|\n| [x](no.md) |\n\n[x]\n\n[x]: no.go\n"))
	require.Len(t, d.brokenLinks(known), 4)
}
