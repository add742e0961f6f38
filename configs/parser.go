package configs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gyges/rules/base/files"
)

const (
	maxFile     = 1 << 20 // bytes
	maxProblems = 100     // of one file that are reported
)

// parser reads one file and collects its problems. It reads YAML nodes, so that messages have lines
// and no Go types. Fields are named by their paths, as in [problems.FieldError]: limits.depth,
// agents[2].
type parser struct {
	file     string
	root     int // line of the document
	problems []problem
	lines    map[string]int  // of the fields that the file has
	bad      map[string]bool // the fields with a problem
}

// load reads a file with the settings of config, a pointer to a struct, and checks them. The error
// joins all problems.
func load(file, what string, config any, check func(p *parser)) error {
	text, err := files.Read(file, maxFile)
	if err != nil {
		return err
	}
	p := &parser{file: file, lines: map[string]int{}, bad: map[string]bool{}}
	root := p.parse(string(text))
	if root == nil {
		return p.err()
	}
	p.root = root.Line
	p.settings(root, what, config, "")
	if root.Kind == yaml.MappingNode {
		check(p)
	}
	return p.err()
}

// problem is something that is wrong in a file.
type problem struct {
	line int
	path string // the field; "" if the problem is in the text
	text string
}

func (p *parser) add(line int, format string, args ...any) {
	p.problems = append(p.problems, problem{line: line, text: fmt.Sprintf(format, args...)})
}

// err joins the problems in the order of their lines; nil if there are none.
func (p *parser) err() error {
	slices.SortStableFunc(p.problems, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	var errs []error
	for i, pr := range p.problems {
		if i == maxProblems {
			errs = append(errs, fmt.Errorf("%s: and %d more", p.file, len(p.problems)-i))
			break
		}
		text := pr.text
		if pr.path != "" {
			text = pr.path + ": " + text
		}
		errs = append(errs, fmt.Errorf("%s:%d: %s", p.file, pr.line, text))
	}
	return errors.Join(errs...)
}

// parse reads the one document of a text. It returns nil if there is none, with the reason among
// the problems.
func (p *parser) parse(text string) *yaml.Node {
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		p.add(1, "expected keys and values, found nothing")
		return nil
	}
	if err != nil {
		p.addYAML(err)
		return nil
	}

	err = dec.Decode(&second)
	if err == nil {
		p.add(second.Line, "expected one document, found a second one")
	} else if !errors.Is(err, io.EOF) {
		p.addYAML(err)
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// addYAML adds an error of the YAML library, whose parser counts lines from 0, its scanner from 1.
func (p *parser) addYAML(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
		if strings.HasPrefix(text, "did not find expected") {
			line++
		}
	}
	for _, h := range yamlHints {
		if strings.Contains(text, h.found) {
			text = h.hint
		}
	}
	text = strings.Replace(text, "did not find expected", "expected", 1)
	p.add(line, "not valid YAML near here: %s", text)
}

// yamlHints replace messages of the YAML library, which contain the text found.
var yamlHints = []struct{ found, hint string }{
	{"tab character", "YAML is indented by blanks, not tabs"},
	{
		"cannot start any token",
		"YAML is indented by blanks, not tabs; a value that begins with @, % or ` is in quotes",
	},
	{"find expected key", "expected a key, indented by as many blanks as those before it"},
	{"expected ':'", `expected "key: value"`},
	{
		"mapping values are",
		`expected "key: value", indented like the key before; a value with ": " is quoted`,
	},
	{"unexpected end of stream", "a quote is not closed"},
	{"unknown escape", `unknown escape after \; in single quotes it stands for itself`},
	{"unknown anchor", "aliases, like *name, are not supported"},
	{"UTF-", "expected a text in UTF-8"},
}

// entries calls read for each key of a mapping. Keys given twice are read once.
func (p *parser) entries(n *yaml.Node, what string, read func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.add(n.Line, "expected %s as keys and values, found %s", what, found(n))
		return
	}
	first := map[string]int{} // the line on which each key is first
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			p.add(key.Line, "expected a key in %s, found %s", what, found(key))
			continue
		}
		if line, ok := first[key.Value]; ok {
			p.add(key.Line, "duplicate key %s, first on line %d", found(key), line)
			continue
		}
		first[key.Value] = key.Line
		read(key, value)
	}
}

// found returns what a message says was found: the kind of the node, or its text.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias, which is not supported"
	case n.Tag == "!!null":
		return "nothing"
	default:
		return fmt.Sprintf("%.60q", n.Value)
	}
}
