package main

import (
	"fmt"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/report"
	"gyges/tournament/review"
)

// print prints the reviews.
func (c *reviewCmd) print(e *env, all []reviewedSource) error {
	var games []*review.Game
	for _, s := range all {
		games = append(games, s.reviews...)
	}
	switch {
	case c.Format == "html":
		return asFailure(report.WriteHTML(e.out, c.page(all, games)))
	case c.Format == "jsonl":
		for _, g := range games {
			if err := writeJSONLine(e.out, g); err != nil {
				return asFailure(err)
			}
		}
		return nil
	case c.Format == "json" && len(games) == 1:
		return asFailure(writeJSON(e.out, games[0]))
	case len(games) == 1:
		return printReview(e.out, games[0])
	}
	var summaries review.Summaries
	for _, g := range games {
		summaries.Add(0, g)
	}
	if c.Format == "json" {
		return asFailure(writeJSON(e.out, newSummaryJSON(summaries, c.Nodes)))
	}
	return c.printSummary(e.out, summaries)
}

// page returns a page that replays the games.
func (c *reviewCmd) page(all []reviewedSource, games []*review.Game) *report.Page {
	names, input := new(playerNames), report.Input{Labels: map[string]string{}, Program: version()}
	plies := 0
	for _, g := range games {
		for _, agent := range []string{g.South, g.North} {
			input.Labels[agent] = names.name(agent)
		}
		plies += len(g.Moves)
	}
	input.Title = "Reviews of " + listed(c.Sources)
	if len(games) == 1 {
		input.Title = names.name(games[0].South) + " – " + names.name(games[0].North)
	}
	collector := report.NewCollector(report.Options{Games: plies}) // enough for all
	for _, s := range all {
		about := report.ReadRun(s.name)
		about.Reviews = report.Reviews{Nodes: c.Nodes, Games: s.reviews}
		collector.AddRun(about)
		for _, g := range s.records {
			collector.Add(g)
		}
	}
	return report.BuildReviews(collector, input)
}

// printReview prints the review of a game.
func printReview(w *output, g *review.Game) error {
	w.printf("Game   %d\n", g.Game)
	for i, agent := range []string{g.South, g.North} {
		tally := []review.Tally{g.SouthMoves, g.NorthMoves}[i]
		hanging(w, []string{"South  ", "North  "}[i], textfmt.Escape(agents.LabelOf(agent))+": "+tallyText(&tally))
	}
	result := fmt.Sprintf("%s after ply %d", g.Result, g.Plies)
	if g.Fault {
		result += ", by a fault"
	}
	w.printf("Rules  %s\nResult %s\n\n", textfmt.Escape(g.Rules), result)
	t := grid.Grid{
		Header: []string{"Ply", "Side", "Move", "Mark", "Before", "After", "Loss", "Better", "Score"},
		Left:   map[int]bool{1: true, 2: true, 3: true, 7: true, 8: true},
	}
	for i := range g.Moves {
		t.Add(reviewedMove(&g.Moves[i])...)
	}
	if err := printTable(w, &t, false); err != nil {
		return err
	}
	for _, text := range reviewNotes(g) {
		hanging(w, "", text)
	}
	return nil
}

// tallyText is a sentence on the moves of a side.
func tallyText(t *review.Tally) string {
	if t.Judged == 0 {
		return "no move was a choice"
	}
	text := fmt.Sprintf("accuracy %.1f %%", t.Accuracy)
	nouns := []string{"inaccuracies", "mistakes", "blunders", "missed wins"}
	for i, n := range []int{t.Inaccuracies, t.Mistakes, t.Blunders, t.MissedWins} {
		if n > 0 {
			text += fmt.Sprintf(", %s %d", nouns[i], n)
		}
	}
	return text
}

// reviewedMove returns the cells of a move.
func reviewedMove(m *review.Move) []string {
	row := []string{strconv.Itoa(m.Ply), m.Side, shortMove(m.Move), string(m.Mark), "", "", "", "", ""}
	if m.Ply == 0 {
		row[0] = ""
	}
	if m.Mark == review.Placement || m.Mark == review.Repetition {
		return row
	}
	row[4], row[5] = inPercent(m.Before), inPercent(m.After)
	if m.Mark != review.Forced {
		row[8] = m.Best.Text()
	}
	if len(m.Line) > 0 {
		row[6], row[7] = inPercent(m.Loss), shortMove(m.Line[0])
	}
	return row
}

func inPercent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// shortMove returns the short notation of a move in long notation.
func shortMove(long string) string {
	first, last := strings.IndexAny(long, "-x"), strings.LastIndexAny(long, "-x")
	if first < 0 || strings.HasSuffix(long, "-") {
		return long
	}
	return long[:first] + long[last:]
}

// reviewNotes are sentences on what decided a game.
func reviewNotes(g *review.Game) []string {
	notes := []string{""}
	for i := range g.Moves {
		m := &g.Moves[i]
		for _, ply := range g.Turning {
			if ply == m.Ply {
				notes = append(notes, fmt.Sprintf("Turning point: ply %d, %s %s (%s, %s to %s). Better: %s", m.Ply, m.Side,
					m.Move, m.Kind.Text(), inPercent(m.Before), inPercent(m.After), strings.Join(m.Line, " ")))
			}
		}
	}
	for _, w := range g.Wins {
		text := fmt.Sprintf("Proven: %s wins before ply %d", w.Side, w.From)
		if w.To > w.From {
			text = fmt.Sprintf("Proven: %s wins before plies %d to %d", w.Side, w.From, w.To)
		}
		if w.Lost {
			text += fmt.Sprintf("; the move of ply %d gives it away", w.To)
		}
		notes = append(notes, text)
	}
	if len(notes) == 1 {
		return nil
	}
	return notes
}

// printSummary prints the summaries of several games.
func (c *reviewCmd) printSummary(w *output, all review.Summaries) error {
	w.printf("%s reviewed with %s nodes a move\n", textfmt.Plural(all.Games(), "game"), textfmt.Thousands(c.Nodes))
	names := new(playerNames)
	for _, s := range all {
		w.printf("\nRules %s\n", textfmt.Escape(s.Rules))
		for _, table := range s.Tables(func(agent string) string { return textfmt.Escape(names.name(agent)) }) {
			if len(table.Rows) == 0 {
				continue
			}
			w.printf("\n")
			hanging(w, "", table.Caption+":")
			w.printf("\n")
			t := grid.Grid{Header: table.Header, Left: map[int]bool{0: true}, Rows: table.Rows, Fold: 1}
			if err := printTable(w, &t, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// summaryJSON is a summary as --format json prints it.
type summaryJSON struct {
	Games int               `json:"games"`
	Nodes int64             `json:"nodes"`
	Rules []ruleSummaryJSON `json:"rules"`
}

// ruleSummaryJSON is that of one rule set.
type ruleSummaryJSON struct {
	Rules   string           `json:"rules"`
	Games   int              `json:"games"`
	Players []playerLossJSON `json:"players"`
}

// playerLossJSON is a player in it.
type playerLossJSON struct {
	Agent string `json:"agent"`
	Games int    `json:"games"`
	review.Tally
	Lost      int                 `json:"lost"`
	NoMistake int                 `json:"no_mistake"`
	Thirds    [3]int              `json:"thirds"`
	Heights   [4]int              `json:"heights"` // of a pass, and of pieces of height 1 to 3
	Kinds     map[review.Kind]int `json:"kinds"`
}

func newSummaryJSON(all review.Summaries, nodes int64) summaryJSON {
	out := summaryJSON{Games: all.Games(), Nodes: nodes}
	for _, s := range all {
		of := ruleSummaryJSON{Rules: s.Rules, Games: s.Games}
		for _, p := range s.Players {
			of.Players = append(of.Players, playerLossJSON{
				p.Agent, p.Games, p.Tally, p.Lost, p.NoMistake, p.Thirds, p.Heights, p.Kinds,
			})
		}
		out.Rules = append(out.Rules, of)
	}
	return out
}
