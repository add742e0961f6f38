package main

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"gyges/agents/bench"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

type benchSearchCmd struct {
	Agent  []string    `placeholder:"SPEC" sep:"none" help:"An agent to search with, instead of alphabeta:depth=4 and mcts:iterations=400. May be repeated."`
	Format grid.Format `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

// benchReport is the output of --format json.
type benchReport struct {
	Version  string         `json:"version"`
	Arch     string         `json:"arch"`
	Searches []bench.Search `json:"searches"`
	Totals   []bench.Total  `json:"totals"`
}

func (c *benchSearchCmd) Run(ctx context.Context, e *env) error {
	if len(c.Agent) == 0 {
		c.Agent = bench.DefaultSpecs()
	}
	report := benchReport{Version: version(), Arch: runtime.GOARCH}
	for _, text := range c.Agent {
		spec, _, err := tryAgent(ctx, e, text, bench.Rules()...)
		if err != nil {
			return err
		}
		searches, total, err := bench.Run(ctx, e.registry, spec)
		if err := cmp.Or(ctx.Err(), asFailure(named(spec.String(), err))); err != nil {
			return err
		}
		report.Searches = append(report.Searches, searches...)
		report.Totals = append(report.Totals, total)
	}
	return report.write(e.out, c.Format)
}

var searchColumns = []grid.Column[bench.Search]{
	{Title: "Rules", Left: true, Value: func(s bench.Search) any { return s.Rules }},
	{Title: "Position", Left: true, Value: func(s bench.Search) any { return s.Position }},
	{Title: "Nodes", Value: func(s bench.Search) any { return s.Nodes }},
	{Title: "Seconds", Value: func(s bench.Search) any { return grid.Fixed(s.Seconds, 3) }},
}

func (r *benchReport) write(w *output, format grid.Format) error {
	if format == grid.JSON {
		return grid.WriteJSON(w, r)
	}
	for i, t := range r.Totals {
		rows := slices.DeleteFunc(slices.Clone(r.Searches), func(s bench.Search) bool { return s.Agent != t.Agent })
		if i > 0 {
			w.printf("\n")
		}
		w.printf("signature %s %s, %s nodes/s\n\n", textfmt.Escape(t.Agent), t.Signature,
			perSecond(uint64(t.Nodes), t.Seconds))
		if err := printTable(w, grid.Make(searchColumns, rows), format, 2); err != nil {
			return asFailure(err)
		}
	}
	return nil
}
