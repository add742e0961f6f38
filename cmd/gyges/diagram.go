package main

import (
	"fmt"
	"io"
	"strings"

	"gyges/agents/human"
	"gyges/rules"
	"gyges/tournament/report"
)

type diagramCmd struct {
	rulesFlags
	Format   string   `enum:",text,svg" default:"" placeholder:"FORMAT" help:"Output: text or svg. Default: the one that the name of --out ends in, as in board.svg; else text."`
	Out      string   `short:"o" placeholder:"FILE" help:"File to write; one that is there is replaced. Default: the standard output."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position, and the move made in it, if one is to be shown, in short or long notation."`
}

// Run draws the position.
func (c *diagramCmd) Run(e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	words, move := c.words()
	p, err := parsePosition(r, words)
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

// draw returns the picture.
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
