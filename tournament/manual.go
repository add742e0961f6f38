package tournament

import _ "embed"

// Manual is the text of README.md, this package's manual, in Markdown.
//
//go:embed README.md
var Manual string

// Reference is the text of REFERENCE.md: keys and flags, rules of pairing, files and events.
//
//go:embed REFERENCE.md
var Reference string
