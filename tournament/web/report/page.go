// Package report turns the records of runs and their ratings into pages: one HTML file that needs
// no network.
//
// A reader may begin with [Page], which is all that a page shows as plain data. A [Collector]
// reads games one at a time: it keeps exact counts of all and a sample of whole games for replay.
// [Build] makes a [Page] of it and of [table.Tables]: a section a file, such as standings.go and
// statistics.go, with pictures by svg.go and plots.go. [WriteHTML] and [Section.HTML] write the
// page. A server shows a run in progress by building a page now and then and sending its
// fragments.
//
// Everything in a record comes from outside: names, rules, reasons, even moves. It is bounded
// where it is counted and escaped where it is written.
package report

import (
	_ "embed"
	"html"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/web"
)

// Page is all that a report shows, as plain data. Texts are escaped for HTML as they are written;
// headings, paragraphs, lists, values, cells and command lines are escaped as [textfmt.Escape]
// does, too. Titles, captions and notes of cells are made of names that can be printed.
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
	Class   string // of the table: "matrix": a column for each player, "short": no long texts
	Figure  *Figure
	Code    []string // command lines
	Details *Details
}

// Details is a long text that is collapsed.
type Details struct{ Title, Text string }

func (s *Section) add(parts ...Part)          { s.Parts = append(s.Parts, parts...) }
func (s *Section) text(text string)           { s.add(Part{Text: text}) }
func (s *Section) note(text string)           { s.text("Note: " + textfmt.Visible(text) + ".") }
func (s *Section) heading(id, text string)    { s.add(Part{ID: id, Heading: text}) }
func (s *Section) figure(f Figure)            { s.add(Part{Figure: &f}) }
func (s *Section) details(title, text string) { s.add(Part{Details: &Details{title, text}}) }

// code adds command lines behind a text.
func (s *Section) code(text string, commands ...string) {
	s.add(Part{Text: text}, Part{Code: commands})
}

// facts adds the facts that have a value.
func (s *Section) facts(list ...Fact) {
	isEmpty := func(f Fact) bool { return f.Value == "" }
	s.add(Part{Facts: slices.DeleteFunc(list, isEmpty)})
}

// table adds a table that has rows.
func (s *Section) table(class string, t *grid.Table) {
	if len(t.Rows) > 0 {
		s.add(Part{Table: t, Class: class})
	}
}

// numbered is an id with the number of what has the index i.
func numbered(id string, i int) string { return id + strconv.Itoa(i+1) }

// games is a number of games in words.
func games(n int64) string {
	if n == 1 {
		return "1 game"
	}
	return textfmt.Thousands(n) + " games"
}

//go:embed assets/page.tmpl
var pageTemplate string

// modules are the scripts of a page, each after those that it imports.
var modules = []string{
	"dom.js", "board.js", "matrix.js", "gamelist.js", "replay.js", "review.js", "stage.js",
	"viewer.js",
}

// script returns modules as one script. Their top-level names differ, and each import is a line.
func script(modules ...string) string {
	var b strings.Builder
	for _, name := range modules {
		for line := range strings.Lines(web.Asset(name)) {
			if !strings.HasPrefix(line, "import ") {
				b.WriteString(strings.TrimPrefix(line, "export "))
			}
		}
	}
	return b.String()
}

// WriteHTML writes the page as one file that needs no other.
func WriteHTML(w io.Writer, p *Page) error {
	page, err := execute("page", p)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, string(page))
	return err
}

// HTML returns the section as a part of a page that has [web.Style].
func (s Section) HTML() (template.HTML, error) { return execute("section", s) }

// execute parses the templates each time, in a fraction of a millisecond.
func execute(name string, data any) (template.HTML, error) {
	//nolint:gosec // style and script are ours
	t := template.New("").Funcs(template.FuncMap{
		"style":     func() template.CSS { return template.CSS(web.Style()) },
		"script":    func() template.JS { return template.JS(script(modules...)) },
		"breakable": breakable,
		"escape":    textfmt.Escape,
		"lines":     func(text string) []string { return strings.Split(text, "\n") },
	})
	template.Must(t.Parse(pageTemplate))
	var b strings.Builder
	err := t.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err //nolint:gosec // written by html/template
}

var breaks = strings.NewReplacer(":", ":<wbr>", ",", ",<wbr>", "=", "=<wbr>")

// breakable returns an escaped name as HTML that browsers may break after punctuation.
func breakable(name string) template.HTML {
	escaped := html.EscapeString(textfmt.Escape(name))
	return template.HTML(breaks.Replace(escaped)) //nolint:gosec // it is escaped
}
