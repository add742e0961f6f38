package main

import (
	"strings"

	"gyges/configs"
	"gyges/rules"
)

// loadRules resolves a rule set: a YAML file, or a text that rules.Parse reads.
func loadRules(text string) (*rules.Rules, error) {
	if !strings.ContainsAny(text, `/\`) && !strings.HasSuffix(text, ".yaml") && !strings.HasSuffix(text, ".yml") {
		return rules.Parse(text)
	}
	r, err := configs.LoadRules(text)
	return r, plainFileError(err)
}
