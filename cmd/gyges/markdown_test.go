package main

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// document is a file of Markdown.
type document struct {
	path    string // from the root of the repository, with slashes
	source  []byte
	blocks  []codeBlock
	code    []string        // inline code
	links   []string        // to where links and images point
	anchors map[string]bool // what a link can name after #
}

// codeBlock is a fenced block.
type codeBlock struct {
	language, text string
	start, stop    int // of the text in the source
}

// inHTML matches links, images and anchors in HTML.
var inHTML = regexp.MustCompile(`<(?:a|img)\b[^>]*?\b(src|href|id)="([^"]*)"`)

// readDocument reads a document in the working directory.
func readDocument(t *testing.T, file string) *document {
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	d := &document{path: file, source: source, anchors: map[string]bool{}}
	headings := map[string]int{}
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	require.NoError(t, ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if lines := n.Lines(); lines.Len() > 0 {
				b := codeBlock{language: string(n.Language(source)), text: string(lines.Value(source))}
				b.start = lines.At(0).Start
				b.stop = lines.At(lines.Len() - 1).Stop
				d.blocks = append(d.blocks, b)
			}
		case *ast.CodeSpan:
			code := ""
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				code += string(c.(*ast.Text).Value(source))
			}
			d.code = append(d.code, code)
		case *ast.Heading:
			name := slug(string(n.Lines().Value(source)))
			if headings[name] > 0 {
				name = fmt.Sprint(name, "-", headings[name])
			}
			headings[name]++
			d.anchors[name] = true
		case *ast.Link:
			d.links = append(d.links, string(n.Destination))
		case *ast.Image:
			d.links = append(d.links, string(n.Destination))
		}
		return ast.WalkContinue, nil
	}))
	for _, m := range inHTML.FindAllSubmatch(source, -1) {
		if string(m[1]) == "id" {
			d.anchors[string(m[2])] = true
		} else {
			d.links = append(d.links, string(m[2]))
		}
	}
	return d
}

// slug returns the anchor that GitHub gives a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, strings.TrimSpace(heading))
}

// checkLinks checks that the document's links to files of the repository resolve, with their anchors.
func (d *document) checkLinks(t *testing.T) {
	for _, link := range d.links {
		u, err := url.Parse(link)
		if !assert.NoError(t, err) || u.Scheme != "" {
			continue
		}
		to := d
		if u.Path != "" {
			file := path.Join(path.Dir(d.path), u.Path)
			if _, err := os.Stat(file); !assert.NoError(t, err, link) {
				continue
			}
			assert.False(t, isResult(file), "%s: results of runs aren't committed", link)
			if path.Ext(file) != ".md" {
				continue
			}
			to = readDocument(t, file)
		}
		if u.Fragment != "" {
			assert.Contains(t, to.anchors, u.Fragment, link)
		}
	}
}

// replace writes other texts in place of some blocks, which are given by their index.
func (d *document) replace(t *testing.T, texts map[int]string) {
	var out bytes.Buffer
	end := 0
	for i, b := range d.blocks {
		content, ok := texts[i]
		if !ok {
			continue
		}
		indent := d.source[bytes.LastIndexByte(d.source[:b.start], '\n')+1 : b.start] // in a list
		out.Write(d.source[end:b.start])
		out.WriteString(strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n"+string(indent)) + "\n")
		end = b.stop
	}
	out.Write(d.source[end:])
	require.NoError(t, os.WriteFile(d.path, out.Bytes(), 0o644))
}

// parseShell returns the words of each command of a script, those of pipes, loops and functions too,
// and its comments. Variables that values doesn't have stand for 1.
func parseShell(script string, values map[string]string) (commands [][]string, comments []string, err error) {
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, nil, err
	}
	config := &expand.Config{
		CmdSubst: func(io.Writer, *syntax.CmdSubst) error { return nil },
		Env: expand.FuncEnviron(func(name string) string {
			if value, ok := values[name]; ok || name == "IFS" {
				return value
			}
			return "1"
		}),
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			comments = append(comments, strings.TrimSpace(n.Text))
		case *syntax.CallExpr:
			words, failed := expand.Fields(config, n.Args...)
			if failed != nil {
				err = failed
			}
			commands = append(commands, words)
		}
		return err == nil
	})
	return commands, comments, err
}

// gygesArgs returns the arguments of a command, if it is this program.
func gygesArgs(words []string) (args []string, ok bool) {
	for len(words) > 0 && slices.Contains([]string{"nohup", "sudo", "exec"}, words[0]) {
		words = words[1:]
	}
	if len(words) > 0 && path.Base(words[0]) == "gyges" {
		return words[1:], true
	}
	if len(words) > 2 && slices.Equal(words[:3], []string{"go", "run", "./cmd/gyges"}) {
		return words[3:], true
	}
	return nil, false
}
