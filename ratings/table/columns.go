package table

import (
	"fmt"
	"gyges/ratings"
	"gyges/ratings/textfmt"
	"slices"
	"strconv"
	"strings"
)

// Column is a column of the rating table.
type Column struct {
	Key    string // what --columns and the header of CSV call it
	Header string // what people read
	Doc    string // its definition
	left   bool
	text   func(*row) string // rounded
	exact  func(*row) string // every digit
}

// row is a player's line.
type row struct {
	table   string
	number  int
	name    string
	rated   *ratings.Player // nil without a rating
	reason  string
	count   ratings.Count
	ratings *ratings.Ratings
	next    *ratings.Difference // to the next player of the group; nil for the last
}

// columns lists all columns.
func columns() []Column {
	none := func(*row) string { return "" }
	number := func(f func(*row) float64) (text, exact func(*row) string) {
		return func(r *row) string { return textfmt.Decimal(f(r)) }, func(r *row) string { return digits(f(r)) }
	}
	whole := func(f func(*row) int) (text, exact func(*row) string) {
		t := func(r *row) string { return strconv.Itoa(f(r)) }
		return t, t
	}
	var list []Column
	add := func(key, header, doc string, text, exact func(*row) string) {
		list = append(list, Column{Key: key, Header: header, Doc: doc, text: text, exact: exact})
	}
	// rated makes a column empty for players without a rating.
	rated := func(text, exact func(*row) string) (func(*row) string, func(*row) string) {
		only := func(f func(*row) string) func(*row) string {
			return func(r *row) string {
				if r.rated == nil {
					return ""
				}
				return f(r)
			}
		}
		return only(text), only(exact)
	}
	elo := func(f func(*row) float64) (func(*row) string, func(*row) string) {
		text, exact := number(f)
		return rated(text, exact)
	}
	share := func(f func(ratings.Count) float64) (func(*row) string, func(*row) string) {
		only := func(print func(float64) string) func(*row) string {
			return func(r *row) string {
				if r.count.Games() == 0 {
					return ""
				}
				return print(f(r.count))
			}
		}
		return only(textfmt.Percent), only(digits)
	}
	plusMinus := func(f func(*row) float64) func(*row) string {
		return func(r *row) string { return "± " + textfmt.Decimal(f(r)) }
	}

	title := func(r *row) string { return titled(r.table) }
	add("table", "Table", "title of the table: the rule set, or all together", title, title)
	text, exact := whole(func(r *row) int { return r.number })
	add("number", "#", "place in the table, also across groups; the crosstable's columns have the same numbers", text, exact)
	name := func(r *row) string { return r.name }
	add("name", "Player", "the player, as the records name it", name, name)
	text, exact = rated(whole(func(r *row) int { return r.rated.Group + 1 }))
	add("group", "Group", "number of the group; only ratings of one group can be compared", text, exact)
	text, exact = elo(func(r *row) float64 { return r.rated.Elo })
	add("elo", "Elo", "the rating: the maximum of the likelihood, together with all others, South's advantage and the draw parameter; 400 points are odds of ten to one. The mean of a group is 0 unless anchors say otherwise", text, exact)
	_, exact = elo(func(r *row) float64 { return r.rated.Error })
	text, _ = rated(plusMinus(func(r *row) float64 { return r.rated.Error }), none)
	add("error", "95 %", "half the 95 % interval of elo: 1.96 standard errors. The interval is elo ± error", text, exact)
	text, exact = elo(func(r *row) float64 { return r.rated.Elo - r.rated.Error })
	add("low", "Low", "elo less error", text, exact)
	text, exact = elo(func(r *row) float64 { return r.rated.Elo + r.rated.Error })
	add("high", "High", "elo plus error", text, exact)
	_, exact = elo(func(r *row) float64 { return r.rated.Bootstrap })
	text, _ = rated(plusMinus(func(r *row) float64 { return r.rated.Bootstrap }), none)
	add("bootstrap", "Bootstrap", "half the distance between the 2.5 % and 97.5 % quantiles of the resamples' ratings; 0 without --bootstrap", text, exact)
	text, exact = whole(func(r *row) int { return r.count.Games() })
	add("games", "Games", "games against others, also those that could not enter the fit", text, exact)
	text, exact = whole(func(r *row) int { return r.count.Wins })
	add("wins", "Won", "games won", text, exact)
	text, exact = whole(func(r *row) int { return r.count.Draws })
	add("draws", "Drawn", "games drawn", text, exact)
	text, exact = whole(func(r *row) int { return r.count.Losses })
	add("losses", "Lost", "games lost", text, exact)
	text, exact = number(func(r *row) float64 { return r.count.Points() })
	add("points", "Points", "wins plus half the draws", text, exact)
	text, exact = share(ratings.Count.Score)
	add("score", "Score", "points per game, 0 to 1", text, exact)
	text, exact = share(ratings.Count.DrawShare)
	add("draw_share", "Draws", "draws per game, 0 to 1", text, exact)
	add("difference", "To next", "elo less that of the next player of the group, with half the 95 % interval of that difference, from the covariance of both", nextText, nextDigits(func(d *ratings.Difference) float64 { return d.Elo }))
	add("difference_error", "95 % of it", "half the 95 % interval of difference", none, nextDigits(func(d *ratings.Difference) float64 { return d.Error }))
	add("los", "LOS", "likelihood of superiority over the next player of the group: the probability that this one is stronger, by the normal approximation", nextLOS, nextDigits(func(d *ratings.Difference) float64 { return d.LOS }))
	_, exact = number(func(r *row) float64 { return r.ratings.Advantage.Elo })
	add("advantage", "Advantage", "South's first-move advantage in Elo, one for the whole table", exact, exact)
	margin := func(r *row) string {
		if !r.ratings.Advantage.Fitted {
			return ""
		}
		return digits(r.ratings.Advantage.Error)
	}
	add("advantage_error", "95 % of it", "half the 95 % interval of advantage; empty if it wasn't fitted", margin, margin)
	reason := func(r *row) string { return r.reason }
	add("reason", "Reason", "why there is no rating", reason, reason)
	for i := range list {
		list[i].left = list[i].Key == "name" || list[i].Key == "reason" || list[i].Key == "table"
	}
	return list
}

func nextText(r *row) string {
	if r.next == nil {
		return ""
	}
	return textfmt.Decimal(r.next.Elo) + " ± " + textfmt.Decimal(r.next.Error)
}

func nextLOS(r *row) string {
	if r.next == nil {
		return ""
	}
	return textfmt.Percent(r.next.LOS)
}

func nextDigits(f func(*ratings.Difference) float64) func(*row) string {
	return func(r *row) string {
		if r.next == nil {
			return ""
		}
		return digits(f(r.next))
	}
}

// TextColumns are the columns printed for people unless others are asked for.
const TextColumns = "number,name,elo,error,games,wins,draws,losses,points,score,draw_share"

const (
	// csvColumns are the same for CSV.
	csvColumns = "table,number,name,group,elo,error,games,wins,draws,losses,points,score,draw_share,advantage,advantage_error,reason"
	// unratedLeft are the columns that say nothing of players without a rating.
	unratedLeft = "group,elo,error,low,high,bootstrap,difference,difference_error,los,reason"
)

// Columns lists the columns that a rating table may have.
func Columns() []Column { return columns() }

// ParseColumns finds columns by their keys, separated by commas.
func ParseColumns(keys string) ([]Column, error) {
	all := columns()
	var chosen []Column
	for _, key := range strings.Split(keys, ",") {
		key = strings.TrimSpace(key)
		i := slices.IndexFunc(all, func(c Column) bool { return c.Key == key })
		if i < 0 {
			var known []string
			for _, c := range all {
				known = append(known, c.Key)
			}
			return nil, fmt.Errorf("column %.60q: expected one of %s", key, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// known are the columns of a list that is part of the program.
func known(keys string) []Column {
	list, err := ParseColumns(keys)
	if err != nil {
		panic(err)
	}
	return list
}

// rows are the lines of a table: rated players, then the others. Differences are
// worked out only if a column shows them.
func rows(t Table, columns []Column) ([]row, error) {
	r := t.Ratings
	var list []row
	wanted := slices.ContainsFunc(columns, func(c Column) bool {
		return c.Key == "difference" || c.Key == "difference_error" || c.Key == "los"
	})
	for i := range r.Players {
		p := &r.Players[i]
		line := row{table: t.Title, number: i + 1, name: p.Name, rated: p, count: p.Count, ratings: r}
		if wanted && i+1 < len(r.Players) && r.Players[i+1].Group == p.Group {
			d, err := r.Difference(p.Name, r.Players[i+1].Name)
			if err != nil {
				return nil, err
			}
			line.next = &d
		}
		list = append(list, line)
	}
	for _, u := range r.Unrated {
		list = append(list, row{table: t.Title, number: len(list) + 1, name: u.Name, reason: u.Reason, count: u.Count, ratings: r})
	}
	return list, nil
}

func titled(title string) string {
	if title == "" {
		return ""
	}
	return textfmt.Visible(title)
}

// digits is the shortest text that reads back as v.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
