package review

import (
	"fmt"
	"strconv"

	"gyges/rules/base/textfmt"
)

// Table is a table of a summary, as text. Its first column names the player.
type Table struct {
	Caption string
	Header  []string
	Rows    [][]string
}

// Tables returns the summary as tables: how well the players play, where they lost their games, and what the
// decisive moves did. name returns what to call an agent, by its spec.
func (s *Summary) Tables(name func(agent string) string) []Table {
	quality := Table{
		Caption: "Accuracy, share of best moves, and inaccuracies, mistakes, blunders and missed wins per game",
		Header:  []string{"Player", "Games", "Accuracy", "Best", "Inacc.", "Mistakes", "Blunders", "Missed"},
	}
	where := Table{
		Caption: "Lost games, by the decisive move: in the first, second or last third of the game, or none; how many " +
			"plies from the beginning and to the end of the game, medians; and the height of the piece moved",
		Header: []string{"Player", "Lost", "Early", "Middle", "Late", "None", "Ply", "To end", "Height 1", "2", "3"},
	}
	what := Table{
		Caption: "Lost games, by what the decisive move did: missed a win in one, allowed one, gave a proven win away, " +
			"allowed one, or was worse by evaluation alone",
		Header: []string{"Player", "Missed goal", "Allowed goal", "Missed win", "Allowed win", "Worse"},
	}
	for _, p := range s.Players {
		n := name(p.Agent)
		quality.Rows = append(quality.Rows, append([]string{n}, p.quality()...))
		if p.Lost > 0 {
			where.Rows = append(where.Rows, append([]string{n}, p.where()...))
			row := []string{n}
			for _, k := range Kinds() {
				row = append(row, strconv.Itoa(p.Kinds[k]))
			}
			what.Rows = append(what.Rows, row)
		}
	}
	return []Table{quality, where, what}
}

// quality returns the cells of the first table.
func (p *Player) quality() []string {
	accuracy, best := "-", "-"
	if p.Judged > 0 {
		accuracy = fmt.Sprintf("%.1f %%", p.Accuracy)
		best = fmt.Sprintf("%.0f %%", 100*float64(p.Best)/float64(p.Judged))
	}
	cells := []string{textfmt.Thousands(int64(p.Games)), accuracy, best}
	for _, n := range []int{p.Inaccuracies, p.Mistakes, p.Blunders, p.MissedWins} {
		cells = append(cells, fmt.Sprintf("%.2f", float64(n)/float64(p.Games)))
	}
	return cells
}

// where returns the cells of the second table.
func (l *Losses) where() []string {
	middle := func(plies []int) string {
		if len(plies) == 0 {
			return "-"
		}
		return strconv.Itoa(median(plies))
	}
	return []string{
		strconv.Itoa(l.Lost), strconv.Itoa(l.Thirds[0]), strconv.Itoa(l.Thirds[1]), strconv.Itoa(l.Thirds[2]),
		strconv.Itoa(l.NoMistake), middle(l.Ply), middle(l.BeforeEnd),
		strconv.Itoa(l.Heights[1]), strconv.Itoa(l.Heights[2]), strconv.Itoa(l.Heights[3]),
	}
}
