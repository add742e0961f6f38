package main

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"gyges/agents"
	"gyges/agents/bench"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

type benchSearchCmd struct {
	Agent  []agents.Spec `placeholder:"SPEC" sep:"none" help:"An agent to search with, instead of alphabeta:depth=4 and mcts:iterations=400. May be repeated."`
	Format grid.Format   `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

func (c *benchSearchCmd) Run(ctx context.Context, e *env) error {
	if len(c.Agent) == 0 {
		c.Agent = bench.DefaultSpecs()
	}
	var searches [][]bench.Search // of each agent
	var totals []bench.Total
	for _, spec := range c.Agent {
		if err := tryAgent(ctx, e, spec, bench.Rules()...); err != nil {
			return err
		}
		list, total, err := bench.Run(ctx, e.registry, spec)
		if err := cmp.Or(ctx.Err(), asFailure(named(spec.String(), err))); err != nil {
			return err
		}
		searches, totals = append(searches, list), append(totals, total)
	}
	if c.Format == grid.JSON {
		return grid.WriteJSON(e.out, grid.Object{
			{Key: "version", Value: version()}, {Key: "arch", Value: runtime.GOARCH},
			{Key: "searches", Value: slices.Concat(searches...)}, {Key: "totals", Value: totals},
		})
	}
	for i, t := range totals {
		if i > 0 {
			e.out.printf("\n")
		}
		e.out.printf("signature %s %s, %s nodes/s\n\n", textfmt.Escape(t.Agent), t.Signature,
			perSecond(uint64(t.Nodes), t.Seconds))
		if err := printTable(e.out, grid.Make(searchColumns, searches[i]), c.Format, 2); err != nil {
			return asFailure(err)
		}
	}
	return nil
}

var searchColumns = []grid.Column[bench.Search]{
	{Title: "Rules", Left: true, Value: func(s bench.Search) any { return s.Rules }},
	{Title: "Position", Left: true, Value: func(s bench.Search) any { return s.Position }},
	{Title: "Nodes", Value: func(s bench.Search) any { return s.Nodes }},
	{Title: "Seconds", Value: func(s bench.Search) any { return grid.Fixed(s.Seconds, 3) }},
}
