package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"gyges/agents/analysis"
	"gyges/agents/solver"
	"gyges/agents/solver/proofnumber"
	"gyges/agents/solver/strategy"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/problems"
	"gyges/tournament/schedule"
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

func (c *solveCmd) Run(ctx context.Context, e *env) error {
	search, err := c.search()
	if err != nil {
		return err
	}
	if c.List != "" {
		return c.solveList(ctx, e, search)
	}
	g, err := c.game(c.Position)
	if err != nil {
		return err
	}
	solve, err := search.New(g.Rules())
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
		err = c.solutionWriter(e, e.out, false)(s)
	}
	if err == nil && !s.Complete {
		err = cmp.Or(ctx.Err(), errNo)
	}
	return err
}

func (c *solveCmd) search() (s solver.Search, err error) {
	most, depth := solver.MaxDepth, 5
	if c.Proof {
		depth, s.Nodes, most = defaultProofDepth, defaultProofNodes, proofnumber.MaxDepth
	}
	c.Depth = cmp.Or(c.Depth, &depth)
	s.Depth = *c.Depth
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

// solveList solves the positions of a list and prints their solutions in its order as soon as they are there, without
// those whose solutions the file of --out has, or if none is given the certificate.
func (c *solveCmd) solveList(ctx context.Context, e *env, search solver.Search) (err error) {
	r, err := c.load()
	if err != nil {
		return err
	}
	games, err := c.readList(ctx, e, r)
	if err != nil {
		return err
	}
	var certificate *strategy.Certificate
	if c.Certificate != "" {
		if certificate, err = strategy.ExtendCertificate(c.Certificate, r); err != nil {
			return files.Plain(err)
		}
	}
	out, rest, size := io.Writer(e.out), games, int64(0)
	switch {
	case c.Out != "": // the file says what is done, and the certificate has it
		f, done, n, err := c.openSolutions(games)
		if err != nil {
			return fileError("--out", err)
		}
		defer func() { err = errors.Join(err, asFailure(f.Close())) }()
		out, rest, size = f, games[done:], n
	case certificate != nil:
		games = slices.DeleteFunc(games, func(g *rules.Game) bool { return certificate.Has(g.Position()) })
		rest = games
	}
	write := c.solutionWriter(e, out, size > 0)
	progress := newMeter(e.err, int64(len(games)))
	progress.restart(int64(len(games) - len(rest)))
	solved, results, workers := progress.first, 0, cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	err = search.List(ctx, r, rest, workers, func(s solver.Solution) error {
		if solved++; s.Plies != 0 {
			results++
		}
		progress.step(solved, progress.total, "", fmt.Sprintf("positions solved, %d with a result", results))
		if certificate != nil && s.Strategy != nil {
			if err := certificate.Add(s.Strategy); err != nil {
				return asFailure(err)
			}
		}
		return write(s)
	})
	progress.end()
	if err != nil || certificate == nil {
		return err
	}
	e.err.printf("joining the strategies of the certificate and checking them\n")
	return asFailure(certificate.Join(ctx))
}

// solutionWriter returns what writes a solution; on is whether out has some already.
func (c *solveCmd) solutionWriter(e *env, out io.Writer, on bool) func(solver.Solution) error {
	columns := solutionColumns(c.Format)
	switch c.Format {
	case grid.JSON:
		lines := jsonl.NewWriter(out)
		return func(s solver.Solution) error { return asFailure(lines.Append(grid.ObjectOf(columns, s))) }
	case grid.CSV:
		table := grid.NewWriter(out, c.Format, grid.Options{Rest: on}, columns)
		return func(s solver.Solution) error { return asFailure(table.Write(s)) }
	}
	return func(s solver.Solution) error {
		e.out.printf("%s: ", s.Game.Rules().FormatPosition(s.Game.Position()))
		c.print(e.out, s)
		return nil
	}
}

func (c *solveCmd) readList(ctx context.Context, e *env, r *rules.Rules) ([]*rules.Game, error) {
	list, err := readInput(ctx, e, c.List, schedule.ReadOpenings)
	if err != nil {
		return nil, err
	}
	games := make([]*rules.Game, len(list.Positions))
	for i := range games {
		p, err := list.Parse(r, i)
		if err == nil && r.SettingUp(p) {
			err = fmt.Errorf("%s:%d: expected a position in which all pieces are placed", list.File, list.Lines[i])
		}
		if err != nil {
			return nil, err
		}
		games[i] = rules.NewGame(r, p)
	}
	return games, nil
}

// openSolutions opens the file of --out for more solutions, and returns how many of the games it has, and of what size.
func (c *solveCmd) openSolutions(games []*rules.Game) (f *os.File, done int, size int64, err error) {
	const maxSolution = 64 << 10 // bytes of a line
	begin, header := "{", c.Format == grid.CSV
	if header {
		begin = strings.Join(grid.Make(solutionColumns(c.Format), nil).Keys(), ",")
	}
	f, size, err = jsonl.OpenFile(c.Out, begin, maxSolution, func(line []byte) error {
		switch {
		case header && string(line) == begin:
			header = false
			return nil
		case header:
			return fmt.Errorf("expected %s", begin)
		case done == len(games):
			return errors.New("expected no more solutions than positions of the list")
		}
		g := games[done]
		done++
		if p := g.Rules().FormatPosition(g.Position()); !strings.Contains(string(line), p) {
			return fmt.Errorf("expected the solution of %s", p)
		}
		return nil
	})
	return f, done, size, err
}
