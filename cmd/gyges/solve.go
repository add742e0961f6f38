package main

import (
	"context"
	"errors"
	"time"

	"gyges/agents/solver"
	"gyges/rules"
)

// solveCmd proves wins and losses.
type solveCmd struct {
	rulesFlags
	Depth    int            `default:"5" placeholder:"N" help:"Plies ahead in which a result is sought, 1 to 31. Default: 5."`
	MoveTime *time.Duration `name:"movetime" placeholder:"TIME" help:"Stop after this time, like 10s."`
	Format   string         `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default) or json."`
	Position []string       `arg:"" optional:"" sep:"none" help:"Position to solve."`
}

// Help is the part of the help below the summary.
func (solveCmd) Help() string {
	return "Proves whether the side to move can force a win within N plies, or can't avoid a loss; no evaluation is " +
		"used. The first line is 'win in 5', 'loss in 4' or 'no forced result within N plies'; the number of " +
		"plies is the smallest. Then follows a line of best moves: the winner plays the shortest win, the loser " +
		"the longest defence.\n\nThe exit code is 0 if the search was completed, 1 if it ran out of time; then " +
		"the depth completed is printed. Each further ply takes up to thirty times as long."
}

func (solveCmd) examples() []example {
	return []example{
		{"gyges solve '000100/300002/330230/101000/200000/002100 s'", ""},
		{"gyges solve --rules simplified --depth 4 '000023/022001/002000/010330/000300/110000 n'", ""},
		{"gyges solve --depth 9 --movetime 1m --format json '200000/200200/003113/003000/002300/000101 s'", ""},
	}
}

// Run solves the position.
func (c *solveCmd) Run(ctx context.Context, e *env) error {
	g, err := c.game()
	if err != nil {
		return err
	}
	limited := ctx
	if c.MoveTime != nil {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, *c.MoveTime)
		defer cancel()
	}
	began := time.Now()
	result, err := solver.New(solver.DefaultMegabytes).Solve(limited, g, c.Depth, func(r solver.Result) {
		e.log.Debug("solve", "nothing forced within", r.Depth, "nodes", r.Nodes, "seconds", time.Since(began).Seconds())
	})
	s := solution{game: g, result: result, complete: err == nil, seconds: time.Since(began).Seconds()}
	if c.Format == "json" {
		if err := s.json(e.out); err != nil {
			return err
		}
	} else {
		s.text(e.out, c.Depth)
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case err != nil:
		return errNo
	default:
		return nil
	}
}

// game checks the command line and returns the game to solve.
func (c *solveCmd) game() (*rules.Game, error) {
	err := errors.Join(between("--depth", c.Depth, 1, solver.MaxDepth), positive("--movetime", c.MoveTime))
	if err != nil {
		return nil, err
	}
	r, err := c.load()
	if err != nil {
		return nil, err
	}
	return parseGame(r, c.Position)
}

// solution is the result of a search.
type solution struct {
	game     *rules.Game
	result   solver.Result
	complete bool // searched to the end, not stopped
	seconds  float64
}

// text prints the solution as text; depth is the flag.
func (s *solution) text(out *output, depth int) {
	switch r := s.result; {
	case r.Plies > 0:
		out.printf("win in %d\n", r.Plies)
	case r.Plies < 0:
		out.printf("loss in %d\n", -r.Plies)
	case s.complete:
		out.printf("no forced result within %d plies\n", r.Depth)
	default:
		out.printf("no forced result within %d plies; stopped before %d\n", r.Depth, depth)
	}
	p := s.game.Position()
	for i, text := range longLine(s.game, s.result.Line) {
		out.printf("%3d. %-5v  %s\n", i+1, p.Side(), text)
		p = s.game.Rules().Apply(p, s.result.Line[i])
	}
	out.printf("nodes %d, time %.2f s\n", s.result.Nodes, s.seconds)
}

// solutionJSON is the solution as --format json prints it.
type solutionJSON struct {
	Rules    string   `json:"rules"`
	Position string   `json:"position"`
	Result   string   `json:"result"` // win, loss (of the side to move) or none
	Plies    int      `json:"plies"`  // to the goal; 0 if nothing is forced
	Depth    int      `json:"depth"`  // plies searched completely
	Complete bool     `json:"complete"`
	Nodes    int64    `json:"nodes"`
	Seconds  float64  `json:"seconds"`
	Line     []string `json:"line"`
}

func (s *solution) json(out *output) error {
	r := s.game.Rules()
	j := solutionJSON{
		Rules: r.String(), Position: r.FormatPosition(s.game.Position()), Result: "none",
		Plies: max(s.result.Plies, -s.result.Plies), Depth: s.result.Depth, Complete: s.complete,
		Nodes: s.result.Nodes, Seconds: s.seconds, Line: longLine(s.game, s.result.Line),
	}
	switch {
	case s.result.Plies > 0:
		j.Result = "win"
	case s.result.Plies < 0:
		j.Result = "loss"
	}
	return writeJSON(out, j)
}
