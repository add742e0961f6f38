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

	"gyges/agents/solver"
	"gyges/agents/solver/strategy"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/jsonl"
	"gyges/tournament/schedule"
)

// solveList solves the positions of a list, and prints their solutions in its order as soon
// as they are there. What is stopped has printed those before. Positions whose solutions the file of --out
// has are left out, without it those of the certificate.
func (c *solveCmd) solveList(ctx context.Context, e *env, r *rules.Rules, search solver.Search) (err error) {
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
	out, rest := io.Writer(e.out), games
	switch {
	case c.Out != "": // the file says what is done, and the certificate has it
		f, done, err := c.openSolutions(games)
		if err != nil {
			return fileError("--out", err)
		}
		defer func() { err = errors.Join(err, asFailure(f.Close())) }()
		out, rest = f, games[done:]
	case certificate != nil:
		games = slices.DeleteFunc(games, func(g *rules.Game) bool { return certificate.Has(g.Position()) })
		rest = games
	}
	write := c.solutionWriter(e, out, len(rest) < len(games))
	err = c.solveGames(ctx, e, search, rest, len(games), func(s solver.Solution) error {
		if certificate != nil && s.Strategy != nil {
			if err := certificate.Add(s.Strategy); err != nil {
				return asFailure(err)
			}
		}
		return write(s)
	})
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

// readList reads the positions of --list.
func (c *solveCmd) readList(ctx context.Context, e *env, r *rules.Rules) ([]*rules.Game, error) {
	list, err := readInput(ctx, e, c.List, schedule.ReadOpenings)
	if err != nil {
		return nil, err
	}
	games := make([]*rules.Game, len(list.Positions))
	for i := range games {
		p, err := list.Parse(r, i)
		if err == nil && r.SettingUp(p) {
			err = fmt.Errorf("%s: position %d: expected one in which all pieces are placed", list.File, i+1)
		}
		if err != nil {
			return nil, err
		}
		games[i] = rules.NewGame(r, p)
	}
	return games, nil
}

// maxSolution bounds a line of a file of solutions, in bytes.
const maxSolution = 64 << 10

// openSolutions opens the file of --out for more solutions, and returns how many of the games it has.
func (c *solveCmd) openSolutions(games []*rules.Game) (f *os.File, done int, err error) {
	if err := files.Regular(c.Out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, 0, err
	}
	if f, err = os.OpenFile(c.Out, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, 0, err
	}
	begin := "{"
	if c.Format == grid.CSV {
		begin = strings.Join(grid.Make(solutionColumns(c.Format), nil).Keys(), ",")
	}
	if err = errors.Join(files.Lock(f), beginsWith(f, begin)); err == nil {
		header := c.Format == grid.CSV
		_, err = jsonl.Read(f, c.Out, maxSolution, func(line []byte) error {
			switch {
			case header:
				header = false
				if string(line) != begin {
					return fmt.Errorf("expected %s", begin)
				}
				return nil
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
	}
	if err == nil && done == 0 {
		err = f.Truncate(0) // the names come again
	}
	if err == nil {
		_, err = jsonl.CutTorn(f, maxSolution)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, done, nil
}

// beginsWith returns an error unless a file is empty or begins with a text, as far as it goes: what is no file of
// solutions is not cut.
func beginsWith(f *os.File, text string) error {
	found := make([]byte, len(text))
	n, err := f.ReadAt(found, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !strings.HasPrefix(text, string(found[:n])) {
		return fmt.Errorf("%s: expected solutions or an empty file, found %.60q", f.Name(), found[:n])
	}
	return nil
}

// solveGames solves the last ones of all games, and calls each with their solutions.
func (c *solveCmd) solveGames(
	ctx context.Context, e *env, search solver.Search, games []*rules.Game, all int, each func(solver.Solution) error,
) error {
	if len(games) == 0 {
		return nil
	}
	progress := newMeter(e.err, int64(all))
	progress.restart(int64(all - len(games)))
	defer progress.end()
	solved, results := progress.first, 0
	workers := cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	return search.List(ctx, games[0].Rules(), games, workers, func(s solver.Solution) error {
		if solved++; s.Plies != 0 {
			results++
		}
		progress.step(solved, progress.total, "", fmt.Sprintf("positions solved, %d with a result", results))
		return each(s)
	})
}
