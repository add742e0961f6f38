package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"gyges/agents/human"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
	"gyges/tournament/web/report"
)

type movesCmd struct {
	rulesFlags
	Long     bool     `help:"Print whole courses, crossed squares in parentheses."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position: rows 1 to 6 from South's left, then who is to move."`
}

func (c *movesCmd) Run(e *env) error {
	r, p, err := c.position(c.Position)
	if err != nil {
		return err
	}
	var ms rules.MoveSet
	r.Moves(p, &ms)
	printSorted(e.out, slices.Collect(ms.All()), func(m rules.Move) string {
		if c.Long {
			return r.LongText(p, m)
		}
		return m.String()
	})
	return nil
}

type perftCmd struct {
	rulesFlags
	Depth    *int     `check:"0..20" placeholder:"N" help:"Number of plies, 0 to 20. With --epd: the deepest count to check."`
	Split    bool     `xor:"epd" help:"Print the count under each first move too."`
	EPD      string   `xor:"epd" name:"epd" placeholder:"FILE" help:"Check the counts of a file with lines 'POSITION ;D1 n ;D2 n'; - reads standard input."`
	Workers  int      `check:"0..1024" placeholder:"N" help:"Number of threads; 0, the default, is one for each core."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position to count from."`
}

func (c *perftCmd) Run(ctx context.Context, e *env) error {
	switch {
	case c.Depth == nil && c.EPD == "":
		return errors.New("expected --depth N, the number of plies to count")
	case c.EPD != "" && len(c.Position) > 0:
		return errors.New("--epd can't be combined with a position")
	}
	if !strings.Contains(c.Rules, "repetition=") { // --set overrides it
		c.Set = append([]string{"repetition=none"}, c.Set...)
	}
	c.Workers = cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	if c.EPD != "" {
		return c.checkFile(ctx, e)
	}
	r, p, err := c.position(c.Position)
	if err != nil {
		return err
	}
	began := time.Now()
	total, splits, err := rules.Perft(ctx, r, p, *c.Depth, c.Workers)
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	if c.Split {
		printSorted(e.out, splits, func(s rules.Split) string { return fmt.Sprintf("%v %d", s.Move, s.Nodes) })
	}
	e.out.printf("time %.2f s, %s nodes/s\nnodes %d\n", seconds, perSecond(total, seconds), total)
	return nil
}

func printSorted[T any](out *output, list []T, line func(T) string) {
	lines := lists.Map(list, func(x T) string { return line(x) + "\n" })
	slices.Sort(lines)
	out.printf("%s", strings.Join(lines, ""))
}

func (c *perftCmd) checkFile(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	const maxLine, maxLines = 4096, 1_000_000 // bytes of a line, and their number
	var places []string                       // file and line of each
	list, err := readInput(ctx, e, c.EPD, func(in io.Reader, name string) (list []rules.EPD, err error) {
		err = files.Lines(in, name, maxLine, maxLines, func(n int, line string) error {
			counted, err := r.ParseEPD(line)
			list, places = append(list, counted), append(places, fmt.Sprintf("%s:%d", name, n))
			return err
		})
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%s: expected lines 'POSITION ;D1 n', found none", name)
		}
		return list, err
	})
	if err != nil {
		return err
	}
	mismatches := 0
	for i, l := range list {
		for _, want := range l.Counts {
			if c.Depth != nil && want.Depth > *c.Depth {
				continue
			}
			n, _, err := rules.Perft(ctx, r, l.Position, want.Depth, c.Workers)
			if err != nil {
				return err
			}
			if n != want.Nodes {
				mismatches++
				e.out.printf("%s: %s depth %d: expected %d, counted %d\n", places[i], l.Text, want.Depth, want.Nodes, n)
			}
		}
	}
	e.out.printf("%d positions, %d mismatches\n", len(list), mismatches)
	return answer(mismatches == 0)
}

// perSecond prints a rate.
func perSecond(n uint64, s float64) string { return textfmt.Digits(float64(n) / max(s, 1e-9)) }

type diagramCmd struct {
	rulesFlags
	Format   string   `enum:",text,svg" default:"" placeholder:"FORMAT" help:"Output: text or svg. Default: the one that the name of --out ends in, as in board.svg; else text."`
	Out      string   `short:"o" placeholder:"FILE" help:"File to write; one that is there is replaced. Default: the standard output."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position, and the move made in it, if one is to be shown, in short or long notation."`
}

func (c *diagramCmd) Run(e *env) error {
	words, move := c.words()
	r, p, err := c.position(words)
	if err != nil {
		return err
	}
	m, course := rules.NoMove, []rules.Step(nil)
	if move != "" {
		if m, course, err = r.ParseCourse(p, move); err != nil {
			return fmt.Errorf("move %w", err)
		}
		if err := rules.NewGame(r, p).Check(m); err != nil {
			return fmt.Errorf("move: %w", err)
		}
	}
	if c.Format, err = formatOf(c.Format, "--out", c.Out, "text", "svg"); err != nil {
		return err
	}
	_, err = writeOut(e, c.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, c.draw(r, p, m, course))
		return err
	})
	return err
}

// words returns the words of the position and the move, "" if there is none. A position may be one word, quoted, or
// several: none of them after the board holds a letter but s and n.
func (c *diagramCmd) words() (position []string, move string) {
	last := len(c.Position) - 1
	if last > 0 && (strings.Contains(c.Position[0], " ") || strings.Trim(c.Position[last], "0123456789/-sn") != "") {
		return c.Position[:last], c.Position[last]
	}
	return c.Position, ""
}

func (c *diagramCmd) draw(r *rules.Rules, p rules.Position, m rules.Move, course []rules.Step) string {
	switch {
	case c.Format == "svg":
		return report.Board(r, p, m, course).StandaloneSVG()
	case m == rules.NoMove:
		return human.Board(r, p, m, course)
	default:
		return human.Board(r, r.Apply(p, m), m, course) + "\n" + m.LongText(course) + "\n"
	}
}
