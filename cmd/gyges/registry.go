package main

import (
	"io"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/human"
	"gyges/agents/ugi"
)

// newRegistry returns the kinds of agents the program offers: those that ship,
// external programs, and a person who types in and reads out.
func newRegistry(in io.Reader, out io.Writer) *agents.Registry {
	return builtin.Registry(human.Kind(in, out), ugi.Kind())
}
