package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// Input is what a page shows beside the games.
type Input struct {
	Title  string
	Tables table.Tables // the ratings, as gyges rate has them
	// Labels are the names that the tables have for agents, by their specs; others have their specs as names.
	Labels   map[string]string
	Commands []string // command lines that reproduce the ratings and this page
	Program  string   // the program that makes the page: its version line
}

type builder struct {
	Input
	collected *Collector
	viewer    *Viewer
}

func newBuilder(c *Collector, in Input) *builder {
	b := &builder{Input: in, collected: c}
	b.viewer = c.viewer(b.label)
	return b
}

// BuildReviews makes a page of reviewed games alone, without ratings: where they were lost, if there are
// several, and the viewer. All are of the same number of nodes. It uses no Tables of in.
func BuildReviews(c *Collector, in Input) *Page {
	b := newBuilder(c, in)
	p := &Page{Title: textfmt.Visible(in.Title), Sampled: b.sampledText(), Viewer: b.viewer}
	if c.Games() > 1 {
		p.Facts = b.facts()
		p.Sections = []Section{b.reviews()}
	}
	p.Facts = append(p.Facts, Fact{"nodes a move", textfmt.Thousands(c.runs[len(c.runs)-1].about.Reviews.Nodes)})
	p.Sections = append(p.Sections, GamesSection(), b.reproducibility())
	return p
}

// Build makes the page of the games collected and of their ratings.
func Build(c *Collector, in Input) *Page {
	b := newBuilder(c, in)
	p := &Page{Title: textfmt.Visible(in.Title), Viewer: b.viewer}
	if c.Games() > 0 { // else it was a tuning
		p.Summary, p.Facts, p.Sampled = b.summary(), b.facts(), b.sampledText()
		p.Gauge = b.gauge()
		p.Sections = []Section{b.standings(), b.statistics()}
	}
	for _, r := range c.runs {
		if t := r.about.Tuning; t != nil && t.headline() != "" {
			p.Summary = append(p.Summary, t.headline())
		}
	}
	for _, s := range []Section{b.reviews(), b.tunings(), b.matches(), b.history()} {
		if len(s.Parts) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	if p.Sampled != "" {
		p.Sections = append(p.Sections, GamesSection())
	}
	p.Sections = append(p.Sections, b.reproducibility())
	return p
}

// GamesSection is the place of the viewer between the sections of a page. It has no parts.
func GamesSection() Section { return Section{ID: "games", Title: "Games"} }

func (b *builder) label(agent string) string { return cmp.Or(b.Labels[agent], agent) }

// name adds the name of a run to a section, if there are several runs.
func (b *builder) name(s *Section, r *run) {
	if len(b.collected.runs) > 1 {
		s.heading("", textfmt.Visible(r.about.Name))
	}
}

// sampledText is a sentence on the games that can be replayed.
func (b *builder) sampledText() string {
	c := b.collected
	n, all := textfmt.Thousands(int64(len(b.viewer.Games))), games(c.Games())
	switch {
	case c.Games() == 1 && len(b.viewer.Games) == 1:
		return "The game can be replayed here."
	case int64(len(b.viewer.Games)) == c.Games():
		return "All " + all + " can be replayed here."
	case len(b.viewer.Games) == 0:
		return "No games to replay were kept."
	case !c.sample.dropped:
		return fmt.Sprintf("%s of %s can be replayed here; the others have no moves on record that can be read.", n, all)
	}
	return fmt.Sprintf("%s of %s can be replayed here, drawn by chance (seed %d) from every pairing and every way "+
		"to end. All counts are over all games; gyges report --games N keeps more.", n, all, c.sample.Seed)
}

// summary names the winner by the format of each run and the first player of each table, and over all rules if these
// are rated together; of a gauntlet it has the result of the challenger.
func (b *builder) summary() (list []string) {
	for _, s := range b.Tables.Standings {
		if s.Result != "" && !s.Separate {
			list = append(list, textfmt.Visible(s.Result))
		}
	}
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

func leader(r *ratings.Ratings) string {
	text := ""
	if i := slices.IndexFunc(r.Unrated, func(p ratings.Player) bool { return p.Cause == ratings.WonAll }); i >= 0 {
		text = fmt.Sprintf("%s won all of its %s, so it has no rating; below it, ",
			textfmt.Visible(r.Unrated[i].Name), games(int64(r.Unrated[i].Games())))
	}
	if len(r.Players) < 2 || r.Players[1].Group != 0 {
		return text + "no two ratings can be compared."
	}
	first, second := r.Players[0].Name, r.Players[1].Name
	d, _ := r.Difference(first, second) // two players of one group
	first, second = textfmt.Visible(first), textfmt.Visible(second)
	if math.Abs(d.Elo) < 0.05 {
		return text + fmt.Sprintf("%s and %s are level (0 ± %.0f Elo).", first, second, d.Error)
	}
	return text + fmt.Sprintf("%s leads %s by %s Elo; the likelihood that it is the stronger one is %s %%.",
		first, second, plusMinus(d.Elo, d.Error), textfmt.Likelihood(d.LOS))
}

func (b *builder) facts() []Fact {
	c := b.collected
	players := map[string]bool{}
	plies, whole := 0.0, int64(0)
	for _, r := range c.RuleSets {
		for _, a := range r.Order {
			players[a] = true
		}
		for n, k := range r.Lengths {
			plies += float64(n) * float64(k)
			whole += k
		}
	}
	list := []Fact{
		{"games", textfmt.Thousands(c.Games())}, {"players", textfmt.Thousands(int64(len(players)))},
		{"rule sets", textfmt.Thousands(int64(len(c.RuleSets)))},
	}
	if whole > 0 {
		list = append(list, Fact{"plies a game", textfmt.Decimal(plies / float64(whole))})
	}
	if m := c.runs[0].about.Manifest; len(c.runs) == 1 && m != nil && m.Config.UntilError > 0 {
		goal, p := m.Config.UntilError, c.Precision(context.Background())
		ended := m.Status == tournament.Finished && (m.Games.Played < m.Games.Scheduled || p.Error <= goal)
		list = append(list, Fact{"precision", p.Text(goal, ended)})
	}
	for _, r := range c.runs {
		if start := dateText(r.started()); start != "" {
			return append(list, Fact{"started", start})
		}
	}
	return list
}

// filter selects games of the sample by printable texts, "" for all; with player and against those between the two.
type filter struct{ rules, player, against, result, reason string }

// link returns the page's fragment that lists the games of a filter of rules and one thing more; "": none is sampled.
func (b *builder) link(f filter) string {
	v := b.viewer
	rules := slices.Index(v.Rules, f.rules)
	player, against := slices.Index(v.Agents, f.player), slices.Index(v.Agents, f.against)
	selects := func(g ViewerGame) bool {
		return (f.rules == "" || g.Rules == rules) && (f.result == "" || g.Result == f.result) &&
			(f.player == "" || g.South == player && g.North == against || g.South == against && g.North == player) &&
			(f.reason == "" || g.Reason == f.reason)
	}
	if !slices.ContainsFunc(v.Games, selects) {
		return ""
	}
	index := func(i int) string { return strings.TrimPrefix(strconv.Itoa(i), "-1") } // texts in the lists are not empty
	values := url.Values{"rules": {index(rules)}, "player": {index(player)}, "against": {index(against)},
		"result": {f.result}, "reason": {f.reason}}
	maps.DeleteFunc(values, func(_ string, v []string) bool { return v[0] == "" })
	return "#list&" + values.Encode()
}
