package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"gyges/rules"
)

const (
	maxWorkers = 1024    // of perft
	maxHash    = 1 << 16 // of perft, MiB
)

// perftCmd counts sequences of moves.
type perftCmd struct {
	rulesFlags
	Depth    *int     `placeholder:"N" help:"Number of plies, 0 to 20. With --epd: the deepest count to check."`
	Split    bool     `help:"Print the count under each first move too."`
	EPD      string   `name:"epd" placeholder:"FILE" help:"Check the counts of a file with lines 'POSITION ;D1 n ;D2 n'; - reads standard input."`
	Workers  int      `placeholder:"N" help:"Number of threads; 0, the default, is one for each core."`
	Hash     int      `placeholder:"MB" help:"Hash table, in MiB, with which transpositions are counted once. 0, the default: none, every sequence is generated."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position to count from."`
}

func (perftCmd) Help() string {
	return "Counts the sequences of exactly N plies: a game that ended earlier is not counted, a forced pass is a " +
		"ply. The repetition rule is off unless it is set with --set repetition=…. The last line is 'nodes' and " +
		"the count.\n\nWith --epd the exit code is 1 if any count differs."
}

func (perftCmd) examples() []example {
	return []example{
		{"gyges perft --depth 3 '321123/000000/000000/000000/000000/321123 s'", ""},
		{"gyges perft --depth 4 --hash 256 '321123/000000/000000/000000/000000/321123 s'", ""},
		{"gyges perft --depth 2 --split --rules kang '000000/000000/000000/000000/000000/000000 s 222/222 0-0 -'", ""},
		{"gyges perft --rules simplified --epd counts.epd --depth 3", ""},
	}
}

// Run counts, or checks counts.
func (c *perftCmd) Run(ctx context.Context, e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	var off []string
	if !strings.Contains(c.Rules, "repetition=") { // --set overrides it
		off = append(off, "repetition=none")
	}
	r, err := c.load(off...)
	if err != nil {
		return err
	}
	if o := r.Options(); c.Hash > 0 && o.Repetition != rules.NoRepetition {
		return fmt.Errorf("--hash: expected repetition=none, found %v: with it a count depends on the history",
			o.Repetition)
	}
	if c.EPD != "" {
		return c.checkFile(ctx, e, r)
	}
	p, err := parsePosition(r, c.Position)
	if err != nil {
		return err
	}
	return c.count(ctx, e, r, p)
}

// check returns what is wrong with the flags.
func (c *perftCmd) check() error {
	errs := []error{between("--workers", c.Workers, 0, maxWorkers), between("--hash", c.Hash, 0, maxHash)}
	switch {
	case c.Depth != nil:
		errs = append(errs, between("--depth", *c.Depth, 0, rules.MaxPerftDepth))
	case c.EPD == "":
		errs = append(errs, errors.New("expected --depth N, the number of plies to count"))
	}
	if c.EPD != "" && len(c.Position) > 0 {
		errs = append(errs, errors.New("expected a position or --epd, found both"))
	}
	if c.EPD != "" && c.Split {
		errs = append(errs, errors.New("--split goes with a position, not with --epd"))
	}
	return errors.Join(errs...)
}

// how returns how to count.
func (c *perftCmd) how() rules.PerftConfig {
	return rules.PerftConfig{Workers: cmp.Or(c.Workers, runtime.GOMAXPROCS(0)), Memory: c.Hash << 20}
}

// count prints the count from one position.
func (c *perftCmd) count(ctx context.Context, e *env, r *rules.Rules, p rules.Position) error {
	began := time.Now()
	total, splits, err := rules.Perft(ctx, r, p, *c.Depth, c.how())
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	if c.Split {
		lines := make([]string, len(splits))
		for i, s := range splits {
			lines[i] = fmt.Sprintf("%v %d\n", s.Move, s.Nodes)
		}
		slices.Sort(lines)
		e.out.printf("%s", strings.Join(lines, ""))
	}
	e.out.printf("time %.2f s, %s nodes/s\n", seconds, perSecond(total, seconds))
	e.out.printf("nodes %d\n", total)
	return nil
}

// checkFile compares the counts of a file and prints those that differ.
func (c *perftCmd) checkFile(ctx context.Context, e *env, r *rules.Rules) error {
	f, name, err := openInput(ctx, e.in, c.EPD)
	if err != nil {
		return fileError("--epd", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	lines, err := r.ReadEPD(name, f)
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return fileError("--epd", failed)
	}
	if err != nil {
		return err
	}
	mismatches := 0
	for _, l := range lines {
		for _, want := range l.Counts {
			if c.Depth != nil && want.Depth > *c.Depth {
				continue
			}
			n, _, err := rules.Perft(ctx, r, l.Position, want.Depth, c.how())
			if err != nil {
				return err
			}
			e.log.Debug("perft", "line", l.Line, "depth", want.Depth, "nodes", n)
			if n != want.Nodes {
				mismatches++
				e.out.printf("%s:%d: %s depth %d: expected %d, counted %d\n", name, l.Line, l.Text, want.Depth, want.Nodes, n)
			}
		}
	}
	e.out.printf("%d positions, %d mismatches\n", len(lines), mismatches)
	if mismatches > 0 {
		return errNo
	}
	return nil
}

// perSecond prints a rate with three digits, "140 M".
func perSecond(n uint64, seconds float64) string {
	rate := float64(n) / max(seconds, 1e-9)
	for _, unit := range []string{"", " k", " M"} {
		if rate < 1000 {
			return fmt.Sprintf("%.3g%s", rate, unit)
		}
		rate /= 1000
	}
	return fmt.Sprintf("%.3g G", rate)
}
