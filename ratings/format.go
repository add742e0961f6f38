package ratings

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format is a way to write a table.
type Format string

// The formats. Text and Markdown are for people and round; CSV and JSON have
// every digit.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	JSON     Format = "json"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Text, Markdown, CSV, JSON} }

// ParseFormat finds a format by its name.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if name == string(f) {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", fmt.Errorf("format %q: expected one of %s", name, strings.Join(names, ", "))
}

// Table is what is printed of one fit.
type Table struct {
	Title   string // may be empty
	Ratings *Ratings
	// Crosstable prints the crosstable below the rating table, in text and
	// Markdown. JSON always has it and CSV never.
	Crosstable bool
}

// WriteTable writes rating tables with the advantage, the players that have no
// rating and the notes. Names are printed as given, with unprintable characters
// escaped; rows are numbered, also across groups, as in WriteCrosstable.
//
// Text and Markdown follow one another under their titles. CSV is one table of
// all, the title in its first column, the fields of unrated players that have
// no value empty. JSON is an object for a single table and an array of such
// objects otherwise; null stands for what has no value.
func WriteTable(w io.Writer, f Format, tables ...Table) error {
	switch f {
	case JSON:
		return writeJSON(w, tables, newTableJSON)
	case CSV:
		return writeCSV(w, tableColumns, tables, tableRecords)
	case Text, Markdown:
		return writePages(w, f, tables, (*page).table)
	}
	return fmt.Errorf("write ratings: unknown format %q", f)
}

// WriteCrosstable writes who scored what against whom. Text and Markdown add
// both sides of a pairing up, from the row's view, and leave tables of more
// than 50 players out with a line that says so; CSV and JSON list South and
// North apart, from South's view.
func WriteCrosstable(w io.Writer, f Format, tables ...Table) error {
	switch f {
	case JSON:
		return writeJSON(w, tables, newCrosstableJSON)
	case CSV:
		return writeCSV(w, crosstableColumns, tables, crosstableRecords)
	case Text, Markdown:
		return writePages(w, f, tables, func(p *page, t Table) { p.crosstable(t.Ratings) })
	}
	return fmt.Errorf("write crosstable: unknown format %q", f)
}

const (
	tableColumns      = "table,number,name,group,elo,error,games,wins,draws,losses,points,score,draw_share,advantage,advantage_error,reason"
	crosstableColumns = "table,south,north,wins,draws,losses"
)

func writeCSV(w io.Writer, columns string, tables []Table, records func(Table) [][]string) error {
	var buf bytes.Buffer
	c := csv.NewWriter(&buf)
	rows := [][]string{strings.Split(columns, ",")}
	for _, t := range tables {
		rows = append(rows, records(t)...)
	}
	if err := c.WriteAll(rows); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// tableRecords are the rows of one rating table in the order of tableColumns.
func tableRecords(t Table) [][]string {
	r := t.Ratings
	advantage := []string{digits(r.Advantage.Elo), ""}
	if r.Advantage.Fitted {
		advantage[1] = digits(r.Advantage.Error)
	}
	var rows [][]string
	row := func(name, group, elo, margin string, c Count, reason string) {
		line := []string{title(t), strconv.Itoa(len(rows) + 1), visible(name), group, elo, margin,
			strconv.Itoa(c.Games()), strconv.Itoa(c.Wins), strconv.Itoa(c.Draws), strconv.Itoa(c.Losses),
			digits(c.Points()), "", "", advantage[0], advantage[1], reason}
		if c.Games() > 0 {
			line[11], line[12] = digits(c.Score()), digits(c.DrawShare())
		}
		rows = append(rows, line)
	}
	for _, p := range r.Players {
		row(p.Name, strconv.Itoa(p.Group+1), digits(p.Elo), digits(p.Error), p.Count, "")
	}
	for _, u := range r.Unrated {
		row(u.Name, "", "", "", u.Count, u.Reason)
	}
	return rows
}

func crosstableRecords(t Table) [][]string {
	var rows [][]string
	for _, p := range t.Ratings.meetings.list() {
		rows = append(rows, []string{title(t), visible(p.South), visible(p.North),
			strconv.Itoa(p.Wins), strconv.Itoa(p.Draws), strconv.Itoa(p.Losses)})
	}
	return rows
}

func title(t Table) string {
	if t.Title == "" {
		return ""
	}
	return visible(t.Title)
}

// digits is the shortest text that reads back as v.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
