package configs

import (
	"path/filepath"
	"strings"

	"gyges/agents"
	"gyges/tournament"
)

// LoadTournament reads a tournament from a YAML file with the keys of [tournament.Config], and
// validates it. Keys that are missing have the values of [tournament.DefaultConfig]; the name is
// the file's without its extension, and Pairs are UnsetPairs. The error joins all problems.
func LoadTournament(path string, registry *agents.Registry) (tournament.Config, error) {
	c := tournament.DefaultConfig()
	c.Name = nameOf(path)
	c.Pairs = tournament.UnsetPairs
	err := load(path, "a tournament", &c, func(p *parser) {
		whole := c
		whole.SetPairs()
		p.report(whole.Validate(registry))
	})
	return c, err
}

// nameOf returns the name of a run without one of its own: its file's, without folder and
// extension.
func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
