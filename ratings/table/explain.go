package table

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"gyges/rules/base/textfmt"
)

// explanation is what must be known to read any of the figures, and has a section for each of those of JSON, and of the
// lines below the tables, that aren't columns of the rating table.
//
//go:embed explain.md
var explanation string

// Explain writes what every figure means.
func Explain(w io.Writer) error {
	var b strings.Builder
	sections := strings.Split(explanation, "\n## ")
	b.WriteString(strings.Join(textfmt.Wrap(textfmt.Unwrap(sections[0]), usualWidth), "\n"))
	b.WriteString("\n\nColumns of the rating table, and keys of CSV and JSON:\n\n")
	for _, c := range columns {
		entry(&b, c.Key, c.Doc)
	}
	b.WriteString("\nOther keys of JSON:\n\n")
	for _, section := range sections[1:] {
		name, doc, _ := strings.Cut(section, "\n")
		entry(&b, name, textfmt.Unwrap(doc))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// entry writes a name, and its definition in lines beside it.
func entry(b *strings.Builder, name, doc string) {
	const indent = 22
	for i, line := range textfmt.Wrap(doc, usualWidth-indent) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-*s%s\n", indent-2, name, line)
	}
}
