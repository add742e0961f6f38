package table

import (
	"gyges/ratings"
	"gyges/ratings/textfmt"
)

// Row is a player's row of a rating table, as it is printed for people.
type Row struct {
	Name  string          // the player, as the records name it
	Rated *ratings.Player // nil for a player without a rating
	Cells []string        // one for each column, as [Write] prints it; names by [textfmt.Visible]
}

// Rows returns the rows of the rating table with the given columns: the rated
// players, group by group, and then the others.
func (t Table) Rows(chosen []Column) ([]Row, error) {
	lines, err := rows(t, chosen)
	if err != nil {
		return nil, err
	}
	list := make([]Row, len(lines))
	for i := range lines {
		list[i] = Row{Name: lines[i].name, Rated: lines[i].rated}
		for _, c := range chosen {
			text := c.text(&lines[i])
			if c.Key == "name" || text != "" {
				text = textfmt.Visible(text)
			}
			list[i].Cells = append(list[i].Cells, text)
		}
	}
	return list, nil
}

// Words reports whether the column holds words rather than figures.
func (c Column) Words() bool { return c.left }

// Remarks returns the lines that [Write] prints below the rating table: the
// advantage, the draw parameter, the reference of the ratings, the goodness of fit
// and the notes.
func (t Table) Remarks() []string {
	list := remarks(t.Ratings)
	for i := range list {
		list[i] = textfmt.Visible(list[i])
	}
	return list
}

// GroupTitle returns the line above the table of a group, by its index, where
// there is more than one.
func (t Table) GroupTitle(g int) string {
	groups := t.Ratings.Groups
	if len(groups) < 2 {
		return ""
	}
	return textfmt.Visible(groupLine(g, len(groups), groups[g]))
}
