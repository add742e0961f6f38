package main

import (
	"context"
	"runtime"
	"slices"

	"gyges/agents"
	"gyges/agents/bench"
	"gyges/rules/base/grid"
)

// benchSearchCmd searches the fixed positions of package bench. The signature changes when the
// search does; the speed depends on the machine.
type benchSearchCmd struct {
	Agent []agents.Spec `placeholder:"SPEC" sep:"none" help:"An agent to search with, instead of alphabeta:depth=4 and mcts:iterations=400. May be repeated."`
	tableFlag
}

// Run searches with one agent after the other, and then prints all results.
func (c *benchSearchCmd) Run(ctx context.Context, e *env) error {
	if len(c.Agent) == 0 {
		c.Agent = bench.DefaultSpecs()
	}
	// An agent that can't be started is found before its searches begin.
	var searches [][]bench.Search // of each agent
	var totals []bench.Total
	for _, spec := range c.Agent {
		err := tryAgent(ctx, e, spec, bench.Rules()...)
		if err != nil {
			return err
		}
		list, total, err := bench.Run(ctx, e.registry, spec)
		if err := agentError(ctx, spec.String(), err); err != nil {
			return err
		}
		searches = append(searches, list)
		totals = append(totals, total)
	}
	if c.Format == grid.JSON {
		return grid.WriteJSON(e.out, grid.Object{
			{"version", version()},
			{"arch", runtime.GOARCH},
			{"searches", slices.Concat(searches...)},
			{"totals", totals},
		})
	}
	// People get a table for each agent, below its signature.
	for i, t := range totals {
		if i > 0 {
			e.out.printf("\n")
		}
		speed := perSecond(t.Nodes, t.Seconds)
		e.out.printf("signature %s %s, %s nodes/s\n\n", t.Agent, t.Signature, speed)
		table := grid.New("", 2, "Rules", "Position", "Nodes", "Seconds")
		for _, s := range searches[i] {
			table.Add(s.Rules, s.Position, s.Nodes, grid.Fixed(s.Seconds, 3))
		}
		printTable(e.out, table, c.Format, 2)
	}
	return nil
}
