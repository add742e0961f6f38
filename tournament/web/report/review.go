package report

import (
	"fmt"
	"slices"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/review"
)

// reviews builds the section on where games are lost. Reviews under rule sets that the page doesn't
// have are left out.
func (b *builder) reviews() Section {
	s := Section{ID: "reviews", Title: "Where games are lost"}
	isShown := map[string]bool{}
	for _, r := range b.RuleSets {
		isShown[r.Name] = true
	}
	// A summary for each rule set.
	var summaries review.Summaries
	for i, r := range b.runs {
		for _, g := range r.Reviews.Games {
			if isShown[g.Rules] {
				summaries.Add(i, g)
			}
		}
	}
	if summaries == nil {
		return s
	}
	s.text(b.reviewNote(int64(summaries.Games())))
	for i, summary := range summaries {
		s.heading(numbered("reviews-", i), "Games under "+ruleSetName(summary.Rules))
		for _, t := range summary.Tables(b.label) {
			s.table("short", firstRows(t))
		}
		s.table("short", b.worst(summary))
	}
	return s
}

// reviewNote says how many games were reviewed, and how.
func (b *builder) reviewNote(n int64) string {
	var nodes []string // of the searches of each run
	more := ""
	for _, r := range b.runs {
		v := r.Reviews
		if len(v.Games) == 0 {
			continue
		}
		nodes = append(nodes, textfmt.Thousands(v.Nodes))
		if v.More {
			more = " There are more reviews than were read."
		}
	}
	of := ""
	// The number of nodes is told if it is the same in all runs.
	if len(slices.Compact(nodes)) == 1 {
		of = " of " + nodes[0] + " nodes"
	}
	return fmt.Sprintf("%s of %s reviewed: each move was compared with the best one "+
		"that a search%s finds. A game's decisive move is the loser's worst one "+
		"since it was last expected to win.%s",
		textfmt.Thousands(n), games(b.Games()), of, more)
}

// worst is the table of the decisive moves that lost most. Moves of games that can be replayed have
// links.
func (b *builder) worst(summary *review.Summary) *grid.Table {
	t := grid.New("Decisive moves that lost most winning probability, for each player", 3,
		"Player", "Move", "What it did", "Game", "Ply", "Before", "After")
	players := summary.Players
	if n := len(players); n > maxAgentRows {
		t.Title += fmt.Sprintf(", the first %d of %d players", maxAgentRows, n)
		players = players[:maxAgentRows]
	}
	isShown := map[string]bool{}
	for _, g := range b.viewer.Games {
		isShown[g.ID] = true
	}
	for _, p := range players {
		player := grid.Name(b.label(p.Agent))
		for _, l := range p.WorstGames {
			m := l.Move
			id := gameID(l.Run, l.Game)
			game := grid.Cell{Text: id}
			move := grid.Cell{Text: m.Move}
			if len(b.runs) == 1 {
				game.Text = fmt.Sprint(l.Game)
			}
			if isShown[id] {
				link := fmt.Sprintf("#game=%s&ply=%d", id, l.Index)
				game.Link, move.Link = link, link
			}
			before := grid.Percent(m.Before)
			after := grid.Percent(m.After)
			t.Add(player, move, m.Kind.Text(), game, m.Ply, before, after)
		}
	}
	return t
}
