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

// slug returns the anchor that GitHub gives a heading, but for the number of a second
// one of the same name.
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

// shellCommand is one command of a shell's line.
type shellCommand struct {
	words   []string
	comment string // behind it
	alone   bool   // without other commands, pipes or redirections on the line
}

// splitShell splits a line as a shell does. It supports quotes, comments, pipes, redirections
// and lists of commands. A variable counts as 1.
func splitShell(line string) ([]shellCommand, error) {
	var list []shellCommand
	var words []string
	var word strings.Builder
	var inWord, toFile, operators bool
	comment := ""
	endWord := func() {
		if inWord && !toFile {
			words = append(words, word.String())
		}
		toFile = toFile && !inWord
		word.Reset()
		inWord = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			list = append(list, shellCommand{words: words})
		}
		words, toFile = nil, false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\'':
			n := strings.IndexByte(line[i+1:], '\'')
			if n < 0 {
				return nil, errors.New("a quotation mark ' without its end")
			}
			word.WriteString(line[i+1 : i+1+n])
			inWord = true
			i += n + 1
		case c == '"':
			inWord = true
			for i++; ; i++ {
				if i == len(line) {
					return nil, errors.New("a quotation mark \" without its end")
				}
				if line[i] == '"' {
					break
				}
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0 {
					i++
				}
				word.WriteByte(line[i])
			}
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			inWord = true
		case c == '#' && !inWord:
			comment = strings.TrimSpace(line[i+1:])
			i = len(line)
		case c == '$' && variable.MatchString(line[i:]):
			i += len(variable.FindString(line[i:])) - 1
			word.WriteByte('1')
			inWord = true
		case c == '<' || c == '>':
			if strings.Trim(word.String(), "0123456789") == "" {
				word.Reset()
				inWord = false
			}
			endWord()
			operators, toFile = true, true
			if i+1 < len(line) && (line[i+1] == '>' || line[i+1] == '&') {
				i++
			}
		case strings.IndexByte("|&;()", c) >= 0:
			endCommand()
			operators = true
		case c == ' ' || c == '\t' || c == '\n':
			endWord()
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endCommand()
	for i := range list {
		list[i].comment, list[i].alone = comment, len(list) == 1 && !operators
	}
	return list, nil
}

var variable = regexp.MustCompile(`^\$(\w+|\{\w+\})`)

// beforeCommand are the words that may stand before a command, besides assignments.
var beforeCommand = []string{"do", "then", "else", "time", "nohup", "sudo", "exec", "if", "while", "!"}

var assignment = regexp.MustCompile(`^\w+=`)

// gygesArgs returns the arguments of a command, if it is this program.
func gygesArgs(words []string) ([]string, bool) {
	for len(words) > 0 && (slices.Contains(beforeCommand, words[0]) || assignment.MatchString(words[0])) {
		words = words[1:]
	}
	switch {
	case len(words) > 0 && path.Base(words[0]) == "gyges":
		return words[1:], true
	case len(words) > 2 && slices.Equal(words[:3], []string{"go", "run", "./cmd/gyges"}):
		return words[3:], true
	default:
		return nil, false
	}
}

// logicalLines calls f for each line of a text, lines that end in a backslash joined with
// the next one, with the index of its first line and the number of lines.
func logicalLines(lines []string, f func(text string, first, n int)) {
	for i := 0; i < len(lines); {
		n, joined := 1, lines[i]
		for strings.HasSuffix(joined, `\`) && i+n < len(lines) {
			joined = strings.TrimSuffix(joined, `\`) + lines[i+n]
			n++
		}
		f(joined, i, n)
		i += n
	}
}

func TestSlugs(t *testing.T) {
	d := parseMarkdown("x.md", []byte("# `gyges rate`: The *first* table, & more\n\n## A_b-c 1.5 ± 2 (Elo)\n\nA\n-\n\n## A\n\n### Gygès\n\n"+
		"<a id=\"old\"></a>\n\n```text\n# no heading\n```\n"))
	require.Equal(t, map[string]bool{"gyges-rate-the-first-table--more": true, "a_b-c-15--2-elo": true, "a": true, "a-1": true,
		"gygès": true, "old": true}, d.anchors)
}

func TestSplitShell(t *testing.T) {
	for line, want := range map[string][]shellCommand{
		"":           nil,
		"# only":     nil,
		"gyges rate": {{words: []string{"gyges", "rate"}, alone: true}},
		`gyges 'a b'"c \"d"  e\ f '' g#h # example`: {
			{words: []string{"gyges", `a bc "d`, "e f", "", "g#h"}, comment: "example", alone: true}},
		"gyges rate x --format json | jq -r '.a | .b' > out.txt": {
			{words: []string{"gyges", "rate", "x", "--format", "json"}}, {words: []string{"jq", "-r", ".a | .b"}}},
		"gyges rate x 2>&1 >> out --top 3": {{words: []string{"gyges", "rate", "x", "--top", "3"}}},
		"A=1 gyges rate $x ${y}z && gyges rules; echo $(gyges version)": {
			{words: []string{"A=1", "gyges", "rate", "1", "1z"}}, {words: []string{"gyges", "rules"}},
			{words: []string{"echo", "$"}}, {words: []string{"gyges", "version"}}},
	} {
		got, err := splitShell(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{"gyges 'a", `gyges "a`} {
		_, err := splitShell(line)
		require.ErrorContains(t, err, "without its end", line)
	}
	for line, want := range map[string]bool{"gyges rules": true, "./gyges rules": true, "go run ./cmd/gyges rules": true,
		"A=1 time gyges rules": true, "do gyges rules": true, "cd gyges": false, "go test ./...": false, "": false} {
		args, ok := gygesArgs(strings.Fields(line))
		require.Equal(t, want, ok, line)
		if ok {
			require.Equal(t, []string{"rules"}, args, line)
		}
	}
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
