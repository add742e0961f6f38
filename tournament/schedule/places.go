package schedule

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

type place struct {
	player   int
	rank     int // those who are equal in all have the same
	last     meeting
	games    int64 // byes included
	halves   int64
	buchholz int64   // in half points
	sberger  float64 // in half points
}

// meeting is a match from the view of one of its players. Without an opponent it is a bye, once the
// round is over.
type meeting struct {
	opponent    int   // -1: none
	won, halves int64 // half points of the player, and of both
}

// meetings returns the matches of each player of which games were played.
func (st *Stage) meetings(players int) [][]meeting {
	met := make([][]meeting, players)
	for _, m := range st.Matches {
		if m.Games == 0 {
			continue
		}
		for side, player := range m.Players {
			one := meeting{m.Players[1-side], m.Halves[side], 2 * m.Games}
			met[player] = append(met[player], one)
		}
	}
	return met
}

// ranking returns the places by the meetings of each player: by points, Buchholz if that counts,
// and Sonneborn-Berger.
func ranking(met [][]meeting, buchholz bool) []place {
	places := make([]place, len(met))
	for i := range met {
		places[i].player = i
		for _, m := range met[i] {
			places[i].last = m
			places[i].halves += m.won
			places[i].games += m.halves / 2
		}
	}
	for i := range places {
		p := &places[i]
		for _, m := range met[i] {
			if m.halves == 0 {
				continue
			}
			// A bye is a match against an opponent with as many points as one's own.
			opponent := p.halves
			if m.opponent >= 0 {
				opponent = places[m.opponent].halves
			}
			if buchholz {
				p.buchholz += opponent
			}
			p.sberger += float64(opponent) * float64(m.won) / float64(m.halves)
		}
	}
	order := func(a, b place) int {
		return cmp.Or(
			cmp.Compare(b.halves, a.halves),
			cmp.Compare(b.buchholz, a.buchholz),
			cmp.Compare(b.sberger, a.sberger),
		)
	}
	slices.SortStableFunc(places, order)
	for i := range places {
		places[i].rank = i + 1
		if i > 0 && order(places[i-1], places[i]) == 0 {
			places[i].rank = places[i-1].rank
		}
	}
	return places
}

// The columns of tables of points.
var (
	rankColumn = grid.Column[place]{Key: "rank", Title: "#",
		Value: func(p place) any { return p.rank }}
	gamesColumn = grid.Column[place]{Key: "games", Title: "Games",
		Value: func(p place) any { return p.games }}
	pointsColumn = grid.Column[place]{Key: "points", Title: "Points",
		Value: func(p place) any { return float64(p.halves) / 2 }}
	buchholzColumn = grid.Column[place]{Key: "buchholz", Title: "Buchholz",
		Value: func(p place) any { return float64(p.buchholz) / 2 }}
	sbergerColumn = grid.Column[place]{Key: "sonneborn_berger", Title: "S-B",
		Value: func(p place) any { return grid.Fixed(p.sberger/2, 2) }}
)

const sbergerNote = "S-B (Sonneborn-Berger), the sum of each opponent's points " +
	"times the share of the points won against it."

func playerColumn(names []string) grid.Column[place] {
	return grid.Column[place]{Key: "player", Title: "Player", Left: true,
		Value: func(p place) any { return names[p.player] }}
}

// leaders is a sentence on who leads, or if it is over has won, by places in their order.
func leaders(places []place, names []string, what string, over bool) string {
	var first []string
	for _, p := range places {
		if p.rank == 1 {
			first = append(first, names[p.player])
		}
	}
	verb := "leads"
	if over {
		verb = "has won"
	}
	line := fmt.Sprintf("%s %s the %s", first[0], verb, what)
	if len(first) > 1 {
		line = fmt.Sprintf("%s share the first place of the %s", textfmt.List(first, 8), what)
	}
	return fmt.Sprintf("%s with %s points.", line, points(places[0].halves))
}

func points(halves int64) string { return textfmt.Decimal(float64(halves) / 2) }

func standingsOf[R any](
	f Format, title string, columns []grid.Column[R], rows []R,
) table.Standings {
	list := grid.Make(columns, rows).WithTitle(title)
	return table.Standings{Format: f.About().Name, Caption: "Standings", Table: list}
}
