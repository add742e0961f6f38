package rules

import (
	"embed"
	"strings"
	"text/template"
)

// Manuals has the manuals of this package, by their paths from here.
//
//go:embed README.md
var Manuals embed.FS

// Section is a part of a rule set in prose.
type Section struct {
	Heading    string   `json:"heading"`
	Paragraphs []string `json:"paragraphs"`
}

// Prose returns the rules of the game under these options in English, complete enough to play by.
func (o Options) Prose() []Section {
	var text strings.Builder
	if err := prose.Execute(&text, o); err != nil {
		panic(err) // the template is wrong
	}
	var sections []Section
	for _, part := range strings.Split(text.String(), "\n# ")[1:] {
		paragraphs := strings.Split(part, "\n- ")
		for i, p := range paragraphs {
			paragraphs[i] = strings.Join(strings.Fields(p), " ")
		}
		sections = append(sections, Section{paragraphs[0], paragraphs[1:]})
	}
	return sections
}

// prose is executed with Options. Headings begin with #, paragraphs with -.
var prose = template.Must(template.New("rules").Parse("\n" + proseText))

//go:embed prose.tmpl
var proseText string
