package table

import (
	"gyges/ratings/textfmt"
	"strconv"
)

// maxCompared is the number of players up to which every two are compared in
// CSV and JSON.
const maxCompared = 250

func crosstableRecords(t Table) ([][]string, error) {
	var rows [][]string
	for _, p := range t.Ratings.Pairings() {
		rows = append(rows, []string{titled(t.Title), textfmt.Visible(p.South), textfmt.Visible(p.North),
			strconv.Itoa(p.Wins), strconv.Itoa(p.Draws), strconv.Itoa(p.Losses)})
	}
	return rows, nil
}

func headToHeadRecords(t Table) ([][]string, error) {
	var rows [][]string
	for _, h := range t.Ratings.HeadToHeads() {
		rows = append(rows, []string{titled(t.Title), textfmt.Visible(h.A), textfmt.Visible(h.B), strconv.Itoa(h.Games()), strconv.Itoa(h.Wins),
			strconv.Itoa(h.Draws), strconv.Itoa(h.Losses), digits(h.Points()), digits(h.Expected), digits(h.Z)})
	}
	return rows, nil
}

func superiorityRecords(t Table) ([][]string, error) {
	var rows [][]string
	if len(t.Ratings.Players) > maxCompared {
		return nil, nil
	}
	for _, p := range t.Ratings.Players {
		more, err := comparisonRecords(t, p.Name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func comparisonRecords(t Table, name string) ([][]string, error) {
	list, err := comparisons(t.Ratings, name)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, c := range list {
		rows = append(rows, []string{titled(t.Title), textfmt.Visible(c.a), textfmt.Visible(c.b), digits(c.Elo), digits(c.Error), digits(c.LOS)})
	}
	return rows, nil
}
