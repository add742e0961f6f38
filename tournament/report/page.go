// Package report turns the records of runs and their ratings into pages: one HTML file that needs no network.
//
// A [Collector] reads games one at a time: it keeps exact counts of all and a sample of whole games for replay. [Build]
// makes a [Page] of it and of a [table.Tables]: plain data. [WriteHTML] and [Section.HTML] write the page. A server
// shows a run in progress by building a page now and then and sending its fragments; it serves [Modules] and [Style]
// beside them.
//
// Everything in a record comes from outside: names, rules, reasons, even moves. It is bounded where it is counted and
// escaped where it is written.
package report

import (
	"slices"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// Page is all that a report shows, as plain data. Texts are escaped as they are written, those of sections also as
// [textfmt.Escape] does.
type Page struct {
	Title    string
	Summary  []string // the outcome in a few sentences
	Facts    []Fact
	Gauge    *Figure // of the sequential test of a single run; nil without one
	Sections []Section
	Viewer   *Viewer // the games to replay
	Sampled  string  // which games the viewer holds; empty where no games were played
}

// Fact is a named value.
type Fact struct{ Name, Value string }

// Section is a part of a page, with an entry in its table of contents.
type Section struct {
	ID, Title string
	Parts     []Part
}

// Part is one element of a section: whichever of its fields is set.
type Part struct {
	Heading string // with ID, if others link to it
	ID      string
	Text    string
	List    []string
	Facts   []Fact
	Table   *grid.Table
	Class   string // of the table: "matrix" with a column for each player, "short" without long texts
	Figure  *Figure
	Code    []string // command lines
	Details *Details
}

// Details is a long text that is collapsed.
type Details struct{ Title, Text string }

func (s *Section) add(parts ...Part)            { s.Parts = append(s.Parts, parts...) }
func (s *Section) text(text string)             { s.add(Part{Text: text}) }
func (s *Section) note(text string)             { s.text("Note: " + textfmt.Visible(text) + ".") }
func (s *Section) heading(id, text string)      { s.add(Part{ID: id, Heading: text}) }
func (s *Section) figure(f Figure)              { s.add(Part{Figure: &f}) }
func (s *Section) details(title, text string)   { s.add(Part{Details: &Details{title, text}}) }
func (s *Section) code(text string, c []string) { s.add(Part{Text: text}, Part{Code: c}) }

// facts adds those that have a value.
func (s *Section) facts(list ...Fact) {
	s.add(Part{Facts: slices.DeleteFunc(list, func(f Fact) bool { return f.Value == "" })})
}

// table adds a table that has rows.
func (s *Section) table(class string, t *grid.Table) {
	if len(t.Rows) > 0 {
		s.add(Part{Table: t, Class: class})
	}
}

func games(n int64) string {
	if n == 1 {
		return "1 game"
	}
	return textfmt.Thousands(n) + " games"
}
