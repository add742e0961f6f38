// Package builtin is the list of the kinds of agents that ship with the program.
package builtin

import (
	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/greedy"
	"gyges/agents/mcts"
	"gyges/agents/random"
)

// Registry returns the kinds that ship. A new kind is a package with a Kind
// function, and a line here.
func Registry() *agents.Registry {
	return agents.NewRegistry(
		alphabeta.Kind(),
		greedy.Kind(),
		mcts.Kind(),
		random.Kind(),
	)
}
