package review

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

var moveColumns = []grid.Column[*Move]{
	{Title: "Ply", Value: func(m *Move) any {
		if m.Ply == 0 {
			return nil
		}
		return m.Ply
	}},
	{Title: "Side", Left: true, Value: func(m *Move) any { return m.Side }},
	{Title: "Move", Left: true, Value: func(m *Move) any { return shortMove(m.Move) }},
	{Title: "Mark", Left: true, Value: func(m *Move) any { return string(m.Mark) }},
	{Title: "Before", Value: func(m *Move) any { return m.percent(m.Before) }},
	{Title: "After", Value: func(m *Move) any { return m.percent(m.After) }},
	{Title: "Loss", Value: func(m *Move) any {
		if len(m.Line) == 0 {
			return nil
		}
		return m.percent(m.Loss)
	}},
	{Title: "Better", Left: true, Value: func(m *Move) any {
		if len(m.Line) == 0 {
			return nil
		}
		return shortMove(m.Line[0])
	}},
	{Title: "Score", Left: true, Value: func(m *Move) any {
		if !m.Judged() {
			return nil
		}
		return m.Best.Text()
	}},
}

func (m *Move) percent(share float64) any {
	if m.Mark == Placement || m.Mark == Repetition {
		return nil
	}
	return inPercent(share)
}

func inPercent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func shortMove(long string) string {
	first, last := strings.IndexAny(long, "-x"), strings.LastIndexAny(long, "-x")
	if first < 0 || strings.HasSuffix(long, "-") {
		return long
	}
	return long[:first] + long[last:]
}

// WriteText writes the review for people, in lines of at most width columns.
func (g *Review) WriteText(w io.Writer, width int) error {
	result := fmt.Sprintf("%s after ply %d", g.Result, g.Plies)
	if g.Fault {
		result += ", by a fault"
	}
	names := agents.NamesOf([]string{g.South, g.North})
	var b strings.Builder
	fmt.Fprintf(&b, "Game   %d\n%s%sRules  %s\nResult %s\n\n", g.Game,
		textfmt.Hang("South  ", textfmt.Escape(names.Of(g.South))+": "+g.SouthMoves.text(), width),
		textfmt.Hang("North  ", textfmt.Escape(names.Of(g.North))+": "+g.NorthMoves.text(), width),
		textfmt.Escape(g.Rules), result)
	moves, notes := make([]*Move, len(g.Moves)), ""
	for i := range g.Moves {
		m := &g.Moves[i]
		moves[i] = m
		if slices.Contains(g.Turning, m.Ply) {
			notes += fmt.Sprintf("\nTurning point: ply %d, %s %s (%s, %s to %s). Better: %s", m.Ply, m.Side, m.Move,
				m.Kind.Text(), inPercent(m.Before), inPercent(m.After), strings.Join(m.Line, " "))
		}
	}
	err := grid.Make(moveColumns, moves).Write(&b, grid.Text, grid.Options{Width: width})
	if notes != "" {
		b.WriteString(notes + "\n")
	}
	_, errWrite := io.WriteString(w, textfmt.Fit(b.String(), width))
	return cmp.Or(err, errWrite)
}

func (t *Tally) text() string {
	if t.Judged == 0 {
		return "no move was a choice"
	}
	text := fmt.Sprintf("accuracy index %.1f", t.Accuracy)
	nouns := []string{"inaccuracies", "mistakes", "blunders", "missed wins"}
	for i, n := range []int{t.Inaccuracies, t.Mistakes, t.Blunders, t.MissedWins} {
		if n > 0 {
			text += fmt.Sprintf(", %s %d", nouns[i], n)
		}
	}
	return text
}

// WriteText writes the summaries for people, in lines of at most width columns. nodes are those of the searches;
// name returns what to call an agent, by its spec.
func (s Summaries) WriteText(w io.Writer, nodes int64, width int, name func(agent string) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s reviewed with %s nodes a move\n", textfmt.Plural(s.Games(), "game"), textfmt.Thousands(nodes))
	for _, summary := range s {
		fmt.Fprintf(&b, "\nRules %s\n", textfmt.Escape(summary.Rules))
		for _, table := range summary.Tables(name) {
			if len(table.Rows) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n%s:\n\n", table.Title)
			if err := table.Write(&b, grid.Text, grid.Options{Width: width, Fold: 1}); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, textfmt.Fit(b.String(), width))
	return err
}
