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

// solveCmd proves wins and losses: by a search of all moves to a depth, or by proof numbers. It
// solves one position, or a list whose solutions are written one by one.
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

// Run solves one position, or passes a list on. A search that was stopped is answered with a no.
func (c *solveCmd) Run(ctx context.Context, e *env) error {
	search, err := c.search()
	if err != nil {
		return err
	}
	if c.List != "" {
		return c.solveList(ctx, e, search)
	}
	// One position is solved here, those of a list by workers.
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
	columns := solutionColumns(c.Format)
	switch c.Format {
	case grid.Text:
		c.print(e.out, s)
	case grid.JSON:
		err = grid.WriteJSON(e.out, grid.ObjectOf(columns, s))
	default:
		printTable(e.out, grid.Make(columns, []solver.Solution{s}), c.Format, 0)
	}
	// The solution so far has been printed; the exit code says that it isn't complete.
	if err != nil || s.Complete {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errNo
}

// search returns the search that the flags ask for.
func (c *solveCmd) search() (s solver.Search, err error) {
	s = solver.Search{MoveTime: c.MoveTime, Megabytes: c.Hash}
	depth, most := 5, solver.MaxDepth
	if c.Proof {
		depth, most = defaultProofDepth, proofnumber.MaxDepth
		s.Nodes = cmp.Or(c.Nodes, defaultProofNodes)
	}
	if c.Depth == nil {
		c.Depth = &depth
	}
	s.Depth = *c.Depth
	// Flags that have no effect with the others are refused.
	list := c.List != ""
	table := list && c.Format != grid.Text
	deep := 1 <= s.Depth && s.Depth <= most
	var p problems.List
	p.Expect(deep, "--depth", "expected a number from 1 to %d, found %d", most, s.Depth)
	p.Require(c.Nodes == 0 || c.Proof, "--nodes needs --proof")
	p.Require(c.Out == "" || table, "--out needs --list and --format csv or json")
	p.Require(c.Certificate == "" || list && c.Proof, "--certificate needs --proof and --list")
	p.Require(!list || len(c.Position) == 0, "--list can't be combined with a position")
	p.Require(c.Hash == 0 || c.Proof, "--hash needs --proof")
	p.Require(c.Workers == 0 || list, "--workers needs --list")
	return s, p.Err()
}

// print prints a solution for people.
func (c *solveCmd) print(out *output, s solver.Solution) {
	// Proof numbers prove a win, not the shortest one.
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
	// The line that was found, a move a line.
	r, p := s.Game.Rules(), s.Game.Position()
	for i, text := range analysis.LongLine(s.Game, s.Line) {
		out.printf("%3d. %-5v  %s\n", i+1, p.Side(), text)
		p = r.Apply(p, s.Line[i])
	}
	if s.Strategy != nil {
		out.printf("strategy of %d moves, played against every reply\n", s.Strategy.Len())
	}
	out.printf("nodes %d, time %.2f s\n", s.Nodes, s.Seconds)
}

// solutionColumns returns the columns of solutions for programs.
func solutionColumns(f grid.Format) []grid.Column[solver.Solution] {
	type row = solver.Solution
	// CSV has the first move of the line, JSON all of it.
	last := grid.Column[row]{Key: "move", Value: func(s row) any {
		if len(s.Line) == 0 {
			return ""
		}
		return s.Line[0].String()
	}}
	if f == grid.JSON {
		last = grid.Column[row]{Key: "line", Value: func(s row) any {
			return analysis.LongLine(s.Game, s.Line)
		}}
	}
	return []grid.Column[row]{
		{Key: "rules", Value: func(s row) any { return s.Game.Rules().String() }},
		{Key: "position", Value: func(s row) any { return positionOf(s.Game) }},
		{Key: "result", Value: func(s row) any { // of the side to move
			switch {
			case s.Plies > 0:
				return "win"
			case s.Plies < 0:
				return "loss"
			}
			return "none"
		}},
		// Plies to the goal; by proof numbers at most.
		{Key: "plies", Value: func(s row) any { return max(s.Plies, -s.Plies) }},
		// Plies searched completely; 0 by proof numbers.
		{Key: "depth", Value: func(s row) any { return s.Depth }},
		{Key: "complete", Value: func(s row) any { return s.Complete }},
		{Key: "strategy", Value: func(s row) any { // moves of the winner's, by proof numbers
			if s.Strategy == nil {
				return 0
			}
			return s.Strategy.Len()
		}},
		{Key: "nodes", Value: func(s row) any { return s.Nodes }},
		{Key: "seconds", Value: func(s row) any { return s.Seconds }},
		last,
	}
}

// positionOf returns the text of a game's position.
func positionOf(g *rules.Game) string { return g.Rules().FormatPosition(g.Position()) }

// solveList solves the positions of a list and prints their solutions in its order as soon as they
// are there. Positions are not solved again whose solutions the file of --out has or, if no file is
// given, the certificate: so a run that was stopped goes on with the same command.
func (c *solveCmd) solveList(ctx context.Context, e *env, search solver.Search) (err error) {
	r, err := c.load()
	if err != nil {
		return err
	}
	games, err := c.readList(ctx, e, r)
	if err != nil {
		return err
	}
	// A certificate holds a strategy for each win, which other programs can check.
	var certificate *strategy.Certificate // nil: none is made
	if c.Certificate != "" {
		certificate, err = strategy.ExtendCertificate(c.Certificate, r)
		if err != nil {
			return files.Plain(err)
		}
	}
	out, solved, goesOn := io.Writer(e.out), 0, false
	if c.Out != "" { // the file says what is done, and the certificate has it
		f, done, size, errOpen := c.openSolutions(games)
		if errOpen != nil {
			return fileError("--out", errOpen)
		}
		defer func() { err = errors.Join(err, asFailure(f.Close())) }()
		out, solved, goesOn = f, done, size > 0
	} else if certificate != nil {
		games = slices.DeleteFunc(games, func(g *rules.Game) bool {
			return certificate.Has(g.Position())
		})
	}
	columns := solutionColumns(c.Format)
	lines := jsonl.NewWriter(out)
	table := grid.NewWriter(out, c.Format, grid.Options{Rest: goesOn}, columns)
	// The bar begins where an earlier run has stopped.
	m := newMeter(e, int64(len(games)))
	m.restart(int64(solved))
	// Solutions come in the order of the list. The certificate has each before the file does,
	// so that a run that was killed loses none.
	results, workers := 0, cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	err = search.List(ctx, r, games[solved:], workers, func(s solver.Solution) error {
		solved++
		if s.Plies != 0 {
			results++
		}
		m.step(int64(solved), m.total, "",
			fmt.Sprintf("positions solved, %d with a result", results))
		if certificate != nil && s.Strategy != nil {
			if err := certificate.Add(s.Strategy); err != nil {
				return asFailure(err)
			}
		}
		switch c.Format {
		case grid.JSON:
			return asFailure(lines.Append(grid.ObjectOf(columns, s)))
		case grid.CSV:
			return asFailure(table.Write(s))
		}
		e.out.printf("%s: ", positionOf(s.Game))
		c.print(e.out, s)
		return nil
	})
	m.end()
	if err != nil || certificate == nil {
		return err
	}
	e.err.printf("joining the strategies of the certificate and checking them\n")
	return asFailure(certificate.Join(ctx))
}

// readList reads the positions of --list.
func (c *solveCmd) readList(ctx context.Context, e *env, r *rules.Rules) ([]*rules.Game, error) {
	list, err := readInput(ctx, e, c.List, schedule.ReadOpenings)
	if err != nil {
		return nil, err
	}
	// All positions are checked before the first one is solved.
	games := make([]*rules.Game, len(list.Positions))
	for i := range games {
		p, err := list.Parse(r, i)
		if err != nil {
			return nil, err
		}
		if r.SettingUp(p) {
			return nil, fmt.Errorf("%s:%d: expected a position in which all pieces are placed",
				list.File, list.Lines[i])
		}
		games[i] = rules.NewGame(r, p)
	}
	return games, nil
}

// openSolutions opens the file of --out for more solutions, and returns how many of the games it
// has, and of what size.
func (c *solveCmd) openSolutions(games []*rules.Game) (
	f *os.File, done int, size int64, err error,
) {
	const maxSolution = 64 << 10 // bytes of a line
	// The solutions are those of the first games, in their order; anything else is another file.
	begin, header := "{", c.Format == grid.CSV
	if header {
		begin = strings.Join(grid.Make(solutionColumns(c.Format), nil).Keys(), ",")
	}
	f, size, err = jsonl.OpenFile(c.Out, begin, maxSolution, func(line []byte) error {
		if header {
			header = false
			if string(line) != begin {
				return fmt.Errorf("expected %s", begin)
			}
			return nil
		}
		if done == len(games) {
			return errors.New("expected no more solutions than positions of the list")
		}
		position := positionOf(games[done])
		done++
		if !strings.Contains(string(line), position) {
			return fmt.Errorf("expected the solution of %s", position)
		}
		return nil
	})
	return f, done, size, err
}
