package rules

import "embed"

// Manuals has the manuals of this package, by their paths from here.
//
//go:embed README.md
var Manuals embed.FS
