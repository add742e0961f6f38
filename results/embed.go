// Package results embeds the index of the results that are kept, and those of them that the program uses.
package results

import "embed"

// Manuals has the manuals of the results, by their paths from here.
//
//go:embed README.md
var Manuals embed.FS

// Proofs has the certificate of the simplified game and the results of its set-ups.
//
//go:embed studies/solved/certificate studies/solved/proofs.csv
var Proofs embed.FS
