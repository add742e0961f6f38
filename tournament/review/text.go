package review

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// Reviews and summaries for people.

// moveTable is the table of a review's moves.
func moveTable(moves []Move) *grid.Table {
	t := grid.New("", 0,
		"Ply", "Side", "Move", "Mark", "Before", "After", "Loss", "Better", "Score")
	for _, words := range []int{1, 2, 3, 7, 8} { // the others are numbers
		t.Columns[words].Left = true
	}
	for _, m := range moves {
		var ply, before, after, loss, better, score any // nil is an empty cell
		if m.Ply > 0 {
			ply = m.Ply
		}
		hasLine := len(m.Line) > 0
		if hasLine {
			better = shortMove(m.Line[0])
		}
		switch m.Mark {
		case Placement, Repetition: // they were not searched
		default:
			before = inPercent(m.Before)
			after = inPercent(m.After)
			if hasLine {
				loss = inPercent(m.Loss)
			}
		}
		if m.Judged() {
			score = m.Best.Text()
		}
		move, mark := shortMove(m.Move), string(m.Mark)
		t.Add(ply, m.Side, move, mark, before, after, loss, better, score)
	}
	return t
}

// inPercent returns a share for people.
func inPercent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// shortMove returns a move in long notation without the course between its first
// and its last square.
func shortMove(long string) string {
	first := strings.IndexAny(long, "-x")
	last := strings.LastIndexAny(long, "-x")
	if first < 0 || strings.HasSuffix(long, "-") {
		return long
	}
	return long[:first] + long[last:]
}

// WriteText writes the review for people, in lines of at most width columns.
func (g *Review) WriteText(w io.Writer, width int) error {
	var b strings.Builder
	names := agents.NamesOf([]string{g.South, g.North})
	fmt.Fprintf(&b, "Game   %d\n", g.Game)
	south := textfmt.Escape(names.Of(g.South)) + ": " + g.SouthMoves.text()
	b.WriteString(textfmt.Hang("South  ", south, width))
	north := textfmt.Escape(names.Of(g.North)) + ": " + g.NorthMoves.text()
	b.WriteString(textfmt.Hang("North  ", north, width))
	fmt.Fprintf(&b, "Rules  %s\n", textfmt.Escape(g.Rules))
	fmt.Fprintf(&b, "Result %s after ply %d", g.Result, g.Plies)
	if g.Fault {
		b.WriteString(", by a fault")
	}
	b.WriteString("\n\n")

	// The moves, and the mistakes that turned the game.
	table := moveTable(g.Moves)
	if err := table.Write(&b, grid.Text, grid.Options{Width: width}); err != nil {
		return err
	}

	if len(g.Turning) > 0 {
		b.WriteString("\n")
	}
	for _, m := range g.Moves {
		if slices.Contains(g.Turning, m.Ply) {
			fmt.Fprintf(&b, "Turning point: ply %d, %s %s ", m.Ply, m.Side, m.Move)
			fmt.Fprintf(&b, "(%s, %s to %s). ",
				m.Kind.Text(), inPercent(m.Before), inPercent(m.After))
			fmt.Fprintf(&b, "Better: %s\n", strings.Join(m.Line, " "))
		}
	}
	_, err := io.WriteString(w, textfmt.Fit(b.String(), width))
	return err
}

// text returns how many moves of each mark there are, but for good ones.
func (t *Tally) text() string {
	if t.Judged == 0 {
		return "no move was a choice"
	}
	text := fmt.Sprintf("accuracy index %.1f", t.Accuracy)
	for _, count := range []struct {
		noun string
		n    int
	}{
		{"inaccuracies", t.Inaccuracies},
		{"mistakes", t.Mistakes},
		{"blunders", t.Blunders},
		{"missed wins", t.MissedWins},
	} {
		if count.n > 0 {
			text += fmt.Sprintf(", %s %d", count.noun, count.n)
		}
	}
	return text
}

// WriteText writes the summaries for people, in lines of at most width columns. nodes is the bound
// of each search, and name returns what to call an agent, by its spec.
func (s Summaries) WriteText(
	w io.Writer, nodes int64, width int, name func(agent string) string,
) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s reviewed with %s nodes a move\n",
		textfmt.Plural(s.Games(), "game"), textfmt.Thousands(nodes))
	for _, summary := range s {
		fmt.Fprintf(&b, "\nRules %s\n", textfmt.Escape(summary.Rules))
		for _, table := range summary.Tables(name) {
			if len(table.Rows) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n%s:\n\n", table.Title)
			options := grid.Options{Width: width, Fold: 1}
			if err := table.Write(&b, grid.Text, options); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, textfmt.Fit(b.String(), width))
	return err
}
