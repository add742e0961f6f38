package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/agents/tactics"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

type tacticsRunCmd struct {
	File  string        `arg:"" what:"FILE, a suite like results/reference/tactics.jsonl" help:"The suite, like results/reference/tactics.jsonl; - reads standard input."`
	Agent []agents.Spec `sep:"none" default:"alphabeta:depth=5" placeholder:"AGENT" help:"An agent to test; may be repeated. Default: alphabeta:depth=5."`
	agents.Limits
	Missed bool        `help:"List the positions not solved, too."`
	Format grid.Format `enum:"text,markdown,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown or json."`
}

func (c *tacticsRunCmd) Run(ctx context.Context, e *env) error {
	tasks, err := readInput(ctx, e, c.File, tactics.Read)
	if err != nil {
		return err
	}
	players := make([]agents.Agent, len(c.Agent))
	for i, spec := range c.Agent {
		if players[i], err = newAgent(ctx, e, spec); err != nil {
			return err
		}
		defer closeAgent(e, players[i])
	}
	trials := make([]tactics.Trial, len(c.Agent))
	for i, spec := range c.Agent {
		trials[i], err = tactics.Try(ctx, spec.Label(), players[i], tasks, c.Limits)
		if err := cmp.Or(ctx.Err(), asFailure(named(trials[i].Agent, err))); err != nil {
			return err
		}
	}
	return c.write(e.out, trials)
}

func (c *tacticsRunCmd) write(out *output, trials []tactics.Trial) error {
	if c.Format == grid.JSON {
		counts := lists.Map(trials, func(t tactics.Trial) []tactics.Count { return t.Counts() })
		return grid.WriteJSON(out, slices.Concat(counts...))
	}
	classes := lists.Map(tactics.Classes(), func(c tactics.Class) string { return string(c) })
	t := grid.New("", 2, slices.Concat([]string{"Agent", "Rules"}, classes, []string{"all", "solved", "a position"})...)
	for i := range trials {
		name := any(grid.Name(trials[i].Agent))
		for _, ruleSet := range append(trials[i].RuleSets(), "") {
			row := []any{name, cmp.Or(ruleSet, "all")}
			for _, class := range tactics.Classes() {
				row = append(row, trials[i].Count(ruleSet, class).Share())
			}
			n, seconds := trials[i].Count(ruleSet, ""), ""
			if ruleSet == "" {
				seconds = fmt.Sprintf("%.3fs", n.Seconds)
			}
			share := fmt.Sprintf("%.1f %%", 100*float64(n.Solved)/float64(n.Positions))
			t.Add(append(row, n.Share(), share, seconds)...)
			name = ""
		}
	}
	if err := printTable(out, t, c.Format, 2); err != nil || !c.Missed {
		return asFailure(err)
	}
	for _, t := range trials {
		for _, a := range t.Attempts {
			if !a.Solved {
				out.printf("%s: %s, %s '%s': played %v, expected %v\n",
					textfmt.Visible(t.Agent), a.Task.Rules, a.Task.Class, a.Task.Position, a.Move, a.Task.Moves)
			}
		}
	}
	return nil
}
