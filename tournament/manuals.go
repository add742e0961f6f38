package tournament

import "embed"

// Manuals has the manuals of this package and those below it, by their paths from here.
//
//go:embed *.md */README.md
var Manuals embed.FS
