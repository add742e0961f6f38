package main

import (
	"io"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/agents/human"
	"gyges/agents/ugi"
	"gyges/configs"
)

// newRegistry returns the kinds of agents the program offers: those that ship,
// external programs, a person who types in and reads out, the named levels, and
// agents that explore around any of these.
func newRegistry(in io.Reader, out io.Writer) *agents.Registry {
	kinds := []agents.Kind{human.Kind(in, out), ugi.Kind()}
	levels, err := configs.Levels(builtin.Registry(kinds...))
	if err != nil {
		panic(err) // they are part of the program, and tested
	}
	kinds = append(kinds, levels...)
	return builtin.Registry(append(kinds, explore.Kind(builtin.Registry(kinds...)))...)
}
