package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
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
	Agent    string   `default:"alphabeta:hash=128" placeholder:"AGENT" complete:"agents" help:"The agent that searches. Default: alphabeta:hash=128."`
	Multi    int      `check:"1..50" default:"1" placeholder:"N" help:"Show the N best moves, 1 to 50."`
	JSON     bool     `name:"json" help:"Read requests from standard input, a JSON object a line, and answer each on a line; see gyges help agents."`
	Workers  int      `check:"0..256" placeholder:"N" help:"With --json, positions searched at a time; 0, the default, is one for each core."`
	Format   string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), or json, one object a line."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position to analyse."`
}

// Run analyses.
func (c *analyseCmd) Run(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	if c.JSON {
		return c.serve(ctx, e, r)
	}
	if c.Workers != 0 {
		return errors.New("--workers needs --json")
	}
	game, err := parseGame(r, c.Position)
	if err != nil {
		return err
	}
	if c.Limits == (agents.Limits{}) {
		c.MoveTime = analysis.DefaultTime
	}
	agent, err := c.agent(ctx, e, r)
	if err != nil {
		return err
	}
	defer closeAgent(e, agent)
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

// agent makes the agent.
func (c *analyseCmd) agent(ctx context.Context, e *env, r *rules.Rules) (agents.Agent, error) {
	a, err := newAgent(ctx, e, c.Agent, r)
	if err != nil {
		return nil, err
	}
	if _, ok := a.(agents.Analyst); !ok && c.Multi > 1 {
		closeAgent(e, a)
		return nil, fmt.Errorf("--multi: %w, found %s", analysis.ErrMulti, c.Agent)
	}
	return a, nil
}

// serve answers the requests of the standard input.
func (c *analyseCmd) serve(ctx context.Context, e *env, r *rules.Rules) error {
	if len(c.Position) > 0 {
		return errors.New("--json can't be combined with a position; requests have their own")
	}
	agent, err := c.agent(ctx, e, r)
	if err != nil {
		return err
	}
	closeAgent(e, agent)                 // each worker makes its own
	spec, _ := agents.ParseSpec(c.Agent) // it was made above
	in, _, err := openInput(ctx, e, "-")
	if err != nil {
		return err
	}
	batch := analysis.Batch{
		Registry: e.registry, Spec: spec, Workers: cmp.Or(c.Workers, runtime.GOMAXPROCS(0)),
		Rules: r, Limits: c.Limits, Multi: c.Multi, Log: e.log,
	}
	return asFailure(batch.Run(ctx, in, e.out))
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
			{Key: "evaluation", Value: score}, {Key: "terms", Value: grid.Objects(termColumns, terms)},
		})
	}
	a.out.printf("\n")
	g := grid.New(grid.Text, grid.Options{Fold: 1}, termColumns, terms)
	g.Add("evaluation", "", "", fmt.Sprintf("%+.2f", float64(score)/100))
	return printTable(a.out, g, false)
}
