package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/human"
	"gyges/ratings/grid"
	"gyges/rules"
)

const (
	defaultAnalysis = 5 * time.Second // without limits
	maxMultiPV      = 50
)

// analyseCmd searches a position and prints intermediate results.
type analyseCmd struct {
	rulesFlags
	limitsFlags
	Agent    string   `default:"alphabeta:hash=128" placeholder:"SPEC" help:"The agent that searches. Default: alphabeta:hash=128."`
	Multi    int      `default:"1" placeholder:"N" help:"Show the N best moves, 1 to 50."`
	Format   string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), or json, one object a line."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position to analyse."`
}

// Help is the part of the help below the summary.
func (analyseCmd) Help() string {
	return "Draws the board, then prints a line for each depth and move: the score in points for the side to move, " +
		"positions visited so far, the time, and the principal variation. Then it prints the contribution of each " +
		"feature to the evaluation of the position. It stops at the limits (default: 5 seconds), at Ctrl-C, or when " +
		"the result is proven.\n\n--multi needs an agent that can exclude moves: alphabeta."
}

func (analyseCmd) examples() []example {
	return []example{
		{"gyges analyse '202110/000330/000000/000200/000100/030123 s' --depth 4", ""},
		{"gyges analyse --multi 3 --movetime 2s '321123/000000/000000/000000/000000/321123 s'", "the three best moves"},
		{"gyges analyse --rules kang --format json --depth 3 '000000/000000/000000/000000/000000/000000 s 222/222 0-0 -'",
			""},
	}
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
	if err := between("--multi", c.Multi, 1, maxMultiPV); err != nil {
		return err
	}
	a := &analysis{out: e.out, game: game, json: c.Format == "json", began: time.Now()}
	a.multi = min(c.Multi, game.Legal().Len())
	if err := c.apply(&a.limits); err != nil {
		return err
	}
	if a.limits == (agents.Limits{}) {
		a.limits.MoveTime = defaultAnalysis
	}
	agent, err := newAgent(e, c.Agent)
	if err != nil {
		return fmt.Errorf("--agent: %w", err)
	}
	defer closeAgent(e, agent)
	if _, ok := agent.(agents.Analyst); !ok && c.Multi > 1 {
		return fmt.Errorf("--multi: expected an agent that can exclude moves, like alphabeta, found %s", c.Agent)
	}
	err = a.run(ctx, agent)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failure{fmt.Errorf("%s: %w", c.Agent, err)}
	}
	return a.terms(agent)
}

// analysis is one run of the command.
type analysis struct {
	out    *output
	game   *rules.Game
	limits agents.Limits
	multi  int
	json   bool
	began  time.Time
	nodes  int64 // of the previous searches
}

// run searches with increasing depth or, if the agent can't exclude moves, once, and prints
// intermediate results.
func (a *analysis) run(ctx context.Context, agent agents.Agent) error {
	setup := agents.Setup{Rules: a.game.Rules(), Side: a.game.Position().Side(), Seed: 1}
	analyst, ok := agent.(agents.Analyst)
	if !ok {
		setup.Info = func(d agents.Decision) { a.line(d, 1) }
	}
	if err := agent.NewGame(ctx, setup); err != nil {
		return err
	}
	if !a.json {
		a.out.printf("%s\n", human.Board(a.game.Rules(), a.game.Position(), rules.NoMove))
		a.out.printf("%5s%s  %-11s %10s %8s  %s\n", "depth", a.rank(" rank"), "score", "nodes", "time", "line")
	}
	if ok {
		return agents.MultiPV(ctx, analyst, a.game, a.multi, a.limits, func(rank int, d agents.Decision) {
			a.line(d, rank)
			a.nodes += d.Nodes
		})
	}
	d, err := agent.Choose(ctx, a.game, a.limits)
	if err == nil {
		a.line(d, 1)
	}
	return err
}

// rank returns the text of the column rank, which is there for several moves only.
func (a *analysis) rank(text string) string {
	if a.multi == 1 {
		return ""
	}
	return text
}

// analysisJSON is a line as --format json prints it.
type analysisJSON struct {
	Depth   int      `json:"depth"`
	Rank    int      `json:"rank"`
	Score   int      `json:"score"`            // hundredths of a point, for the side to move
	Proven  int      `json:"proven,omitempty"` // plies to a win, negative to a loss
	Nodes   int64    `json:"nodes"`
	Seconds float64  `json:"seconds"`
	Line    []string `json:"line"`
}

// line prints the result of a search for the move of a rank.
func (a *analysis) line(d agents.Decision, rank int) {
	took, nodes := time.Since(a.began).Seconds(), a.nodes+d.Nodes
	moves := d.PV
	if len(moves) == 0 {
		moves = []rules.Move{d.Move}
	}
	line := longLine(a.game, moves)
	if a.json {
		plies, _ := d.Score.Proven()
		_ = writeJSONLine(a.out, analysisJSON{d.Depth, rank, int(d.Score), plies, nodes, took, line})
		return
	}
	score := "-"
	if d.Scored {
		score = d.Score.Text()
	}
	before := fmt.Sprintf("%5d%s  %-11s %10d %7.2fs  ", d.Depth, a.rank(fmt.Sprintf(" %4d", rank)), score, nodes, took)
	hanging(a.out, before, strings.Join(line, " "))
}

// longLine returns moves played in a game in long notation.
func longLine(g *rules.Game, moves []rules.Move) []string {
	p, line := g.Position(), []string{}
	for _, m := range moves {
		line = append(line, g.Rules().LongText(p, m))
		p = g.Rules().Apply(p, m)
	}
	return line
}

// termJSON is a feature's share as --format json prints it.
type termJSON struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
	Score   float64 `json:"score"`
}

// terms prints the terms of the position's static evaluation, if the agent has one.
func (a *analysis) terms(agent agents.Agent) error {
	source, ok := agent.(interface {
		Evaluator(*rules.Rules) (*eval.Evaluator, error)
	})
	if !ok {
		return nil
	}
	e, err := source.Evaluator(a.game.Rules())
	if err != nil {
		return err
	}
	p := a.game.Position()
	terms, score := []termJSON{}, int(e.Score(p))
	for _, t := range e.Terms(p) {
		terms = append(terms, termJSON{t.Feature, t.Value, t.Weight, t.Value * t.Weight})
	}
	if a.json {
		return writeJSONLine(a.out, struct {
			Evaluation int        `json:"evaluation"`
			Terms      []termJSON `json:"terms"`
		}{score, terms})
	}
	a.out.printf("\n")
	g := grid.Grid{Header: []string{"Feature", "Value", "Weight", "Points"}, Left: map[int]bool{0: true}, Fold: 1}
	for _, t := range terms {
		g.Add(t.Feature, fmt.Sprintf("%.4g", t.Value), fmt.Sprintf("%.4g", t.Weight/100), fmt.Sprintf("%+.2f", t.Score/100))
	}
	g.Add("evaluation", "", "", fmt.Sprintf("%+.2f", float64(score)/100))
	return printTable(a.out, &g, false)
}
