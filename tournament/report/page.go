// Package report turns the records of runs and their ratings into pages: one HTML
// file that makes no request to any network.
//
// A [Collector] reads games one at a time: it keeps exact counts of all and a
// sample of whole games for replay. [Build] makes a [Page] of it and of a
// [table.Tables]: plain data, every number formatted already. [WriteHTML] and
// [WriteFragment] write the page. A server shows a run in
// progress by building a page now and then and sending its fragments; it serves
// [Script] and [Style] beside them.
//
// Everything in a record comes from outside: names, rules, reasons, even moves.
// It is bounded where it is counted and escaped where it is written.
package report

import (
	"slices"

	"gyges/rules/base/textfmt"
)

// Page is all that a report shows, as plain data. No text is escaped yet.
type Page struct {
	Title    string
	Summary  []string // the outcome in a few sentences
	Facts    []Fact
	Gauge    *Figure // of the sequential test of a single run; nil without one
	Sections []Section
	Viewer   *Viewer // nil without games to replay
	Sampled  string  // which games the viewer holds; empty where no games were played
}

// Fact is a named value.
type Fact struct{ Name, Value string }

// Section is a part of a page, with an entry in its table of contents.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// Block is one element of a section: whichever of its fields is set.
type Block struct {
	Heading string // with ID, if others link to it
	ID      string
	Text    string
	List    []string
	Facts   []Fact
	Table   *Table
	Figure  *Figure
	Code    []string // command lines
	Details *Details
}

// Details is a long text that is collapsed.
type Details struct{ Title, Text string }

// Table is a table whose first columns name its rows.
type Table struct {
	Caption string
	Header  []Head
	Rows    [][]Cell
	Class   string // "matrix" for one with a column for each player, "short" for one without long texts
}

// Head is the head of a column.
type Head struct {
	Text string
	Left bool   // words rather than numbers
	Tip  string // the whole text, where Text is an abbreviation
}

// Cell is a cell of a table.
type Cell struct {
	Text  string
	Note  string // explanation of the number; shown on focus and in print
	Small string // shown beside Text in print
	Link  string // fragment of the page with the games counted
	Class string // of the heat map: h0 (all lost) to h8 (all won), or self
	Row   bool   // it names the row
}

func (s *Section) add(blocks ...Block)          { s.Blocks = append(s.Blocks, blocks...) }
func (s *Section) text(text string)             { s.add(Block{Text: text}) }
func (s *Section) note(text string)             { s.text("Note: " + textfmt.Visible(text) + ".") }
func (s *Section) heading(id, text string)      { s.add(Block{ID: id, Heading: text}) }
func (s *Section) figure(f Figure)              { s.add(Block{Figure: &f}) }
func (s *Section) details(title, text string)   { s.add(Block{Details: &Details{title, text}}) }
func (s *Section) code(text string, c []string) { s.add(Block{Text: text}, Block{Code: c}) }

// facts adds those that have a value.
func (s *Section) facts(list ...Fact) {
	list = slices.DeleteFunc(list, func(f Fact) bool { return f.Value == "" })
	for i := range list {
		list[i].Value = textfmt.Visible(list[i].Value)
	}
	s.add(Block{Facts: list})
}

// table adds a table that has rows.
func (s *Section) table(t *Table) {
	if len(t.Rows) > 0 {
		s.add(Block{Table: t})
	}
}

// newTable returns an empty table. The first columns hold words.
func newTable(caption string, words int, heads ...string) *Table {
	t := &Table{Caption: caption}
	for i, text := range heads {
		t.Header = append(t.Header, Head{Text: text, Left: i < words})
	}
	return t
}

func (t *Table) row(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// remove removes a column.
func (t *Table) remove(column int) {
	t.Header = slices.Delete(t.Header, column, column+1)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], column, column+1)
	}
}

func cell(text string) Cell    { return Cell{Text: text} }
func rowHead(text string) Cell { return Cell{Text: text, Row: true} }
func count(n int64) Cell       { return Cell{Text: textfmt.Thousands(n)} }

// games formats a number of games.
func games(n int64) string {
	if n == 1 {
		return "1 game"
	}
	return textfmt.Thousands(n) + " games"
}
