// Package configs reads YAML files: tournaments and tuning runs. A file is read strictly: unknown keys, keys given
// twice, aliases, wrong types and impossible values are errors. All of them are reported at once, one a line, as
//
//	file:line: what is wrong, expected what
//
// The folders beside this file hold examples that can be used as they are.
package configs

import "embed"

// Manuals has the manuals of this package, by their paths from here.
//
//go:embed README.md
var Manuals embed.FS
