package ratings

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// maxColumns is the number of players up to which a crosstable is drawn.
const maxColumns = 50

// page is text or Markdown in the making.
type page struct {
	bytes.Buffer
	markdown bool
	err      error // the first that a grid met
}

// writePages writes one part for each table, a blank line between them.
func writePages(w io.Writer, f Format, tables []Table, part func(*page, Table)) error {
	p := &page{markdown: f == Markdown}
	for _, t := range tables {
		if t.Title != "" {
			p.heading(p.name(t.Title))
		}
		part(p, t)
	}
	if p.err != nil {
		return fmt.Errorf("write %s: %w", f, p.err)
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write %s: %w", f, err)
	}
	return nil
}

// table writes all there is to say of one fit.
func (p *page) table(t Table) {
	p.ratings(t.Ratings)
	if t.Crosstable && len(t.Ratings.meetings.pairs) > 0 {
		p.crosstable(t.Ratings)
	}
}

// ratings writes the rating table of each group, the unrated players, the
// advantage and the notes.
func (p *page) ratings(r *Ratings) {
	number := 0
	for g, group := range r.Groups {
		if len(r.Groups) > 1 {
			p.paragraph(groupLine(g, len(r.Groups), group))
		}
		t := newGrid("#", "Player", "Elo", "95 %", "Games", "Won", "Drawn", "Lost", "Points", "Score", "Draws")
		for ; number < len(r.Players) && r.Players[number].Group == g; number++ {
			q := r.Players[number]
			row := []string{strconv.Itoa(number + 1), p.name(q.Name), decimal(q.Elo), "± " + decimal(q.Error)}
			t.add(append(row, results(q.Count)...)...)
		}
		p.grid(t)
	}
	p.unrated(r)
	var lines []string
	if len(r.Players) > 0 {
		lines = append(lines, "South's first-move advantage: "+advantageText(r.Advantage), scaleText(r.Groups, p.name))
	}
	for _, n := range r.Notes {
		lines = append(lines, "Note: "+p.name(n)+".")
	}
	p.list(lines)
}

func groupLine(g, of int, group Group) string {
	line := fmt.Sprintf("Group %d of %d", g+1, of)
	if group.Apart != "" {
		line += ", " + group.Apart
	}
	return line + ":"
}

func (p *page) unrated(r *Ratings) {
	if len(r.Unrated) == 0 {
		return
	}
	p.paragraph("Without a rating:")
	t := newGrid("#", "Player", "Games", "Won", "Drawn", "Lost", "Points", "Score", "Draws", "Reason")
	t.left[len(t.header)-1] = true
	for i, u := range r.Unrated {
		row := append([]string{strconv.Itoa(len(r.Players) + i + 1), p.name(u.Name)}, results(u.Count)...)
		t.add(append(row, p.name(u.Reason))...)
	}
	p.grid(t)
}

// crosstable writes each player's results against each other.
func (p *page) crosstable(r *Ratings) {
	t := r.Crosstable()
	if n := len(t.Names); n > maxColumns {
		p.paragraph(fmt.Sprintf("The crosstable of %d players is too wide to print; csv and json have it.", n))
		return
	}
	p.paragraph("Won-drawn-lost by the player in the row, against the players numbered above:")
	header := []string{"#", "Player"}
	for j := range t.Names {
		header = append(header, strconv.Itoa(j+1))
	}
	g := newGrid(header...)
	for i, name := range t.Names {
		row := []string{strconv.Itoa(i + 1), p.name(name)}
		for j := range t.Names {
			row = append(row, crosstableCell(i == j, t.Total(i, j)))
		}
		g.add(row...)
	}
	p.grid(g)
}

func crosstableCell(self bool, c Count) string {
	switch {
	case self:
		return "x"
	case c.Games() == 0:
		return ""
	}
	return fmt.Sprintf("%d-%d-%d", c.Wins, c.Draws, c.Losses)
}

// results are the columns from Games to Draws.
func results(c Count) []string {
	row := []string{strconv.Itoa(c.Games()), strconv.Itoa(c.Wins), strconv.Itoa(c.Draws), strconv.Itoa(c.Losses),
		decimal(c.Points()), "", ""}
	if c.Games() > 0 {
		row[5], row[6] = percent(c.Score()), percent(c.DrawShare())
	}
	return row
}

func advantageText(a Advantage) string {
	if a.Fitted {
		return decimal(a.Elo) + " ± " + decimal(a.Error) + " Elo (fitted)"
	}
	return decimal(a.Elo) + " Elo (not fitted)"
}

// scaleText says what the ratings are measured from.
func scaleText(groups []Group, name func(string) string) string {
	text := "Elo: the mean is 0"
	if len(groups) > 1 {
		text = "Elo: the mean of a group is 0"
	}
	var given []string
	for _, g := range groups {
		if g.Anchor != nil {
			given = append(given, name(g.Anchor.Name)+" stands at "+decimal(g.Anchor.Elo))
		}
	}
	switch {
	case len(given) == len(groups):
		text = "Elo: " + strings.Join(given, ", ")
	case len(given) > 0:
		text += ", but " + strings.Join(given, ", ")
	}
	return text + "; ± is half the 95 % interval."
}

// decimal rounds to one decimal, without a sign before zero.
func decimal(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

func percent(share float64) string { return decimal(100*share) + " %" }

// name is a name, title or sentence fit for the page.
func (p *page) name(s string) string {
	if p.markdown {
		return markdown(s)
	}
	return visible(s)
}

// gap puts a blank line before what follows, but for the first.
func (p *page) gap() {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
}

func (p *page) heading(text string) {
	p.gap()
	if p.markdown {
		text = "### " + text
	}
	p.WriteString(text + "\n")
}

func (p *page) paragraph(text string) {
	p.gap()
	p.WriteString(text + "\n")
}

func (p *page) list(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.gap()
	for _, l := range lines {
		if p.markdown {
			l = "- " + l
		}
		p.WriteString(l + "\n")
	}
}

// grid is a table's cells. All columns but the second, the names, are aligned
// right unless told otherwise.
type grid struct {
	header []string
	left   map[int]bool
	rows   [][]string
}

func newGrid(header ...string) *grid { return &grid{header: header, left: map[int]bool{1: true}} }

func (g *grid) add(row ...string) { g.rows = append(g.rows, row) }

func (p *page) grid(g *grid) {
	p.gap()
	var buf bytes.Buffer
	if err := g.render(&buf, p.markdown); err != nil && p.err == nil {
		p.err = err
	}
	for line := range strings.Lines(buf.String()) {
		p.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

func (g *grid) render(w io.Writer, asMarkdown bool) error {
	align := make(tw.Alignment, len(g.header))
	for i := range align {
		align[i] = tw.AlignRight
		if g.left[i] {
			align[i] = tw.AlignLeft
		}
	}
	var style tw.Renderer = renderer.NewBlueprint(tw.Rendition{
		Symbols: tw.NewSymbols(tw.StyleASCII),
		Borders: tw.BorderNone,
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off},
		},
	})
	if asMarkdown {
		style = renderer.NewMarkdown()
	}
	t := tablewriter.NewTable(w,
		tablewriter.WithRenderer(style),
		// The writer would take the widths of ± and the like from the locale.
		tablewriter.WithEastAsian(tw.Off),
		// Headers and names stay as they are: no upper case, trimming, wrapping.
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithTrimTab(tw.Off),
		tablewriter.WithAlignment(align),
	)
	t.Header(g.header)
	if err := t.Bulk(g.rows); err != nil {
		return err
	}
	return t.Render()
}
