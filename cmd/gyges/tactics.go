package main

import (
	"cmp"
	"context"
	"fmt"

	"gyges/agents"
	"gyges/agents/tactics"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// tacticsRunCmd tests agents on positions whose best moves are proven.
type tacticsRunCmd struct {
	File  string        `arg:"" what:"FILE, a suite like results/reference/tactics.jsonl" help:"The suite, like results/reference/tactics.jsonl; - reads standard input."`
	Agent []agents.Spec `sep:"none" default:"alphabeta:depth=5" placeholder:"AGENT" help:"An agent to test; may be repeated. Default: alphabeta:depth=5."`
	agents.Limits
	Missed bool `help:"List the positions not solved, too."`
	tableFlag
}

// Run starts all agents first, so that a mistake in the last one is found before the tests.
func (c *tacticsRunCmd) Run(ctx context.Context, e *env) error {
	tasks, err := readInput(ctx, e, c.File, tactics.Read)
	if err != nil {
		return err
	}
	// Each agent plays all positions, under whatever rules they have.
	players := make([]agents.Agent, len(c.Agent))
	for i, spec := range c.Agent {
		players[i], err = newAgent(ctx, e, spec)
		if err != nil {
			return err
		}
		defer closeAgent(e, players[i])
	}
	// The agents take their turns, so that none slows another one down.
	var trials []tactics.Trial
	for i, spec := range c.Agent {
		trial, err := tactics.Try(ctx, spec.Label(), players[i], tasks, c.Limits)
		if err := agentError(ctx, spec.Label(), err); err != nil {
			return err
		}
		trials = append(trials, trial)
	}
	if c.Format == grid.JSON {
		var counts []tactics.Count
		for _, trial := range trials {
			counts = append(counts, trial.Counts()...)
		}
		return grid.WriteJSON(e.out, counts)
	}
	printTable(e.out, c.table(trials), c.Format, 2)
	// People get the positions that an agent missed below the table.
	for _, t := range trials {
		for _, a := range t.Attempts {
			if c.Missed && !a.Solved {
				task := a.Task
				e.out.printf("%s: %s, %s '%s': played %v, expected %v\n",
					t.Agent, task.Rules, task.Class, task.Position, a.Move, task.Moves)
			}
		}
	}
	return nil
}

// table has a row for each rule set of each trial, and one for all of them.
func (c *tacticsRunCmd) table(trials []tactics.Trial) *grid.Table {
	// The classes of positions have a column each.
	columns := []string{"Agent", "Rules"}
	for _, class := range tactics.Classes() {
		columns = append(columns, string(class))
	}
	columns = append(columns, "all", "solved", "a position")
	t := grid.New("", 2, columns...)
	for i := range trials {
		trial := &trials[i]
		name := any(grid.Name(trial.Agent)) // in the first row alone
		for _, ruleSet := range append(trial.RuleSets(), "") {
			row := []any{name, cmp.Or(ruleSet, "all")}
			for _, class := range tactics.Classes() {
				row = append(row, trial.Count(ruleSet, class).Share())
			}
			all, seconds := trial.Count(ruleSet, ""), ""
			if ruleSet == "" {
				seconds = fmt.Sprintf("%.3fs", all.Seconds)
			}
			solved := float64(all.Solved) / float64(all.Positions)
			row = append(row, all.Share(), textfmt.Percent(solved), seconds)
			t.Add(row...)
			name = ""
		}
	}
	return t
}
