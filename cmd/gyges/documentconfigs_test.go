package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/configs"
)

// badConfigs returns what is wrong with the yaml blocks. They are written into a folder.
func (d *markdown) badConfigs(dir string) []string {
	registry := newEnv(strings.NewReader(""), io.Discard, io.Discard).registry
	var problems []string
	for _, b := range d.blocks {
		if b.language != "yaml" {
			continue
		}
		file := filepath.Join(dir, "config.yaml")
		if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
			return append(problems, err.Error())
		}
		if err := loadAny(file, registry); err != nil {
			problems = append(problems, fmt.Sprintf("%s:%d: no kind of config file has this content; the closest: %v",
				d.path, b.line, strings.ReplaceAll(err.Error(), file+":", "line ")))
		}
	}
	return problems
}

// loadAny loads a config file of any kind. The error is that of the kind with the fewest.
func loadAny(file string, registry *agents.Registry) error {
	var errs []error
	note := func(kind string, err error) {
		if err != nil {
			err = fmt.Errorf("%s: %w", kind, err)
		}
		errs = append(errs, err)
	}
	_, err := configs.LoadTournament(file, registry)
	note("tournament", err)
	_, err = configs.LoadRules(file)
	note("rules", err)
	_, err = configs.LoadSelfPlay(file, registry)
	note("self-play", err)
	_, err = configs.LoadTexel(file)
	note("Texel", err)
	_, err = configs.LoadSPSA(file, registry)
	note("SPSA", err)
	_, err = configs.LoadGenerations(file, registry)
	note("training", err)
	if slices.Contains(errs, nil) {
		return nil
	}
	return slices.MinFunc(errs, func(a, b error) int {
		return cmp.Compare(strings.Count(a.Error(), "\n"), strings.Count(b.Error(), "\n"))
	})
}
