package review

import (
	"fmt"
	"slices"

	"gyges/rules/base/grid"
)

// Tables returns the summary as tables with a row for each player: how well the players play, and for those that lost
// games, where they lost them and what the decisive moves did. name returns what to call an agent, by its spec.
func (s *Summary) Tables(name func(agent string) string) []*grid.Table {
	column := func(title string, value func(p *Player) any) grid.Column[*Player] {
		return grid.Column[*Player]{Title: title, Value: value}
	}
	perGame := func(title string, n func(p *Player) int) grid.Column[*Player] {
		return column(title, func(p *Player) any { return fmt.Sprintf("%.2f", float64(n(p))/float64(p.Games)) })
	}
	player := column("Player", func(p *Player) any { return grid.Name(name(p.Agent)) })
	player.Left = true
	losers := slices.DeleteFunc(slices.Clone(s.Players), func(p *Player) bool { return p.Lost == 0 })
	what := []grid.Column[*Player]{player}
	for i, title := range []string{"Missed goal", "Allowed goal", "Missed win", "Allowed win", "Worse"} {
		what = append(what, column(title, func(p *Player) any { return p.Kinds[Kinds()[i]] }))
	}
	return []*grid.Table{
		grid.Make([]grid.Column[*Player]{
			player,
			column("Games", func(p *Player) any { return grid.Thousands(int64(p.Games)) }),
			column("Accuracy", func(p *Player) any { return p.judged("%.1f", p.Accuracy) }),
			column("Best", func(p *Player) any { return p.judged("%.0f %%", 100*float64(p.Best)/float64(p.Judged)) }),
			perGame("Inacc.", func(p *Player) int { return p.Inaccuracies }),
			perGame("Mistakes", func(p *Player) int { return p.Mistakes }),
			perGame("Blunders", func(p *Player) int { return p.Blunders }),
			perGame("Missed", func(p *Player) int { return p.MissedWins }),
		}, s.Players).WithTitle(
			"Accuracy index, share of best moves, and inaccuracies, mistakes, blunders and missed wins per game"),
		grid.Make([]grid.Column[*Player]{
			player,
			column("Lost", func(p *Player) any { return p.Lost }),
			column("Early", func(p *Player) any { return p.Thirds[0] }),
			column("Middle", func(p *Player) any { return p.Thirds[1] }),
			column("Late", func(p *Player) any { return p.Thirds[2] }),
			column("None", func(p *Player) any { return p.NoMistake }),
			column("Height 1", func(p *Player) any { return p.Heights[1] }),
			column("2", func(p *Player) any { return p.Heights[2] }),
			column("3", func(p *Player) any { return p.Heights[3] }),
		}, losers).WithTitle(
			"Lost games, by the decisive move: in the first, second or last third of the game, or none, and the height " +
				"of the piece moved"),
		grid.Make(what, losers).WithTitle(
			"Lost games, by what the decisive move did: missed a win in one, allowed one, gave a proven win away, " +
				"allowed one, or was worse by evaluation alone"),
	}
}

// judged formats a figure of the moves judged; "-" if there are none.
func (t *Tally) judged(format string, x float64) string {
	if t.Judged == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}
