package tuning

import _ "embed"

// Manual is the text of README.md, this package's manual, in Markdown.
//
//go:embed README.md
var Manual string

// Reference is the text of REFERENCE.md: the files of training positions and weights.
//
//go:embed REFERENCE.md
var Reference string
