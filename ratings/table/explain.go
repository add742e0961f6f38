package table

import (
	_ "embed"
	"fmt"
	"strings"

	"gyges/rules/base/textfmt"
)

// explanation is what must be known to read any figure, and sections on those that aren't columns
// of the rating table.
//
//go:embed explain.md
var explanation string

// Explain returns what every figure means.
func Explain() string {
	var b strings.Builder
	sections := strings.Split(explanation, "\n## ")
	b.WriteString(strings.Join(textfmt.Wrap(textfmt.Unwrap(sections[0]), usualWidth), "\n"))
	b.WriteString("\n\nColumns of the rating table, and keys of CSV and JSON:\n\n")
	for _, c := range columns {
		b.WriteString(entry(c.key, c.doc))
	}
	b.WriteString("\nOther keys of JSON:\n\n")
	for _, section := range sections[1:] {
		name, doc, _ := strings.Cut(section, "\n")
		b.WriteString(entry(name, textfmt.Unwrap(doc)))
	}
	return b.String()
}

// entry returns a name, and its definition in lines beside it.
func entry(name, doc string) string {
	return textfmt.Hang(fmt.Sprintf("  %-20s", name), doc, usualWidth)
}
