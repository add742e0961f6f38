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
	"gyges/tournament/web/report"
)

// movesCmd lists the legal moves in a position.
type movesCmd struct {
	rulesFlags
	Long     bool     `help:"Print whole courses, crossed squares in parentheses."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position: rows 1 to 6 from South's left, then who is to move."`
}

// Run prints the moves in short or long notation, in the order of their texts.
func (c *movesCmd) Run(e *env) error {
	r, p, err := c.position(c.Position)
	if err != nil {
		return err
	}
	// The set has each move once, in an order of its own.
	var moves rules.MoveSet
	r.Moves(p, &moves)
	var lines []string
	for m := range moves.All() {
		text := m.String()
		if c.Long {
			text = r.LongText(p, m)
		}
		lines = append(lines, text+"\n")
	}
	printSorted(e.out, lines)
	return nil
}

// printSorted prints lines in the order of their texts.
func printSorted(out *output, lines []string) {
	slices.Sort(lines)
	out.print(strings.Join(lines, ""))
}

// perftCmd counts the sequences of moves from a position, or checks the counts of a file.
type perftCmd struct {
	rulesFlags
	Depth    *int     `check:"0..20" placeholder:"N" help:"Number of plies, 0 to 20. With --epd: the deepest count to check."`
	Split    bool     `xor:"epd" help:"Print the count under each first move too."`
	EPD      string   `xor:"epd" name:"epd" placeholder:"FILE" help:"Check the counts of a file with lines 'POSITION ;D1 n ;D2 n'; - reads standard input."`
	Workers  int      `check:"0..1024" placeholder:"N" help:"Number of threads; 0, the default, is one for each core."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position to count from."`
}

// Run counts from one position. Repetitions are not looked for unless a rule set asks for it, since
// counts are published without.
func (c *perftCmd) Run(ctx context.Context, e *env) error {
	if c.Depth == nil && c.EPD == "" {
		return errors.New("expected --depth N, the number of plies to count")
	}
	if c.EPD != "" && len(c.Position) > 0 {
		return errors.New("--epd can't be combined with a position")
	}
	// A position says nothing of those before it.
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
	// The speed is of all threads together.
	began := time.Now()
	total, splits, err := rules.Perft(ctx, r, p, *c.Depth, c.Workers)
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	if c.Split {
		var lines []string
		for _, s := range splits {
			lines = append(lines, fmt.Sprintf("%v %d\n", s.Move, s.Nodes))
		}
		printSorted(e.out, lines)
	}
	e.out.printf("time %.2f s, %s nodes/s\nnodes %d\n",
		seconds, perSecond(int64(total), seconds), total)
	return nil
}

// countedPosition is a line of a file of positions with their counts.
type countedPosition struct {
	rules.EPD
	place string // file and line
}

// checkFile counts from the positions of a file, and compares with the counts in it.
func (c *perftCmd) checkFile(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	// All lines are read before anything is counted, so that a mistake in the last one is found
	// at once.
	in, name, err := openInput(ctx, e, c.EPD)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	list, err := readEPD(in, name, r)
	if err != nil {
		return err
	}
	// Counts beyond --depth would take too long, so they are not checked.
	mismatches := 0
	for _, l := range list {
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
				e.out.printf("%s: %s depth %d: expected %d, counted %d\n",
					l.place, l.Text, want.Depth, want.Nodes, n)
			}
		}
	}
	e.out.printf("%d positions, %d mismatches\n", len(list), mismatches)
	return answer(mismatches == 0)
}

// readEPD reads the positions of a file with their counts.
func readEPD(in io.Reader, name string, r *rules.Rules) (list []countedPosition, err error) {
	const maxLine, maxLines = 4096, 1_000_000 // bytes of a line, and their number
	err = files.Lines(in, name, maxLine, maxLines, func(n int, line string) error {
		epd, err := r.ParseEPD(line)
		list = append(list, countedPosition{epd, fmt.Sprintf("%s:%d", name, n)})
		return err
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: expected lines 'POSITION ;D1 n', found none", name)
	}
	return list, err
}

// diagramCmd draws a position and a move in it, as text or SVG.
type diagramCmd struct {
	rulesFlags
	Format   string   `enum:",text,svg" default:"" placeholder:"FORMAT" help:"Output: text or svg. Default: the one that the name of --out ends in, as in board.svg; else text."`
	Out      string   `short:"o" placeholder:"FILE" help:"File to write; one that is there is replaced. Default: the standard output."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position, and the move made in it, if one is to be shown, in short or long notation."`
}

// Run draws the position after the move in text, and before it with the course of the move in SVG.
func (c *diagramCmd) Run(e *env) error {
	words, move := c.words()
	r, p, err := c.position(words)
	if err != nil {
		return err
	}
	// The course is the way of the piece, which a short notation may leave open.
	m, course := rules.NoMove, []rules.Step(nil)
	if move != "" {
		m, course, err = r.ParseCourse(p, move)
		if err != nil {
			return fmt.Errorf("move %w", err)
		}
		if err := rules.NewGame(r, p).Check(m); err != nil {
			return fmt.Errorf("move: %w", err)
		}
	}
	// The drawing is made before the file, which an error leaves as it was.
	format, err := formatOf(c.Format, "--out", c.Out, "text", "svg")
	if err != nil {
		return err
	}
	text := ""
	if format == "svg" {
		text = report.Board(r, p, m, course).StandaloneSVG()
	} else if m == rules.NoMove {
		text = human.Board(r, p, m, course)
	} else {
		after := r.Apply(p, m)
		text = human.Board(r, after, m, course) + "\n" + m.LongText(course) + "\n"
	}
	_, err = writeOut(e, c.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	return err
}

// words returns the words of the position and the move, "" if there is none. A position may be one
// word, quoted, or several: none of them after the board holds a letter but s and n.
func (c *diagramCmd) words() (position []string, move string) {
	last := len(c.Position) - 1
	if last <= 0 {
		return c.Position, ""
	}
	quoted := strings.Contains(c.Position[0], " ")
	if quoted || strings.Trim(c.Position[last], "0123456789/-sn") != "" {
		return c.Position[:last], c.Position[last]
	}
	return c.Position, ""
}
