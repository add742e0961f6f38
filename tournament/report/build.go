package report

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/ratings/textfmt"
)

// Input is what a page is made of, beside the games.
type Input struct {
	Title  string
	Tables table.Tables // the ratings, as gyges rate has them
	// Labels are the names that the tables have for agents, by their specs; those
	// that aren't in it are called by their specs.
	Labels map[string]string
	Series *ratings.Series // ratings over time; nil: none
	Wide   bool            // the rating table has bootstrap intervals
	Again  []string        // command lines that make the ratings and this page
	Maker  string          // the program that makes the page: its version line
}

// builder makes a page.
type builder struct {
	tables    table.Tables
	labels    map[string]string
	columns   string
	collected *Collector
	viewer    *Viewer
	rulesAt   map[string]int // places in the viewer's lists
	agentsAt  map[string]int
}

// Build makes the page of the games collected and of their ratings. It returns an
// error for ratings that can't be compared.
func Build(c *Collector, in Input) (*Page, error) {
	b := &builder{tables: in.Tables, labels: in.Labels, columns: table.TextColumns, collected: c}
	if in.Wide {
		b.columns = strings.Replace(b.columns, ",error,", ",error,bootstrap,", 1)
	}
	b.viewer, b.rulesAt, b.agentsAt = c.viewer(b.label)
	p := &Page{Title: textfmt.Visible(in.Title)}
	if c.games > 0 { // else it was a tuning
		who, err := b.who()
		if err != nil {
			return nil, err
		}
		if p.Lead, err = b.lead(); err != nil {
			return nil, err
		}
		p.Facts, p.Sampled = b.facts(), b.sampled()
		p.Sections = []Section{who, b.how()}
	}
	for _, s := range []Section{b.tests(), b.course(in.Series)} {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	p.Sections = append(p.Sections, b.made(in))
	if len(b.viewer.Games) > 0 {
		p.Viewer = b.viewer
	}
	return p, nil
}

// label returns the name of an agent in the tables.
func (b *builder) label(agent string) string {
	if label, ok := b.labels[agent]; ok {
		return label
	}
	return agent
}

// sampled says which games can be looked at.
func (b *builder) sampled() string {
	c := b.collected
	switch n := int64(len(b.viewer.Games)); n {
	case c.games:
		return "All " + games(n) + " can be replayed here."
	case 0:
		return "No games to replay were kept."
	default:
		if !c.sample.dropped {
			return fmt.Sprintf("%s of %s can be replayed here; the others have no moves on record.", textfmt.Thousands(n), games(c.games))
		}
		return fmt.Sprintf("%s of %s can be replayed here, drawn by chance (seed %d) from every pairing and every way to end. All counts are over all games; gyges report --games N keeps more.",
			textfmt.Thousands(n), games(c.games), c.options.Seed)
	}
}

// lead says who is first.
func (b *builder) lead() ([]string, error) {
	var list []string
	for _, t := range b.tables.Printed() {
		text, err := leadOf(t.Ratings)
		if err != nil {
			return nil, err
		}
		if t.Title != "" {
			text = textfmt.Visible(t.Title) + ": " + text
		}
		list = append(list, text)
	}
	return list, nil
}

// leadOf is a sentence on the first of one table.
func leadOf(r *ratings.Ratings) (string, error) {
	text := ""
	for _, u := range r.Unrated {
		if u.Cause == ratings.WonAll && text == "" {
			text = fmt.Sprintf("%s won all of its %s, so it has no rating; below it, ", textfmt.Visible(u.Name), games(int64(u.Games())))
		}
	}
	if len(r.Players) < 2 || r.Players[1].Group != 0 {
		return text + "nobody's rating can be compared with another's.", nil
	}
	first, second := r.Players[0].Name, r.Players[1].Name
	d, err := r.Difference(first, second)
	return text + fmt.Sprintf("%s stands first, %s ± %s Elo above %s, and is the stronger one with a likelihood of %s %%.",
		textfmt.Visible(first), textfmt.Decimal(d.Elo), textfmt.Decimal(d.Error), textfmt.Visible(second), textfmt.Decimal(100*d.LOS)), err
}

// facts are the figures at the top.
func (b *builder) facts() []Fact {
	c := b.collected
	list := []Fact{{"games", textfmt.Thousands(c.games)}}
	players := map[string]bool{}
	plies, whole := 0.0, int64(0)
	for _, r := range c.rules {
		for _, a := range r.order {
			players[a] = true
		}
		for n, k := range r.lengths {
			plies += float64(n) * float64(k)
			whole += k
		}
	}
	list = append(list, Fact{"players", textfmt.Thousands(int64(len(players)))}, Fact{"rule sets", textfmt.Thousands(int64(len(c.rules)))})
	if whole > 0 {
		list = append(list, Fact{"plies a game", textfmt.Decimal(plies / float64(whole))})
	}
	for _, r := range c.runs {
		if m := r.about.Manifest; m != nil && !m.Start.IsZero() {
			return append(list, Fact{"begun", m.Start.UTC().Format("2006-01-02 15:04 UTC")})
		}
	}
	return list
}

// rulesOf is the rule set of a table's title, as gyges rate gives it; empty for
// all together.
func rulesOf(title string) string {
	if name, ok := strings.CutPrefix(title, "Rules "); ok {
		return name
	}
	return ""
}

// filter picks games of the sample: player and against, both or neither, pick
// those between the two. Empty fields pick all.
type filter struct{ rules, player, against, result, reason string }

// link returns the fragment of the page that lists the games of a filter; empty
// where no such game is at hand.
func (b *builder) link(f filter) string {
	values := url.Values{}
	number := func(key string, at map[string]int, name string) int {
		i, ok := at[name]
		switch {
		case name == "":
			return -1
		case !ok:
			return -2 // no game has it
		}
		values.Set(key, strconv.Itoa(i))
		return i
	}
	rules, player, against := number("rules", b.rulesAt, f.rules), number("player", b.agentsAt, f.player), number("against", b.agentsAt, f.against)
	if f.result != "" {
		values.Set("result", f.result)
	}
	if f.reason != "" {
		f.reason = textfmt.Visible(f.reason)
		values.Set("reason", f.reason)
	}
	for i := range b.viewer.Games {
		g := &b.viewer.Games[i]
		met := g.South == player && g.North == against || g.North == player && g.South == against
		if (rules == -1 || g.Rules == rules) && (player == -1 || met) &&
			(f.result == "" || g.Result == f.result) && (f.reason == "" || g.Reason == f.reason) {
			return "#list&" + values.Encode()
		}
	}
	return ""
}
