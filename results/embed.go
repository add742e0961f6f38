// Package results embeds the index of the results that are kept.
package results

import "embed"

// Manuals has the manuals of the results, by their paths from here.
//
//go:embed README.md
var Manuals embed.FS
