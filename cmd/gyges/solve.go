package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gyges/agents/analysis"
	"gyges/agents/solver"
	"gyges/agents/solver/proofnumber"
	"gyges/rules/base/grid"
	"gyges/rules/base/problems"
)

type solveCmd struct {
	rulesFlags
	Depth       *int          `placeholder:"N" help:"Plies ahead in which a result is sought, 1 to 31, with --proof 1 to 99. Default: 5, with --proof 31."`
	MoveTime    time.Duration `check:"1ms.." name:"movetime" placeholder:"TIME" help:"Stop after this time for a position, like 10s."`
	Proof       bool          `help:"Search by proof numbers: finds much longer wins, though not the shortest."`
	Nodes       int64         `check:"1..1000000000" placeholder:"N" help:"With --proof, positions to evaluate for each side. Default: 1000000."`
	Out         string        `placeholder:"FILE" help:"With --list, write the solutions to a file; those that it has already are not searched again."`
	Certificate string        `placeholder:"DIR" help:"With --proof and --list, make a certificate in this folder of the wins that are proven; positions that it has already are not searched again."`
	List        string        `placeholder:"FILE" help:"Solve the positions of a list, one a line; - is the standard input. See gyges openings."`
	Workers     int           `check:"0..1024" placeholder:"N" help:"With --list, positions at a time; 0, the default, is one for each core."`
	Hash        int           `check:"0..65536" placeholder:"MB" help:"With --proof, size of the table of positions, for each position at a time. Default: enough for --nodes, at most 512."`
	Format      grid.Format   `enum:"text,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), csv or json; of a list, json is one object a line."`
	Position    []string      `arg:"" optional:"" sep:"none" help:"Position to solve."`
}

// Defaults of --nodes, some seconds, and of --depth with --proof: with more, strategies are longer.
const (
	defaultProofNodes = 1_000_000
	defaultProofDepth = 31
)

// Run solves the position or those of the list.
func (c *solveCmd) Run(ctx context.Context, e *env) error {
	search, err := c.search()
	r, errRules := c.load()
	if err := errors.Join(err, errRules); err != nil {
		return err
	}
	if c.List != "" {
		return c.solveList(ctx, e, r, search)
	}
	g, err := parseGame(r, c.Position)
	if err != nil {
		return err
	}
	solve, err := search.New(r)
	if err != nil {
		return err
	}
	s, err := solve(ctx, g)
	if err != nil {
		return err
	}
	switch c.Format {
	case grid.Text:
		c.print(e.out, s)
	case grid.JSON:
		err = grid.WriteJSON(e.out, grid.ObjectOf(solutionColumns(c.Format), s))
	default:
		err = grid.Make(solutionColumns(c.Format), []solver.Solution{s}).Write(e.out, c.Format, grid.Options{})
	}
	if err == nil && !s.Complete {
		err = cmp.Or(ctx.Err(), errNo)
	}
	return err
}

// search checks the flags and returns the search that they say.
func (c *solveCmd) search() (s solver.Search, err error) {
	most := solver.MaxDepth
	s.Depth = 5
	if c.Proof {
		s.Depth, s.Nodes, most = defaultProofDepth, defaultProofNodes, proofnumber.MaxDepth
	}
	if c.Depth != nil {
		s.Depth = *c.Depth
	}
	c.Depth = &s.Depth
	s.MoveTime, s.Nodes, s.Megabytes = c.MoveTime, cmp.Or(c.Nodes, s.Nodes), c.Hash
	list, proof := c.List != "", c.Proof
	var p problems.List
	p.Expect(1 <= s.Depth && s.Depth <= most, "--depth", "expected a number from 1 to %d, found %d", most, s.Depth)
	p.Require(c.Nodes == 0 || proof, "--nodes needs --proof")
	p.Require(c.Out == "" || list && c.Format != grid.Text, "--out needs --list and --format csv or json")
	p.Require(c.Certificate == "" || proof && list, "--certificate needs --proof and --list")
	p.Require(!list || len(c.Position) == 0, "--list can't be combined with a position")
	p.Require(c.Hash == 0 || proof, "--hash needs --proof")
	p.Require(c.Workers == 0 || list, "--workers needs --list")
	return s, p.Err()
}

// print prints a solution as text.
func (c *solveCmd) print(out *output, s solver.Solution) {
	in := "in"
	if c.Proof {
		in = "within"
	}
	switch {
	case s.Plies > 0:
		out.printf("win %s %d\n", in, s.Plies)
	case s.Plies < 0:
		out.printf("loss %s %d\n", in, -s.Plies)
	case c.Proof:
		out.printf("nothing proven\n")
	case s.Complete:
		out.printf("no forced result within %d plies\n", s.Depth)
	default:
		out.printf("no forced result within %d plies; stopped before %d\n", s.Depth, *c.Depth)
	}
	p := s.Game.Position()
	for i, text := range analysis.LongLine(s.Game, s.Line) {
		out.printf("%3d. %-5v  %s\n", i+1, p.Side(), text)
		p = s.Game.Rules().Apply(p, s.Line[i])
	}
	if s.Strategy != nil {
		out.printf("strategy of %d moves, played against every reply\n", s.Strategy.Len())
	}
	out.printf("nodes %d, time %.2f s\n", s.Nodes, s.Seconds)
}

// solutionColumns are the columns of solutions for programs.
func solutionColumns(f grid.Format) []grid.Column[solver.Solution] {
	type row = solver.Solution
	columns := []grid.Column[row]{
		{Key: "rules", Value: func(s row) any { return s.Game.Rules().String() }},
		{Key: "position", Value: func(s row) any { return s.Game.Rules().FormatPosition(s.Game.Position()) }},
		{Key: "result", Doc: "win or loss of the side to move, or none", Value: func(s row) any {
			return [...]string{"loss", "none", "win"}[cmp.Compare(s.Plies, 0)+1]
		}},
		{Key: "plies", Doc: "to the goal, by proof numbers at most", Value: func(s row) any {
			return max(s.Plies, -s.Plies)
		}},
		{Key: "depth", Doc: "plies searched completely; 0 by proof numbers", Value: func(s row) any { return s.Depth }},
		{Key: "complete", Value: func(s row) any { return s.Complete }},
		{Key: "strategy", Doc: "moves of the winner's strategy, by proof numbers", Value: func(s row) any {
			if s.Strategy == nil {
				return 0
			}
			return s.Strategy.Len()
		}},
		{Key: "nodes", Value: func(s row) any { return s.Nodes }},
		{Key: "seconds", Value: func(s row) any { return s.Seconds }},
	}
	if f == grid.JSON {
		return append(columns, grid.Column[row]{Key: "line", Value: func(s row) any {
			return analysis.LongLine(s.Game, s.Line)
		}})
	}
	return append(columns, grid.Column[row]{Key: "move", Value: func(s row) any {
		if len(s.Line) == 0 {
			return ""
		}
		return s.Line[0].String()
	}})
}
