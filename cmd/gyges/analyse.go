package main

import (
	"context"
	"fmt"
	"strings"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/agents/eval"
	"gyges/agents/human"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/textfmt"
)

// analyseCmd searches a position and prints the best lines as they are found, deeper and deeper,
// and then what the features add to the static evaluation.
type analyseCmd struct {
	rulesFlags
	agents.Limits
	Agent    agents.Spec `default:"alphabeta:hash=128" placeholder:"AGENT" help:"The agent that searches. Default: alphabeta:hash=128."`
	Multi    int         `check:"1..50" default:"1" placeholder:"N" help:"Show the N best moves, 1 to 50."`
	Format   string      `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), or json, one object a line."`
	Position []string    `arg:"" optional:"" sep:"none" help:"Position to analyse."`
}

// Run searches until a limit is reached or the search is interrupted.
func (c *analyseCmd) Run(ctx context.Context, e *env) error {
	game, err := c.game(c.Position)
	if err != nil {
		return err
	}
	// A search without limits would go on until it is interrupted.
	if c.Limits == (agents.Limits{}) {
		c.MoveTime = analysis.DefaultTime
	}
	agent, err := newAgent(ctx, e, c.Agent, game.Rules())
	if err != nil {
		return err
	}
	defer closeAgent(e, agent)
	if c.Multi > 1 && !agent.Capabilities().Exclude {
		return fmt.Errorf("--multi: %w, found %s", analysis.ErrMulti, c.Agent)
	}
	// Lines are printed as they are found: the same moves again at each depth.
	report := func(l analysis.Line, _ []analysis.Line) {
		_ = jsonl.NewWriter(e.out).Append(l) // the output keeps the error
	}
	if c.Format == "text" {
		several := c.Multi > 1 && game.Legal().Len() > 1
		report = c.lines(e.out, game, several)
	}
	request := analysis.Request{Game: game, Limits: c.Limits, Multi: c.Multi}
	err = analysis.Search(ctx, agent, request, report)
	err = agentError(ctx, c.Agent.String(), err)
	if err != nil {
		return err
	}
	return c.terms(e.out, game, agent)
}

// lines prints the board and the head of a table, and returns what prints a row of it. Several
// moves have a column for their rank.
func (c *analyseCmd) lines(
	w *output, game *rules.Game, several bool,
) func(analysis.Line, []analysis.Line) {
	board := human.Board(game.Rules(), game.Position(), rules.NoMove, nil)
	w.print(board + "\n")
	// The column of ranks is as wide in the head as in the rows.
	rank := ""
	if several {
		rank = " rank"
	}
	w.printf("%5s%s  %-11s %10s %8s  %s\n", "depth", rank, "score", "nodes", "time", "line")
	return func(l analysis.Line, _ []analysis.Line) {
		if several {
			rank = fmt.Sprintf(" %4d", l.Rank)
		}
		before := fmt.Sprintf("%5d%s  %-11s %10d %7.2fs  ",
			l.Depth, rank, l.ScoreText(), l.Nodes, l.Seconds)
		w.print(textfmt.Hang(before, strings.Join(l.Moves, " "), tableWidth(w)))
	}
}

// termColumns are the columns of the features' shares in the evaluation; people read weights in
// points.
var termColumns = []grid.Column[eval.Term]{
	{Key: "feature", Title: "Feature", Left: true, Value: func(t eval.Term) any {
		return t.Feature
	}},
	{Key: "value", Title: "Value", Value: func(t eval.Term) any {
		return termCell("%.4g", t.Value, 1)
	}},
	{Key: "weight", Title: "Weight", Value: func(t eval.Term) any {
		return termCell("%.4g", t.Weight, 100)
	}},
	{Key: "score", Title: "Points", Value: func(t eval.Term) any {
		return termCell("%+.2f", t.Value*t.Weight, 100)
	}},
}

// termCell returns a number for people in units, and for programs as it is.
func termCell(format string, x, unit float64) grid.Cell {
	return grid.Cell{Text: fmt.Sprintf(format, x/unit), Value: x}
}

// terms prints what the features add to the static evaluation, if the agent has one.
func (c *analyseCmd) terms(w *output, game *rules.Game, agent agents.Agent) error {
	e, ok, err := eval.Of(agent, game.Rules())
	if err != nil || !ok {
		return err
	}
	// The score is a whole number of hundredths of a point, as the search has it.
	p := game.Position()
	table := grid.Make(termColumns, e.Terms(p))
	score := int(e.Score(p))
	if c.Format == "json" {
		return jsonl.NewWriter(w).Append(grid.Object{{"evaluation", score}, {"terms", table}})
	}
	w.printf("\n")
	table.Add("evaluation", "", "", fmt.Sprintf("%+.2f", float64(score)/100))
	printTable(w, table, grid.Text, 1)
	return nil
}
