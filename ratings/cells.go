package ratings

// Row is a player's row of a rating table, as it is printed for people.
type Row struct {
	Name  string   // the player, as the records name it
	Rated *Player  // nil for a player without a rating
	Cells []string // one for each column, as [WriteTable] prints it; names by [Visible]
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
				text = visible(text)
			}
			list[i].Cells = append(list[i].Cells, text)
		}
	}
	return list, nil
}

// LeftColumns returns the columns that say something of players without a
// rating, and the reason why they have none.
func LeftColumns(chosen []Column) []Column { return unratedColumns(chosen) }

// Words tells whether the column holds words rather than figures.
func (c Column) Words() bool { return c.left }

// Remarks returns the lines that [WriteTable] prints below the rating table:
// the advantage, the draw parameter, what ratings are measured from, the fit and
// the notes.
func (r *Ratings) Remarks() []string {
	list := remarks(r)
	for i := range list {
		list[i] = visible(list[i])
	}
	return list
}

// GroupTitle returns the line above the table of a group, by its index, where
// there is more than one.
func (r *Ratings) GroupTitle(g int) string {
	if len(r.Groups) < 2 {
		return ""
	}
	return visible(groupLine(g, len(r.Groups), r.Groups[g]))
}

// Visible returns a name as tables print it: as given, but control characters,
// those that turn a line's direction and invalid UTF-8 as Go escapes, so that a
// name can't drive a terminal or break a line. An empty name becomes "".
func Visible(name string) string { return visible(name) }

// EscapeMarkdown returns a visible name with a backslash before what Markdown
// would take for markup.
func EscapeMarkdown(name string) string { return markdown(name) }

// Decimal returns a number with one decimal, as tables print it.
func Decimal(x float64) string { return decimal(x) }
