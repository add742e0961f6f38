package play

import _ "embed"

// Manual is the text of README.md, this package's manual, in Markdown.
//
//go:embed README.md
var Manual string
