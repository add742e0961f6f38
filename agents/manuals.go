package agents

import "embed"

// Manuals has the manuals of this package and those below it, by their paths from here.
//
//go:embed README.md tuning/*.md ugi/*.md
var Manuals embed.FS
