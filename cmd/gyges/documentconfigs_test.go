package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/configs"
)

// checkConfig loads and checks the config of a run that a command would play.
func checkConfig(e *env, chosen *kong.Context) (err error) {
	switch node := chosen.Selected().Target.Addr().Interface().(type) {
	case *tournamentCmd:
		_, err = node.config(e)
	case *helpCmd:
		err = node.Run(e, chosen)
	case *matchCmd:
		_, err = node.config(e)
	case *selfplayCmd:
		_, err = node.config(e)
	case *trainCmd:
		config, errLoad := configs.LoadGenerations(node.Config, nil, e.registry)
		err = cmp.Or(errLoad, node.settle(e, &config))
	case *tuneTexelCmd:
		_, err = configs.LoadTexel(node.Config, nil)
	case *tuneSPSACmd:
		_, err = configs.LoadSPSA(node.Config, nil, e.registry)
	}
	return err
}

// loadAny loads a config file of any kind. The error is that of the kind with the fewest.
func loadAny(file string) error {
	registry := newEnv(strings.NewReader(""), io.Discard, io.Discard).registry
	load := map[string]func() error{
		"tournament": func() error { _, err := configs.LoadTournament(file, registry); return err },
		"self-play":  func() error { _, err := configs.LoadSelfPlay(file, registry); return err },
		"Texel":      func() error { _, err := configs.LoadTexel(file, nil); return err },
		"SPSA":       func() error { _, err := configs.LoadSPSA(file, nil, registry); return err },
		"training":   func() error { _, err := configs.LoadGenerations(file, nil, registry); return err },
	}
	var errs []string
	for kind, f := range load {
		err := f()
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Sprintf("%s: %s", kind, strings.ReplaceAll(err.Error(), file+":", "line ")))
	}
	return errors.New(slices.MinFunc(errs, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "\n"), strings.Count(b, "\n")), cmp.Compare(a, b))
	}))
}
