package main

import (
	"fmt"
	"io"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/agents/human"
	"gyges/agents/ugi"
	"gyges/configs"
)

// newRegistry returns the kinds of agents the program offers: those that ship,
// external programs, a person at the terminal, the named levels, and agents that
// explore around any of these.
func newRegistry(in io.Reader, out io.Writer) *agents.Registry {
	kinds := []agents.Kind{human.Kind(in, out), ugi.Kind()}
	levels, err := configs.Levels(builtin.Registry(kinds...))
	if err != nil {
		panic(err) // they are part of the program, and tested
	}
	kinds = append(kinds, levels...)
	return builtin.Registry(append(kinds, explore.Kind(builtin.Registry(kinds...)))...)
}

// newAgent makes the agent that a spec names, which must not be a person.
func newAgent(e *env, text string) (agents.Agent, error) {
	spec, err := agents.ParseSpec(text)
	if err != nil {
		return nil, err
	}
	if kind, err := e.registry.Kind(spec); err == nil && kind.Interactive {
		return nil, fmt.Errorf("expected an agent that plays by itself, found %.60q", text)
	}
	return e.registry.New(spec)
}

// closeAgent frees what an agent holds, such as a running program.
func closeAgent(e *env, a agents.Agent) {
	if c, ok := a.(io.Closer); ok {
		if err := c.Close(); err != nil {
			e.log.Warn("close the agent", "error", err)
		}
	}
}
