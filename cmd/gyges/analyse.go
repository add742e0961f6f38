package main

import (
	"cmp"
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

type analyseCmd struct {
	rulesFlags
	agents.Limits
	Agent    agents.Spec `default:"alphabeta:hash=128" placeholder:"AGENT" help:"The agent that searches. Default: alphabeta:hash=128."`
	Multi    int         `check:"1..50" default:"1" placeholder:"N" help:"Show the N best moves, 1 to 50."`
	Format   string      `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), or json, one object a line."`
	Position []string    `arg:"" optional:"" sep:"none" help:"Position to analyse."`
}

func (c *analyseCmd) Run(ctx context.Context, e *env) error {
	game, err := c.game(c.Position)
	if err != nil {
		return err
	}
	r := game.Rules()
	if c.Limits == (agents.Limits{}) {
		c.MoveTime = analysis.DefaultTime
	}
	agent, err := newAgent(ctx, e, c.Agent, r)
	if err != nil {
		return err
	}
	defer closeAgent(e, agent)
	if c.Multi > 1 && !agent.Capabilities().Exclude {
		return fmt.Errorf("--multi: %w, found %s", analysis.ErrMulti, c.Agent)
	}
	rank := func(text string) string { return text } // the text of the column rank, which several moves have
	if min(c.Multi, game.Legal().Len()) == 1 {
		rank = func(string) string { return "" }
	}
	if c.Format == "text" {
		e.out.printf("%s\n", human.Board(r, game.Position(), rules.NoMove, nil))
		e.out.printf("%5s%s  %-11s %10s %8s  %s\n", "depth", rank(" rank"), "score", "nodes", "time", "line")
	}
	request := analysis.Request{Game: game, Limits: c.Limits, Multi: c.Multi}
	err = analysis.Search(ctx, agent, request, func(l analysis.Line, _ []analysis.Line) {
		if c.Format == "json" {
			_ = jsonl.NewWriter(e.out).Append(l) // the output keeps the error
			return
		}
		before := fmt.Sprintf("%5d%s  %-11s %10d %7.2fs  ", l.Depth, rank(fmt.Sprintf(" %4d", l.Rank)), l.ScoreText(),
			l.Nodes, l.Seconds)
		e.out.printf("%s", textfmt.Hang(before, strings.Join(l.Moves, " "), tableWidth(e.out)))
	})
	if err := cmp.Or(ctx.Err(), asFailure(named(c.Agent.String(), err))); err != nil {
		return err
	}
	return c.terms(e.out, game, agent)
}

// termColumns are those of the features' shares in the evaluation; people read weights in points.
var termColumns = []grid.Column[eval.Term]{
	{Key: "feature", Title: "Feature", Left: true, Value: func(t eval.Term) any { return t.Feature }},
	{Key: "value", Title: "Value", Value: func(t eval.Term) any { return termCell("%.4g", t.Value, 1) }},
	{Key: "weight", Title: "Weight", Value: func(t eval.Term) any { return termCell("%.4g", t.Weight, 100) }},
	{Key: "score", Title: "Points", Value: func(t eval.Term) any { return termCell("%+.2f", t.Value*t.Weight, 100) }},
}

func termCell(format string, x, unit float64) grid.Cell {
	return grid.Cell{Text: fmt.Sprintf(format, x/unit), Value: x}
}

func (c *analyseCmd) terms(w *output, game *rules.Game, agent agents.Agent) error {
	e, ok, err := eval.Of(agent, game.Rules())
	if err != nil || !ok {
		return err
	}
	p := game.Position()
	terms, score := e.Terms(p), int(e.Score(p))
	if c.Format == "json" {
		return jsonl.NewWriter(w).Append(grid.Object{
			{Key: "evaluation", Value: score}, {Key: "terms", Value: grid.Make(termColumns, terms)},
		})
	}
	w.printf("\n")
	t := grid.Make(termColumns, terms)
	t.Add("evaluation", "", "", fmt.Sprintf("%+.2f", float64(score)/100))
	return printTable(w, t, grid.Text, 1)
}
