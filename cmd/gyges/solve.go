package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"gyges/agents/analysis"
	"gyges/agents/solver"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/problems"
)

type solveCmd struct {
	rulesFlags
	Depth       *int          `placeholder:"N" help:"Plies ahead in which a result is sought, 1 to 31, with --proof 1 to 99. Default: 5, with --proof 31."`
	MoveTime    time.Duration `check:"1ms.." name:"movetime" placeholder:"TIME" help:"Stop after this time for a position, like 10s."`
	Proof       bool          `xor:"proof" help:"Search by proof numbers: finds much longer wins, though not the shortest."`
	Nodes       int64         `check:"1..1000000000" placeholder:"N" help:"With --proof, positions to evaluate for each side. Default: 1000000."`
	Out         string        `xor:"out" placeholder:"FILE" help:"With --proof, write the winner's strategy: a line 'POSITION ; MOVE' for each position in which it is to move. With --list, write the solutions; those that the file has already are not searched again."`
	Check       string        `xor:"proof,list,print" placeholder:"FILE" help:"Search nothing: play the strategy in FILE, or all those of a certificate's folder, against every reply."`
	Print       string        `xor:"proof,list,print" placeholder:"DIR" help:"Print a certificate, a line 'POSITION ; MOVE ; PLIES' for each answer."`
	Certificate string        `placeholder:"DIR" help:"With --proof and --list, make a certificate in this folder of the wins that are proven; positions that it has already are not searched again."`
	List        string        `xor:"list" placeholder:"FILE" help:"Solve the positions of a list, one a line; - is the standard input. See gyges openings."`
	Workers     int           `check:"0..1024" placeholder:"N" help:"With --list, positions at a time; with --proof of one position, goroutines that search it: only with 1 the same search gives the same proof. 0, the default, is one for each core."`
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
	if err == nil && (isFolder(c.Check) || c.Print != "") {
		return c.readCertificate(ctx, e)
	}
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
	solve := func(context.Context, *rules.Game) (solver.Solution, error) { return c.check(ctx, e, g) }
	if c.Check == "" {
		if solve, err = search.New(r); err != nil {
			return err
		}
	}
	s, errOut := c.solveTo(ctx, g, solve)
	if s.Game == nil {
		return errOut
	}
	switch c.Format {
	case grid.Text:
		c.print(e.out, s)
	case grid.JSON:
		err = grid.WriteJSON(e.out, grid.ObjectOf(solutionColumns(c.Format), s))
	default:
		err = grid.Write(e.out, c.Format, grid.Options{}, solutionColumns(c.Format), []solver.Solution{s})
	}
	switch {
	case err != nil || errOut != nil:
		return cmp.Or(err, errOut)
	case !s.Complete:
		return cmp.Or(ctx.Err(), errNo)
	}
	return nil
}

// search checks the flags and returns the search that they say.
func (c *solveCmd) search() (s solver.Search, err error) {
	most := solver.MaxDepth
	s.Depth = 5
	if c.Proof {
		s.Depth, s.Nodes, most = defaultProofDepth, defaultProofNodes, solver.MaxProofDepth
	}
	if c.Depth != nil {
		s.Depth = *c.Depth
	}
	c.Depth = &s.Depth
	s.MoveTime, s.Nodes, s.Megabytes = c.MoveTime, cmp.Or(c.Nodes, s.Nodes), c.Hash
	list, proof, position := c.List != "", c.Proof, len(c.Position) > 0
	if !list {
		s.Workers = cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	}
	var p problems.List
	p.Expect(1 <= s.Depth && s.Depth <= most, "--depth", "expected a number from 1 to %d, found %d", most, s.Depth)
	p.Require(c.Nodes == 0 || proof, "--nodes needs --proof")
	p.Require(c.Out == "" || proof || list, "--out needs --proof or --list")
	p.Require(c.Out == "" || !list || c.Format != grid.Text, "--out of a --list needs --format csv or json")
	p.Require(c.Certificate == "" || proof && list, "--certificate needs --proof and --list")
	p.Require(c.Print == "" || !position, "--print can't be combined with a position")
	p.Require(!isFolder(c.Check) || !position, "--check of a certificate can't be combined with a position")
	p.Require(!list || !position, "--list can't be combined with a position")
	p.Require(c.Hash == 0 || proof, "--hash needs --proof")
	p.Require(c.Workers == 0 || list || proof, "--workers needs --list or --proof")
	return s, p.Err()
}

// solveTo solves a position and writes the strategy to the file of --out, which is opened before the search.
// Without a strategy an earlier file stays. A solution may come with the error of the file.
func (c *solveCmd) solveTo(
	ctx context.Context, g *rules.Game, solve func(context.Context, *rules.Game) (solver.Solution, error),
) (s solver.Solution, err error) {
	err = writeFile("--out", c.Out, func(w io.Writer) (err error) {
		if s, err = solve(ctx, g); err != nil || c.Out == "" {
			return err
		}
		if s.Win == nil {
			return cmp.Or(ctx.Err(), errNo)
		}
		return asFailure(solver.WriteStrategy(w, g.Rules(), s.Win.Moves))
	})
	return s, err
}

// check plays the strategy from the file of --check.
func (c *solveCmd) check(ctx context.Context, e *env, g *rules.Game) (solver.Solution, error) {
	strategy, err := readInput(ctx, e, c.Check, func(in io.Reader, name string) (solver.Strategy, error) {
		return solver.ReadStrategy(in, name, g.Rules())
	})
	if err != nil {
		return solver.Solution{}, err
	}
	s, err := strategy.Solve(g)
	if err != nil {
		return solver.Solution{}, fmt.Errorf("%s: %w", c.Check, err)
	}
	return s, nil
}

// print prints a solution as text.
func (c *solveCmd) print(out *output, s solver.Solution) {
	byProof, in := c.Proof || c.Check != "", "in"
	if byProof {
		in = "within"
	}
	switch {
	case s.Plies > 0:
		out.printf("win %s %d\n", in, s.Plies)
	case s.Plies < 0:
		out.printf("loss %s %d\n", in, -s.Plies)
	case byProof:
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
	if s.Win != nil {
		out.printf("strategy of %d moves, played against every reply\n", len(s.Win.Moves))
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
			if s.Win == nil {
				return 0
			}
			return len(s.Win.Moves)
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
