package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gyges/agents/eval"
	"gyges/agents/solver"
	"gyges/rules"
)

// solveCmd proves wins and losses.
type solveCmd struct {
	rulesFlags
	Depth    *int           `placeholder:"N" help:"Plies ahead in which a result is sought, 1 to 31, with --proof 1 to 99. Default: 5, with --proof 31."`
	MoveTime *time.Duration `name:"movetime" placeholder:"TIME" help:"Stop after this time for a position, like 10s."`
	Proof    bool           `help:"Search by proof numbers: finds much longer wins, though not the shortest."`
	Nodes    *int           `placeholder:"N" help:"With --proof, positions to evaluate for each side. Default: 1000000."`
	Out      string         `placeholder:"FILE" help:"With --proof, write the winner's strategy: a line 'POSITION ; MOVE' for each position in which it is to move."`
	Check    string         `placeholder:"FILE" help:"Search nothing: play the strategy in FILE against every reply."`
	List     string         `placeholder:"FILE" help:"Solve the positions of a list, one a line; - is the standard input. See gyges openings."`
	Workers  int            `placeholder:"N" help:"With --list, positions at a time; 0, the default, is one for each core."`
	Format   string         `enum:"text,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), csv or json; of a list, json is one object a line."`
	Position []string       `arg:"" optional:"" sep:"none" help:"Position to solve."`
}

func (solveCmd) Help() string {
	return "Proves whether the side to move can force a win within N plies, or can't avoid a loss. The first line is " +
		"'win in 5', 'loss in 4' or 'no forced result within N plies'; the number of plies is the smallest. Then " +
		"follows a line of best moves: the winner plays the shortest win, the loser the longest defence. No " +
		"evaluation is used.\n\nWith --proof the result is 'win within 31' or 'loss within 30', which is no shortest " +
		"one, and the line is the longest that the winner's strategy allows. The evaluation guides the search; the " +
		"strategy is then played through against every reply by the rules alone, as --check does with one from a " +
		"file.\n\nThe exit code is 0 if the search was completed, 1 if it ran out of time or, with --proof, found " +
		"nothing. Without --proof each further ply takes up to thirty times as long."
}

func (solveCmd) examples() []example {
	return []example{
		{"gyges solve '000100/300002/330230/101000/200000/002100 s'", ""},
		{"gyges solve --rules simplified --depth 4 '000023/022001/002000/010330/000300/110000 n'", ""},
		{"gyges solve --depth 9 --movetime 1m --format json '200000/200200/003113/003000/002300/000101 s'", ""},
		{"gyges solve --rules simplified --proof '232113/000000/000000/000000/000000/332211 s'", "a set-up"},
		{"gyges openings --rules simplified --setups | gyges solve --rules simplified --depth 7 --list - --format csv", ""},
	}
}

// defaultProofNodes is the default of --nodes: some seconds.
const defaultProofNodes = 1_000_000

// defaultProofDepth is the default of --depth with --proof: with more, strategies are longer.
const defaultProofDepth = 31

// Run solves the position or those of the list.
func (c *solveCmd) Run(ctx context.Context, e *env) error {
	r, err := c.check()
	if err != nil {
		return err
	}
	if c.List != "" {
		return c.runList(ctx, e, r)
	}
	g, err := parseGame(r, c.Position)
	if err != nil {
		return err
	}
	if c.Check != "" {
		return c.checkStrategy(ctx, e, g)
	}
	guide, err := c.evaluator(r)
	if err != nil {
		return err
	}
	s, err := c.solveTo(ctx, g, c.newSolve(guide))
	if s == nil {
		return err
	}
	if err := s.print(e.out, c.Format); err != nil {
		return err
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil && !s.complete:
		return ctx.Err()
	case !s.complete:
		return errNo
	}
	return nil
}

// solveTo solves a position and writes the strategy to the file of --out, which is opened before the search.
// Without a strategy an earlier file stays. A solution may come with the error of the file.
func (c *solveCmd) solveTo(
	ctx context.Context, g *rules.Game, solve func(context.Context, *rules.Game) (*solution, error),
) (s *solution, err error) {
	if c.Out == "" {
		return solve(ctx, g)
	}
	err = writeFile(ctx, "--out", c.Out, func(w io.Writer) (err error) {
		if s, err = solve(ctx, g); err != nil {
			return err
		}
		if s.win == nil {
			return errNo
		}
		return writeStrategy(w, g.Rules(), s.win.Moves)
	})
	return s, err
}

// check checks the flags and returns the rules.
func (c *solveCmd) check() (*rules.Rules, error) {
	depth, most := 5, solver.MaxDepth
	if c.Proof {
		depth, most = defaultProofDepth, solver.MaxProofDepth
	}
	if c.Depth == nil {
		c.Depth = &depth
	}
	err := errors.Join(between("--depth", *c.Depth, 1, most), positive("--movetime", c.MoveTime))
	refuse := func(given bool, message string) {
		if given {
			err = errors.Join(err, errors.New(message))
		}
	}
	refuse(c.Nodes != nil && !c.Proof, "--nodes: expected --proof, too")
	refuse(c.Out != "" && !c.Proof, "--out: expected --proof, too")
	refuse(c.Check != "" && (c.Proof || c.List != ""), "--check: expected neither --proof nor --list beside it")
	refuse(c.List != "" && len(c.Position) > 0, "--list: expected no position beside it")
	refuse(c.List != "" && c.Out != "", "--out: expected no --list beside it")
	refuse(c.Workers != 0 && c.List == "", "--workers: expected --list, too")
	if c.Nodes == nil {
		c.Nodes = new(defaultProofNodes)
	}
	err = errors.Join(err, between("--nodes", *c.Nodes, 1, 1_000_000_000), between("--workers", c.Workers, 0, 1024))
	r, errRules := c.load()
	return r, errors.Join(err, errRules)
}

// evaluator returns what guides the search with --proof, nil without.
func (c *solveCmd) evaluator(r *rules.Rules) (*eval.Evaluator, error) {
	if !c.Proof {
		return nil, nil
	}
	w, err := eval.Default(eval.Family(r))
	if err != nil {
		return nil, err
	}
	return eval.New(w, r)
}

// newSolve returns a function that solves positions, for one goroutine. Its error is not
// that of a context: then the solution is incomplete.
func (c *solveCmd) newSolve(e *eval.Evaluator) func(context.Context, *rules.Game) (*solution, error) {
	search := c.newSearch()
	if e != nil {
		search = c.newProof(e)
	}
	return func(ctx context.Context, g *rules.Game) (*solution, error) {
		limited := ctx
		if c.MoveTime != nil {
			var cancel context.CancelFunc
			limited, cancel = context.WithTimeout(ctx, *c.MoveTime)
			defer cancel()
		}
		began := time.Now()
		s := &solution{game: g, depth: *c.Depth}
		err := search(limited, s)
		s.seconds = time.Since(began).Seconds()
		if err != nil && limited.Err() == nil {
			return nil, err
		}
		return s, nil
	}
}

// newSearch returns the depth-first search.
func (c *solveCmd) newSearch() func(context.Context, *solution) error {
	search := solver.New(solver.DefaultMegabytes)
	return func(ctx context.Context, s *solution) (err error) {
		s.result, err = search.Solve(ctx, s.game, s.depth, nil)
		s.complete = err == nil
		return err
	}
}

// newProof returns the search by proof numbers.
func (c *solveCmd) newProof(e *eval.Evaluator) func(context.Context, *solution) error {
	prover := solver.NewProver(int64(*c.Nodes))
	return func(ctx context.Context, s *solution) error {
		proof, err := prover.Prove(ctx, s.game, e, s.depth, int64(*c.Nodes))
		s.byProof, s.result.Nodes = true, proof.Nodes
		if s.win = proof.Win; s.win != nil {
			s.complete = true
			s.result.Plies, s.result.Line = s.win.Plies, s.win.Line
			if proof.Winner != s.game.Position().Side() {
				s.result.Plies = -s.win.Plies
			}
		}
		return err
	}
}

// checkStrategy plays a strategy from a file.
func (c *solveCmd) checkStrategy(ctx context.Context, e *env, g *rules.Game) error {
	in, name, err := openInput(ctx, e.in, c.Check)
	if err != nil {
		return plainFileError(err)
	}
	defer func() { _ = in.Close() }() // it was only read
	moves, err := readStrategy(in, name, g.Rules())
	if err != nil {
		return plainFileError(err)
	}
	s := solution{game: g, byProof: true, complete: true}
	strategy := solver.Strategy{Rules: g.Rules(), Winner: g.Position().Side(), Moves: moves}
	for p := range moves {
		strategy.Winner = p.Side()
		break
	}
	win, err := strategy.Check(g.Position())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.win, s.result.Plies, s.result.Line = &win, win.Plies, win.Line
	s.result.Nodes = int64(len(win.Moves))
	if strategy.Winner != g.Position().Side() {
		s.result.Plies = -win.Plies
	}
	return s.print(e.out, c.Format)
}

// writeStrategy writes a strategy, a move a line, in the order of the positions' texts.
func writeStrategy(w io.Writer, r *rules.Rules, moves map[rules.Position]rules.Move) error {
	lines := make([]string, 0, len(moves))
	for p, m := range moves {
		lines = append(lines, fmt.Sprintf("%s ; %v\n", r.FormatPosition(p), m))
	}
	slices.Sort(lines)
	for _, line := range lines {
		if _, err := io.WriteString(w, line); err != nil {
			return asFailure(err)
		}
	}
	return nil
}

// maxStrategyLine bounds a line of a strategy from outside, in bytes.
const maxStrategyLine = 4096

// readStrategy reads what writeStrategy wrote. All positions must be of one side.
func readStrategy(in io.Reader, name string, r *rules.Rules) (map[rules.Position]rules.Move, error) {
	moves := map[rules.Position]rules.Move{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxStrategyLine)
	var side rules.Side
	for n := 1; lines.Scan(); n++ {
		position, text, ok := strings.Cut(lines.Text(), ";")
		if !ok {
			return nil, fmt.Errorf("%s:%d: expected 'POSITION ; MOVE', found %.60q", name, n, lines.Text())
		}
		p, err := r.ParsePosition(strings.TrimSpace(position))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: position %w", name, n, err)
		}
		m, err := r.ParseMove(p, strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: move %w", name, n, err)
		}
		if len(moves) > 0 && p.Side() != side {
			return nil, fmt.Errorf("%s:%d: expected a position with %v to move, as in line 1", name, n, side)
		}
		side, moves[p] = p.Side(), m
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(moves) == 0 {
		return nil, fmt.Errorf("%s: expected lines 'POSITION ; MOVE', found none", name)
	}
	return moves, nil
}
