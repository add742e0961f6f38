package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// Input is what a page shows beside the games.
type Input struct {
	Title  string
	Tables table.Tables // the ratings, as gyges rate has them
	// Labels are the names that the tables have for agents, by their specs. Others have their specs
	// as names.
	Labels   map[string]string
	Commands []string // command lines that reproduce the ratings and this page
	Program  string   // the program that makes the page: its version line
}

// builder makes the sections of a page, each in the file of its name.
type builder struct {
	Input
	*Collector
	viewer *Viewer
}

func newBuilder(c *Collector, in Input) *builder {
	b := &builder{Input: in, Collector: c}
	b.viewer = c.viewer(b.label)
	return b
}

// BuildReviews makes a page of reviewed games alone, without ratings: where they were lost, if
// there are several, and the viewer. All are of the same number of nodes. It uses no Tables of in.
func BuildReviews(c *Collector, in Input) *Page {
	b := newBuilder(c, in)
	p := &Page{
		Title:   textfmt.Visible(in.Title),
		Sampled: b.sampledText(),
		Viewer:  b.viewer,
	}
	if c.Games() > 1 {
		p.Facts = b.facts()
		p.Sections = []Section{b.reviews()}
	}
	nodes := textfmt.Thousands(c.runs[0].Reviews.Nodes)
	p.Facts = append(p.Facts, Fact{"nodes a move", nodes})
	p.Sections = append(p.Sections, GamesSection(), b.reproducibility())
	return p
}

// Build makes the page of the games collected and of their ratings.
func Build(c *Collector, in Input) *Page {
	b := newBuilder(c, in)
	p := &Page{Title: textfmt.Visible(in.Title), Viewer: b.viewer}
	if c.Games() > 0 { // else it was a tuning
		p.Summary = b.summary()
		p.Facts = b.facts()
		p.Sampled = b.sampledText()
		p.Gauge = b.gauge()
		p.Sections = []Section{b.standings(), b.statistics()}
	}
	for _, r := range c.runs {
		if r.Tuning == nil {
			continue
		}
		if text := r.Tuning.headline(); text != "" {
			p.Summary = append(p.Summary, text)
		}
	}
	// Sections without parts are left out: most runs have no tuning, for example.
	for _, s := range []Section{b.reviews(), b.tunings(), b.matches(), b.history()} {
		if len(s.Parts) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	if c.Games() > 0 {
		p.Sections = append(p.Sections, GamesSection())
	}
	p.Sections = append(p.Sections, b.reproducibility())
	return p
}

// GamesSection is the place of the viewer between the sections of a page. It has no parts.
func GamesSection() Section { return Section{ID: "games", Title: "Games"} }

// label is the name of an agent in tables.
func (b *builder) label(agent string) string { return cmp.Or(b.Labels[agent], agent) }

// name adds the name of a run to a section, if there are several runs.
func (b *builder) name(s *Section, r *run) {
	if len(b.runs) > 1 {
		s.heading("", textfmt.Visible(r.Name))
	}
}

// sampledText is a sentence on the games that can be replayed.
func (b *builder) sampledText() string {
	shown := int64(len(b.viewer.Games))
	n, all := textfmt.Thousands(shown), games(b.Games())
	switch {
	case shown == 1 && b.Games() == 1:
		return "The game can be replayed here."
	case shown == b.Games():
		return "All " + all + " can be replayed here."
	case shown == 0:
		return "No games to replay were kept."
	case !b.sample.dropped:
		return n + " of " + all + " can be replayed here; " +
			"the others have no moves on record that can be read."
	}
	return fmt.Sprintf("%s of %s can be replayed here, drawn by chance (seed %d) from every "+
		"pairing and every way to end. All counts are over all games; "+
		"gyges report --games N keeps more.",
		n, all, b.sample.Seed)
}

// summary names the winner by the format of each run and the first player of each table, and over
// all rules if these are rated together. Of a gauntlet it has the result of the challenger.
func (b *builder) summary() (list []string) {
	for _, s := range b.Tables.Standings {
		if s.Result != "" && !s.Separate {
			list = append(list, textfmt.Visible(s.Result))
		}
	}
	// If the table of all differs from the last part, the rule sets were rated together.
	tables := b.Tables
	if n := len(tables.Parts); n > 1 {
		tables.Pool = tables.All.Title != tables.Parts[n-1].Title
	}
	for _, t := range tables.Printed() {
		text := cmp.Or(t.Score(), leader(t.Ratings))
		if g := t.Gauntlet(); g != nil {
			text = textfmt.Visible(g.Result)
		}
		if t.Title != "" {
			text = textfmt.Visible(t.Title) + ": " + text
		}
		list = append(list, text)
	}
	return list
}

// leader is a sentence on who leads by how much.
func leader(r *ratings.Ratings) string {
	// Who has won all games leads without a rating.
	text := ""
	for _, p := range r.Unrated {
		if p.Cause == ratings.WonAll {
			text = fmt.Sprintf("%s won all of its %s, so it has no rating; below it, ",
				textfmt.Visible(p.Name), games(int64(p.Games())))
			break
		}
	}
	if len(r.Players) < 2 || r.Players[1].Group != 0 {
		return text + "no two ratings can be compared."
	}
	first, second := r.Players[0].Name, r.Players[1].Name
	d, _ := r.Difference(first, second) // two players of one group
	first, second = textfmt.Visible(first), textfmt.Visible(second)
	// A difference that would be told as 0.0 is none.
	if math.Abs(d.Elo) < 0.05 {
		return text + fmt.Sprintf("%s and %s are level (0 ± %.0f Elo).", first, second, d.Error)
	}
	return text + fmt.Sprintf("%s leads %s by %s Elo; "+
		"the likelihood that it is the stronger one is %s %%.",
		first, second, plusMinus(d.Elo, d.Error), textfmt.Likelihood(d.LOS))
}

// facts are the main numbers, which stand at the top of the page.
func (b *builder) facts() []Fact {
	plies, whole := 0.0, int64(0) // of the games whose moves are known
	for _, r := range b.RuleSets {
		for length, games := range r.Lengths {
			plies += float64(length) * float64(games)
			whole += games
		}
	}
	list := []Fact{
		{"games", textfmt.Thousands(b.Games())},
		{"players", textfmt.Thousands(int64(len(b.Players())))},
		{"rule sets", textfmt.Thousands(int64(len(b.RuleSets)))},
	}
	if whole > 0 {
		list = append(list, Fact{"plies a game", textfmt.Decimal(plies / float64(whole))})
	}
	// The precision of a run that ends by it is told until it is reached.
	m := b.runs[0].Manifest
	if len(b.runs) == 1 && m != nil && m.Config.UntilError > 0 {
		goal := m.Config.UntilError
		p := b.Precision(context.Background())
		wasReached := m.Games.Played < m.Games.Scheduled || p.Error <= goal
		ended := m.Status == tournament.Finished && wasReached
		list = append(list, Fact{"precision", p.Text(goal, ended)})
	}
	for _, r := range b.runs {
		if start := dateText(r.started()); start != "" {
			return append(list, Fact{"started", start})
		}
	}
	return list
}

// filter selects games of the sample by printable texts; "" selects all. player and against select
// the games between the two.
type filter struct{ rules, player, against, result, reason string }

// selects reports whether the filter selects a game of the viewer.
func (f filter) selects(v *Viewer, g ViewerGame) bool {
	if f.rules != "" && f.rules != v.Rules[g.Rules] {
		return false
	}
	if f.result != "" && f.result != g.Result {
		return false
	}
	if f.reason != "" && f.reason != g.Reason {
		return false
	}
	if f.player == "" {
		return true
	}
	south, north := v.Agents[g.South], v.Agents[g.North]
	isSouth := f.player == south && f.against == north
	isNorth := f.player == north && f.against == south
	return isSouth || isNorth
}

// link returns the page's fragment that lists the games of a filter, in which rules, player and
// against are indices of the viewer's lists; "" if the sample has none of them.
func (b *builder) link(f filter) string {
	v := b.viewer
	isSelected := func(g ViewerGame) bool { return f.selects(v, g) }
	if !slices.ContainsFunc(v.Games, isSelected) {
		return ""
	}
	values := url.Values{}
	if f.rules != "" {
		values.Set("rules", strconv.Itoa(slices.Index(v.Rules, f.rules)))
	}
	if f.player != "" {
		values.Set("player", strconv.Itoa(slices.Index(v.Agents, f.player)))
		values.Set("against", strconv.Itoa(slices.Index(v.Agents, f.against)))
	}
	if f.result != "" {
		values.Set("result", f.result)
	}
	if f.reason != "" {
		values.Set("reason", f.reason)
	}
	return "#list&" + values.Encode()
}
