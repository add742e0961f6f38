package table

import (
	"errors"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/rules/base/suggest"
	"gyges/rules/base/textfmt"
)

// Column is a column of the rating table.
type Column struct {
	Key    string // what --columns and the header of CSV call it
	Header string // what people read
	Doc    string // its definition
	cell   func(*row) any
}

// row is a player's line.
type row struct {
	table   string
	number  int
	name    string
	rated   *ratings.Player  // nil with a rating missing
	unrated *ratings.Unrated // nil with a rating
	count   ratings.Count
	faults  ratings.Faults
	ratings *ratings.Ratings
	next    *ratings.Difference // to the next player of the group; nil for the last
}

// ifRated makes a cell empty for players without a rating.
func ifRated(cell func(*ratings.Player) any) func(*row) any {
	return func(r *row) any {
		if r.rated == nil {
			return nil
		}
		return cell(r.rated)
	}
}

// ifUnrated makes a cell empty for players with a rating.
func ifUnrated(cell func(*ratings.Unrated) any) func(*row) any {
	return func(r *row) any {
		if r.unrated == nil {
			return nil
		}
		return cell(r.unrated)
	}
}

// ifNext makes a cell empty for players without a next one in their group.
func ifNext(cell func(*ratings.Difference) any) func(*row) any {
	return func(r *row) any {
		if r.next == nil {
			return nil
		}
		return cell(r.next)
	}
}

// ofCount is a cell of a player's results.
func ofCount(cell func(ratings.Count) any) func(*row) any {
	return func(r *row) any { return cell(r.count) }
}

// perGame is a share of a player's games, empty without games.
func perGame(share func(ratings.Count) float64) func(*row) any {
	return func(r *row) any {
		if r.count.Games() == 0 {
			return nil
		}
		return percent(share(r.count))
	}
}

// columns are all columns.
var columns = []Column{
	{"table", "Table", "title of the table: the rule set, or all together", func(r *row) any { return r.table }},
	{"number", "#", "place in the table, also across groups; the crosstable's columns have the same numbers",
		func(r *row) any { return r.number }},
	{"name", "Player", "the player, as the records name it", func(r *row) any { return name(r.name) }},
	{"group", "Group", "number of the group; only ratings of one group can be compared",
		ifRated(func(p *ratings.Player) any { return p.Group + 1 })},
	{"elo", "Elo",
		"the rating: the maximum of the likelihood, together with all others, South's advantage and the draw parameter; " +
			"400 points are odds of ten to one. The mean of a group is 0 unless anchors say otherwise",
		ifRated(func(p *ratings.Player) any { return p.Elo })},
	{"error", "95 %", "half the 95 % interval of elo: 1.96 standard errors. The interval is elo ± error",
		ifRated(func(p *ratings.Player) any { return margin(p.Error) })},
	{"low", "Low", "elo less error", ifRated(func(p *ratings.Player) any { return p.Elo - p.Error })},
	{"high", "High", "elo plus error", ifRated(func(p *ratings.Player) any { return p.Elo + p.Error })},
	{"bootstrap", "Bootstrap", "half the distance between the 2.5 % and 97.5 % quantiles of the resamples' ratings; " +
		"none without --bootstrap", func(r *row) any {
		if r.rated == nil || r.ratings.Resamples == 0 {
			return nil
		}
		return margin(r.rated.Bootstrap)
	}},
	{"games", "Games", "games against others, also those that could not enter the fit",
		ofCount(func(c ratings.Count) any { return c.Games() })},
	{"wins", "Won", "games won", ofCount(func(c ratings.Count) any { return c.Wins })},
	{"draws", "Drawn", "games drawn", ofCount(func(c ratings.Count) any { return c.Draws })},
	{"losses", "Lost", "games lost", ofCount(func(c ratings.Count) any { return c.Losses })},
	{"points", "Points", "wins plus half the draws", ofCount(func(c ratings.Count) any { return c.Points() })},
	{"score", "Score", "points per game, 0 to 1", perGame(ratings.Count.Score)},
	{"draw_share", "Draws", "draws per game, 0 to 1", perGame(ratings.Count.DrawShare)},
	{"faults", "Faults", "games that a fault decided, of the player or of its opponent: a crash, an illegal move, " +
		"no answer in time or the like", func(r *row) any { return r.faults.Games() }},
	{"fault_losses", "Own", "those of them that the player lost", func(r *row) any { return r.faults.Lost }},
	{"difference", "To next",
		"elo less that of the next player of the group, with half the 95 % interval of that difference, " +
			"from the covariance of both", ifNext(func(d *ratings.Difference) any { return estimate{d.Elo, d.Error} })},
	{"difference_error", "95 % of it", "half the 95 % interval of difference",
		ifNext(func(d *ratings.Difference) any { return textless(d.Error) })},
	{"los", "LOS",
		"likelihood of superiority over the next player of the group: the probability that this one is stronger, " +
			"by the normal approximation", ifNext(func(d *ratings.Difference) any { return percent(d.LOS) })},
	{"advantage", "Advantage", "South's first-move advantage in Elo, one for the whole table",
		func(r *row) any { return digits(r.ratings.Advantage.Elo) }},
	{"advantage_error", "95 % of it", "half the 95 % interval of advantage; empty if it wasn't fitted", func(r *row) any {
		if !r.ratings.Advantage.Fitted {
			return nil
		}
		return digits(r.ratings.Advantage.Error)
	}},
	{"cause", "Cause",
		"why there is no rating: won-all, lost-all, one-sided (won all games against some, lost all against the rest) " +
			"or no-games", ifUnrated(func(u *ratings.Unrated) any { return string(u.Cause) })},
	{"reason", "Reason", "the same as a sentence, with the opponents",
		ifUnrated(func(u *ratings.Unrated) any { return u.Reason })},
}

const (
	textColumns = "number,name,elo,error,games,wins,draws,losses,points,score,draw_share"

	// firstDropped are those of textColumns that a text does without where lines are short, the
	// last first.
	firstDropped = "points,draw_share"

	csvColumns = "table,number,name,group,elo,error,games,wins,draws,losses,points,score,draw_share,faults," +
		"fault_losses,advantage,advantage_error,reason"
	// ratedColumns are those that are empty for players without a rating.
	ratedColumns = "group,elo,error,low,high,bootstrap,difference,difference_error,los"
	// Those of JSON.
	countKeys   = "games,wins,draws,losses,points,score,draw_share,faults,fault_losses"
	playerKeys  = "number,name,group,elo,error,bootstrap," + countKeys
	unratedKeys = "number,name,cause,reason," + countKeys
	wordColumns = "table,name,cause,reason"
	nextColumns = "difference,difference_error,los"
)

func (c Column) isOneOf(keys string) bool { return slices.Contains(strings.Split(keys, ","), c.Key) }

// Words reports whether the column holds words rather than figures.
func (c Column) Words() bool { return c.isOneOf(wordColumns) }

// ParseColumns returns the columns with these keys, separated by commas.
func ParseColumns(keys string) ([]Column, error) {
	var chosen []Column
	for key := range strings.SplitSeq(keys, ",") {
		key = strings.TrimSpace(key)
		i := slices.IndexFunc(columns, func(c Column) bool { return c.Key == key })
		if i < 0 {
			return nil, errors.New(suggest.Unknown("column", key, keysOf(columns)))
		}
		chosen = append(chosen, columns[i])
	}
	return chosen, nil
}

// known returns the columns of a list that is part of the program.
func known(keys string) []Column {
	list, err := ParseColumns(keys)
	if err != nil {
		panic(err)
	}
	return list
}

func keysOf(chosen []Column) []string {
	var keys []string
	for _, c := range chosen {
		keys = append(keys, c.Key)
	}
	return keys
}

// UsualColumns returns the columns that are printed for people unless others are asked
// for.
func (t Table) UsualColumns() []Column {
	keys := textColumns
	if t.Ratings.Resamples > 0 {
		keys = strings.Replace(keys, ",error,", ",error,bootstrap,", 1)
	}
	if len(t.Ratings.Faults()) > 0 {
		keys += ",faults"
	}
	return known(keys)
}

// LeftColumns returns the chosen columns that players without a rating have, and the
// reason why they have none.
func LeftColumns(chosen []Column) []Column {
	left := slices.DeleteFunc(slices.Clone(chosen), func(c Column) bool { return c.isOneOf(ratedColumns + ",reason") })
	return append(left, known("reason")...)
}

// cells returns the rows of a table: the rated players, group by group, then the
// others.
func (t Table) cells(chosen []Column) ([][]any, error) {
	rows, err := t.rows(chosen)
	cells := make([][]any, len(rows))
	for i := range rows {
		for _, c := range chosen {
			cells[i] = append(cells[i], c.cell(&rows[i]))
		}
	}
	return cells, err
}

func (t Table) rows(chosen []Column) ([]row, error) {
	r := t.Ratings
	var list []row
	faults := r.Faults()
	withNext := slices.ContainsFunc(chosen, func(c Column) bool { return c.isOneOf(nextColumns) })
	for i := range r.Players {
		p := &r.Players[i]
		line := row{table: t.Title, number: i + 1, name: p.Name, rated: p, count: p.Count, ratings: r}
		line.faults = faults[p.Name]
		if withNext && i+1 < len(r.Players) && r.Players[i+1].Group == p.Group {
			d, err := r.Difference(p.Name, r.Players[i+1].Name)
			if err != nil {
				return nil, err
			}
			line.next = &d
		}
		list = append(list, line)
	}
	for i := range r.Unrated {
		u := &r.Unrated[i]
		list = append(list, row{
			table: t.Title, number: len(list) + 1, name: u.Name, unrated: u, count: u.Count, faults: faults[u.Name], ratings: r,
		})
	}
	return list, nil
}

// Row is a player's row of a rating table, as it is printed for people.
type Row struct {
	Name  string          // the player, as the records name it
	Rated *ratings.Player // nil for a player without a rating
	Cells []string        // one for each column, as [Write] prints it; names by [textfmt.Visible]
}

// Rows returns the rows of the rating table with the given columns: the rated
// players, group by group, and then the others.
func (t Table) Rows(chosen []Column) ([]Row, error) {
	rows, err := t.rows(chosen)
	list := make([]Row, len(rows))
	for i := range rows {
		list[i] = Row{Name: rows[i].name, Rated: rows[i].rated}
		for _, c := range chosen {
			list[i].Cells = append(list[i].Cells, textfmt.Escape(text(c.cell(&rows[i]))))
		}
	}
	return list, err
}
