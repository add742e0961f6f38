// Package configs reads the YAML files of runs: tournaments, self-play, tuning and training. It
// also writes templates of such files, and holds the levels of play.
//
// Begin with [LoadTournament]. A file's text becomes YAML nodes (parser.go), which are read into
// the fields of a struct as their types and tags say (fields.go; the tags are those of package
// settings). Then the struct checks itself, and its errors get the lines of their fields.
//
// A file is read strictly: unknown keys, keys given twice, aliases, wrong types and impossible
// values are errors. All of them are reported at once, one a line, as
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
