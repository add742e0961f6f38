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
)

type analyseCmd struct {
	rulesFlags
	agents.Limits
	Agent    string   `default:"alphabeta:hash=128" placeholder:"AGENT" help:"The agent that searches. Default: alphabeta:hash=128."`
	Multi    int      `check:"1..50" default:"1" placeholder:"N" help:"Show the N best moves, 1 to 50."`
	Format   string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), or json, one object a line."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position to analyse."`
}

// Run analyses.
func (c *analyseCmd) Run(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	game, err := parseGame(r, c.Position)
	if err != nil {
		return err
	}
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
	a := &analyser{out: e.out, game: game, multi: min(c.Multi, game.Legal().Len()), json: c.Format == "json"}
	a.header()
	err = analysis.Search(ctx, agent, analysis.Request{Game: game, Limits: c.Limits, Multi: c.Multi}, a.line)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failure{fmt.Errorf("%s: %w", c.Agent, err)}
	}
	return a.terms(agent)
}

// analyser prints the results of a search.
type analyser struct {
	out   *output
	game  *rules.Game
	multi int
	json  bool
}

// header prints the board and the names of the columns.
func (a *analyser) header() {
	if a.json {
		return
	}
	a.out.printf("%s\n", human.Board(a.game.Rules(), a.game.Position(), rules.NoMove, nil))
	a.out.printf("%5s%s  %-11s %10s %8s  %s\n", "depth", a.rank(" rank"), "score", "nodes", "time", "line")
}

// rank returns the text of the column rank, which is there for several moves only.
func (a *analyser) rank(text string) string {
	if a.multi == 1 {
		return ""
	}
	return text
}

// line prints a result.
func (a *analyser) line(l analysis.Line, _ []analysis.Line) {
	if a.json {
		_ = jsonl.NewWriter(a.out).Append(l) // the output keeps the error
		return
	}
	before := fmt.Sprintf("%5d%s  %-11s %10d %7.2fs  ", l.Depth, a.rank(fmt.Sprintf(" %4d", l.Rank)), l.ScoreText(),
		l.Nodes, l.Seconds)
	hanging(a.out, before, strings.Join(l.Moves, " "))
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

// terms prints the terms of the position's static evaluation, if the agent has one.
func (a *analyser) terms(agent agents.Agent) error {
	e, ok, err := eval.Of(agent, a.game.Rules())
	if err != nil || !ok {
		return err
	}
	p := a.game.Position()
	terms, score := e.Terms(p), int(e.Score(p))
	if a.json {
		return jsonl.NewWriter(a.out).Append(grid.Object{
			{Key: "evaluation", Value: score}, {Key: "terms", Value: grid.Make(termColumns, terms)},
		})
	}
	a.out.printf("\n")
	t := grid.Make(termColumns, terms)
	t.Add("evaluation", "", "", fmt.Sprintf("%+.2f", float64(score)/100))
	return printTable(a.out, t, grid.Text, 1)
}
