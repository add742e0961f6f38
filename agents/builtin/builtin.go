// Package builtin is the list of the kinds of agents that ship with the program.
package builtin

import (
	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/explore"
	"gyges/agents/greedy"
	"gyges/agents/mcts"
	"gyges/agents/random"
)

// Registry returns the kinds that play by themselves, and any further ones
// given. A new kind is a package with a Kind function, and a line here.
func Registry(more ...agents.Kind) *agents.Registry {
	return agents.NewRegistry(append([]agents.Kind{
		alphabeta.Kind(),
		explore.Kind(),
		greedy.Kind(),
		mcts.Kind(),
		random.Kind(),
	}, more...)...)
}
