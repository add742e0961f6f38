package main

import (
	"context"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/rules"
)

// kindsOf returns the kinds of a registry without the levels, which gyges levels lists.
func kindsOf(registry *agents.Registry) []agents.Kind {
	return slices.DeleteFunc(registry.Kinds(), func(k agents.Kind) bool { return k.Level })
}

// programSpec parses the spec of an agent that is not interactive.
func programSpec(registry *agents.Registry, text string) (agents.Spec, agents.Kind, error) {
	spec, err := agents.ParseSpec(text)
	if err != nil {
		return spec, agents.Kind{}, err
	}
	kind, err := registry.Kind(spec)
	if err == nil && kind.Interactive {
		err = fmt.Errorf("expected an agent that is not interactive, found %.60q", text)
	}
	return spec, kind, err
}

// newAgent makes the agent of --agent, which must not be interactive, ready for games under rule sets.
func newAgent(ctx context.Context, e *env, text string, sets ...*rules.Rules) (agents.Agent, error) {
	spec, _, err := programSpec(e.registry, text)
	if err != nil {
		return nil, named("--agent", err)
	}
	agent, err := e.registry.Start(ctx, spec, sets...)
	return agent, named("--agent", err)
}

// tryAgent returns the spec and the kind of --agent, after the agent has been started once to see that it can play.
func tryAgent(ctx context.Context, e *env, text string, sets ...*rules.Rules) (agents.Spec, agents.Kind, error) {
	agent, err := newAgent(ctx, e, text, sets...)
	closeAgent(e, agent)
	spec, kind, _ := programSpec(e.registry, text) // whose error is in err
	return spec, kind, err
}

// closeAgent frees the resources of an agent, such as a running program; nil: of none.
func closeAgent(e *env, a agents.Agent) {
	if a == nil {
		return
	}
	if err := a.Close(); err != nil {
		e.log.Warn("close the agent", "error", err)
	}
}
