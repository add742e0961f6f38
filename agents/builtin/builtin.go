// Package builtin lists the kinds of agents that ship with the program, one
// line each.
package builtin

import (
	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/greedy"
	"gyges/agents/mcts"
	"gyges/agents/random"
)

// Registry returns the registry of the kinds that play by themselves, and of
// any further ones given.
func Registry(more ...agents.Kind) *agents.Registry {
	return agents.NewRegistry(append([]agents.Kind{
		alphabeta.Kind(),
		greedy.Kind(),
		mcts.Kind(),
		random.Kind(),
	}, more...)...)
}
