package schedule

import (
	"fmt"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

var roundRobin = allPlayAll{fixed{
	Facts{Name: string(RoundRobin), Doc: "every two"},
	func(players int) [][2]int { return everyTwo(players, 1) },
}}

// everyTwo returns each player with those from the one after it on, or with next 0 from itself on.
func everyTwo(players, next int) (list [][2]int) {
	for i := range players {
		for j := i + next; j < players; j++ {
			list = append(list, [2]int{i, j})
		}
	}
	return list
}

type allPlayAll struct{ fixed }

// Tables returns points, and Sonneborn-Berger for those who have as many. Of two players the
// ratings say as much.
func (f allPlayAll) Tables(s *Schedule, names []string, ended bool) []table.Standings {
	if s.Players < 3 || len(s.Stages) == 0 {
		return nil
	}
	played, all := s.Stages[0].Played()
	if played == 0 {
		return nil
	}
	ended = ended || played == all
	title := fmt.Sprintf("Round-robin, final table of %s", textfmt.Plural(s.Players, "player"))
	if !ended {
		title = fmt.Sprintf("Round-robin, %d of %d games played", played, all)
	}
	if s.RuleSets > 1 {
		title += fmt.Sprintf(", %d rule sets together", s.RuleSets)
	}
	// Buchholz decides nothing where everybody meets everybody.
	places := ranking(s.Stages[0].meetings(s.Players), false)
	columns := []grid.Column[place]{
		rankColumn, playerColumn(names), gamesColumn, pointsColumn, sbergerColumn,
	}
	t := standingsOf(f, title, columns, places)
	t.Separate, t.Result = true, leaders(places, names, "round-robin", ended)
	t.Notes = []string{"Order: points; " + sbergerNote}
	return []table.Standings{t}
}
