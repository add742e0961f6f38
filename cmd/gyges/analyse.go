package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/ratings/grid"
	"gyges/rules"
)

const (
	defaultAnalysis = 5 * time.Second // where no flag bounds it
	maxLines        = 50              // of an analysis
	analysisDepth   = 64              // plies
)

// analyseCmd searches a position and says what it finds on the way.
type analyseCmd struct {
	rulesFlags
	limitsFlags
	Agent    string   `default:"alphabeta:hash=128" placeholder:"SPEC" help:"The agent that looks. Default: alphabeta:hash=128."`
	Multi    int      `default:"1" placeholder:"N" help:"Show the N best moves, 1 to 50."`
	Format   string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), or json, one object a line."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position to look at."`
}

// Help is the part of the help below the summary.
func (analyseCmd) Help() string {
	return "Prints a line for each depth and move: the score in points for the side to move, positions visited so far, the time, and the " +
		"line expected. Then it divides the evaluation of the position over its features. Without limits it stops after 5 seconds, " +
		"and at any time when it is interrupted or the result is proven.\n\n" +
		"--multi needs an agent that can leave moves out: alphabeta."
}

func (analyseCmd) examples() []example {
	return []example{
		{"gyges analyse '202110/000330/000000/000200/000100/030123 s' --depth 4", ""},
		{"gyges analyse --multi 3 --movetime 2s '321123/000000/000000/000000/000000/321123 s'", "the three best moves"},
		{"gyges analyse --rules kang --format json --depth 3 '000000/000000/000000/000000/000000/000000 s 222/222 0-0 -'", ""},
	}
}

// Run analyses.
func (c *analyseCmd) Run(ctx context.Context, e *env) error {
	a, err := c.prepare(e)
	if err != nil {
		return err
	}
	defer a.close(e)
	if err := a.run(ctx); err != nil {
		return err
	}
	return a.terms()
}

// prepare checks the command line.
func (c *analyseCmd) prepare(e *env) (*analysis, error) {
	r, err := c.load()
	if err != nil {
		return nil, err
	}
	game, err := parseGame(r, c.Position)
	if err != nil {
		return nil, err
	}
	if c.Multi < 1 || c.Multi > maxLines {
		return nil, fmt.Errorf("--multi: expected 1 to %d, found %d", maxLines, c.Multi)
	}
	a := &analysis{out: e.out, game: game, json: c.Format == "json", multi: min(c.Multi, game.Legal().Len()), began: time.Now()}
	if err := c.apply(&a.limits); err != nil {
		return nil, err
	}
	if a.limits == (agents.Limits{}) {
		a.limits.MoveTime = defaultAnalysis
	}
	if a.spec, err = agents.ParseSpec(c.Agent); err != nil {
		return nil, err
	}
	kind, err := e.registry.Kind(a.spec)
	if err != nil {
		return nil, err
	}
	if kind.Interactive {
		return nil, fmt.Errorf("--agent: expected a program, found %s, which is a person", a.spec)
	}
	if a.values, err = e.registry.Values(a.spec); err != nil {
		return nil, err
	}
	if a.agent, err = e.registry.New(a.spec); err != nil {
		return nil, err
	}
	if _, ok := a.agent.(agents.Analyst); !ok && c.Multi > 1 {
		return nil, fmt.Errorf("--multi: expected an agent that can leave moves out, like alphabeta, found %s", a.spec.Kind)
	}
	return a, nil
}

// analysis is one run of the command.
type analysis struct {
	out    *output
	game   *rules.Game
	agent  agents.Agent
	spec   agents.Spec
	values agents.Values
	limits agents.Limits
	multi  int
	json   bool
	began  time.Time
	nodes  int64 // visited before the present search
}

// run searches deeper and deeper, or, where the agent can't leave moves out,
// prints what it tells by itself.
func (a *analysis) run(ctx context.Context) error {
	setup := agents.Setup{Rules: a.game.Rules(), Side: a.game.Position().Side(), Seed: 1}
	analyst, ok := a.agent.(agents.Analyst)
	if !ok {
		setup.Info = func(d agents.Decision) { a.line(d, 1) }
	}
	if err := a.agent.NewGame(ctx, setup); err != nil {
		return a.failed(ctx, err)
	}
	a.head()
	if ok {
		return a.deepen(ctx, analyst)
	}
	d, err := a.agent.Choose(ctx, a.game, a.limits)
	if err != nil {
		return a.failed(ctx, err)
	}
	a.line(d, 1)
	return nil
}

// failed says which agent an error is laid to.
func (a *analysis) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return failure{fmt.Errorf("%s: %w", a.spec, err)}
}

// deepen searches the best moves one by one, depth by depth.
func (a *analysis) deepen(ctx context.Context, analyst agents.Analyst) error {
	last := analysisDepth
	if a.limits.Depth > 0 {
		last = min(a.limits.Depth, last)
	}
	for depth := 1; depth <= last; depth++ {
		var best []rules.Move
		decided := true
		for range a.multi {
			lim := agents.Limits{Depth: depth}
			if a.limits.MoveTime > 0 {
				if lim.MoveTime = a.limits.MoveTime - time.Since(a.began); lim.MoveTime <= 0 {
					return nil
				}
			}
			if a.limits.Nodes > 0 {
				if lim.Nodes = a.limits.Nodes - a.nodes; lim.Nodes <= 0 {
					return nil
				}
			}
			d, err := analyst.ChooseWithout(ctx, a.game, lim, best)
			if err != nil && ctx.Err() == nil {
				return a.failed(ctx, err)
			}
			if err != nil || ctx.Err() != nil { // what was found stands above
				return ctx.Err()
			}
			_, proven := d.Score.Proven()
			if d.Depth < depth && !proven {
				return nil // stopped on the way
			}
			decided = decided && proven
			a.line(d, len(best)+1)
			a.nodes += d.Nodes
			best = append(best, d.Move)
		}
		if decided {
			return nil
		}
	}
	return nil
}

// close ends an agent that holds on to something.
func (a *analysis) close(e *env) {
	if c, ok := a.agent.(io.Closer); ok {
		if err := c.Close(); err != nil {
			e.log.Warn("closing an agent", "agent", a.spec, "error", err)
		}
	}
}

// head prints what the columns are.
func (a *analysis) head() {
	if a.json {
		return
	}
	if a.multi > 1 {
		a.out.printf("%5s %4s  %-11s %10s %8s  %s\n", "depth", "rank", "score", "nodes", "time", "line")
		return
	}
	a.out.printf("%5s  %-11s %10s %8s  %s\n", "depth", "score", "nodes", "time", "line")
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

// line prints what has been found at a depth for the move of a rank.
func (a *analysis) line(d agents.Decision, rank int) {
	took, nodes := time.Since(a.began).Seconds(), a.nodes+d.Nodes
	long := a.long(d)
	if a.json {
		plies, _ := d.Score.Proven()
		_ = writeJSONLine(a.out, analysisJSON{d.Depth, rank, int(d.Score), plies, nodes, took, long})
		return
	}
	score := "-"
	if d.Scored {
		score = d.Score.Text()
	}
	if a.multi > 1 {
		a.out.printf("%5d %4d  %-11s %10d %7.2fs  %s\n", d.Depth, rank, score, nodes, took, strings.Join(long, " "))
		return
	}
	a.out.printf("%5d  %-11s %10d %7.2fs  %s\n", d.Depth, score, nodes, took, strings.Join(long, " "))
}

// long returns the expected line in long notation.
func (a *analysis) long(d agents.Decision) []string {
	moves := d.PV
	if len(moves) == 0 {
		moves = []rules.Move{d.Move}
	}
	r, p := a.game.Rules(), a.game.Position()
	var list []string
	for _, m := range moves {
		list = append(list, r.LongText(p, m))
		p = r.Apply(p, m)
	}
	return list
}

// termJSON is a feature's share as --format json prints it.
type termJSON struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
	Score   float64 `json:"score"`
}

// terms prints how the evaluation divides over its features, where the agent
// has one.
func (a *analysis) terms() error {
	_, ok := a.values["weights"]
	if !ok {
		return nil
	}
	source, err := eval.FromValues(a.values)
	if err != nil {
		return err
	}
	e, err := source.Evaluator(a.game.Rules())
	if err != nil {
		return err
	}
	p := a.game.Position()
	terms := e.Terms(p)
	if a.json {
		list := []termJSON{}
		for _, t := range terms {
			list = append(list, termJSON{t.Feature, t.Value, t.Weight, t.Value * t.Weight})
		}
		return writeJSONLine(a.out, struct {
			Evaluation int        `json:"evaluation"`
			Terms      []termJSON `json:"terms"`
		}{int(e.Score(p)), list})
	}
	a.out.printf("\n")
	g := grid.Grid{Header: []string{"Feature", "Value", "Weight", "Points"}}
	for _, t := range terms {
		g.Add(t.Feature, fmt.Sprintf("%.4g", t.Value), fmt.Sprintf("%.4g", t.Weight/100), fmt.Sprintf("%+.2f", t.Value*t.Weight/100))
	}
	g.Add("evaluation", "", "", fmt.Sprintf("%+.2f", float64(e.Score(p))/100))
	return g.Write(a.out, false)
}
