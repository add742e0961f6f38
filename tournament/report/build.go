package report

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gyges/ratings"
	"gyges/ratings/sprt"
)

// Input is what a page is made of, beside the games.
type Input struct {
	Title string
	Book  ratings.Book // the ratings, as gyges rate has them
	// Labels are the names that the book has for agents, by their specs; those
	// that aren't in it are called by their specs.
	Labels map[string]string
	Series *ratings.Series // ratings over time; nil: none
	Wide   bool            // the rating table has bootstrap intervals
	Again  []string        // command lines that make the ratings and this page
	Maker  string          // the program that makes the page: its version line
}

// builder makes a page.
type builder struct {
	book      ratings.Book
	labels    map[string]string
	columns   string
	collected *Collector
	viewer    *Viewer
	rulesAt   map[string]int // places in the viewer's lists
	agentsAt  map[string]int
}

// Build makes the page of the games collected and of their ratings. The error is
// that of ctx, or of ratings that can't be compared.
func Build(ctx context.Context, c *Collector, in Input) (*Page, error) {
	b := &builder{book: in.Book, labels: in.Labels, columns: ratings.TextColumns, collected: c}
	c.pairs.Flush()
	if in.Wide {
		b.columns = strings.Replace(b.columns, ",error,", ",error,bootstrap,", 1)
	}
	b.viewer, b.rulesAt, b.agentsAt = c.viewer(b.label)
	p := &Page{Title: ratings.Visible(in.Title)}
	who, err := b.who(ctx)
	if err != nil {
		return nil, err
	}
	if p.Lead, err = b.lead(ctx); err != nil {
		return nil, err
	}
	p.Facts = b.facts()
	p.Sections = []Section{who, b.how()}
	for _, s := range []Section{b.tests(), b.course(in.Series)} {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	p.Sections = append(p.Sections, b.made(in))
	if len(b.viewer.Games) > 0 {
		p.Viewer = b.viewer
	}
	p.Sampled = b.sampled()
	return p, nil
}

// label is what the book calls an agent.
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
			return fmt.Sprintf("%s of %s can be replayed here; the others have no moves on record.", count(n), games(c.games))
		}
		return fmt.Sprintf("%s of %s can be replayed here, drawn by chance (seed %d) from every pairing and every way to end. All counts are over all games; gyges report --games N keeps more.",
			count(n), games(c.games), c.options.Seed)
	}
}

// lead says who is first.
func (b *builder) lead(ctx context.Context) ([]string, error) {
	var list []string
	for _, t := range b.tables() {
		text, err := leadOf(ctx, t.Ratings)
		if err != nil {
			return nil, err
		}
		if t.Title != "" {
			text = ratings.Visible(t.Title) + ": " + text
		}
		list = append(list, text)
	}
	return list, nil
}

// leadOf is a sentence on the first of one table.
func leadOf(ctx context.Context, r *ratings.Ratings) (string, error) {
	text := ""
	for _, u := range r.Unrated {
		if u.Cause == ratings.WonAll && text == "" {
			text = fmt.Sprintf("%s won all of its %s, so it has no rating; below it, ", ratings.Visible(u.Name), games(int64(u.Games())))
		}
	}
	if len(r.Players) < 2 || r.Players[1].Group != 0 {
		return text + "nobody's rating can be compared with another's.", nil
	}
	first, second := r.Players[0].Name, r.Players[1].Name
	d, err := r.Difference(ctx, first, second)
	return text + fmt.Sprintf("%s stands first, %s ± %s Elo above %s, and is the stronger one with a likelihood of %s %%.",
		ratings.Visible(first), ratings.Decimal(d.Elo), ratings.Decimal(d.Error), ratings.Visible(second), ratings.Decimal(100*d.LOS)), err
}

// facts are the figures at the top.
func (b *builder) facts() []Fact {
	c := b.collected
	list := []Fact{{"games", count(c.games)}}
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
	list = append(list, Fact{"players", count(int64(len(players)))}, Fact{"rule sets", count(int64(len(c.rules)))})
	if whole > 0 {
		list = append(list, Fact{"plies a game", ratings.Decimal(plies / float64(whole))})
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
		f.reason = ratings.Visible(f.reason)
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

// tests builds the section on sequential tests.
func (b *builder) tests() Section {
	s := Section{ID: "test", Title: "The sequential test"}
	for i, r := range b.collected.runs {
		if r.path == nil || r.path.pairs.N() == 0 {
			continue
		}
		if len(b.collected.runs) > 1 {
			s.add(headingBlock("", ratings.Visible(r.about.Name)))
		}
		b.test(&s, i, r)
	}
	return s
}

func (b *builder) test(s *Section, i int, r *run) {
	p, t := r.path, r.path.test
	lower, upper := t.Bounds()
	verdict := "undecided"
	switch t.Verdict(p.pairs) {
	case sprt.AcceptH0:
		verdict = fmt.Sprintf("H0 accepted: elo0 = %v fits better", t.Elo0)
	case sprt.AcceptH1:
		verdict = fmt.Sprintf("H1 accepted: elo1 = %v fits better", t.Elo1)
	}
	player := ratings.Visible(b.label(p.player))
	s.add(Block{Facts: []Fact{
		{"result", verdict},
		{"LLR", fmt.Sprintf("%.4f", t.LLR(p.pairs))},
		{"bounds", fmt.Sprintf("%.4f %.4f", lower, upper)},
		{"hypotheses", fmt.Sprintf("elo %v against %v, %s; alpha %v, beta %v", t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta)},
		{"Elo of " + player, eloText(p.pairs)},
		{"pairs", fmt.Sprintf("%d: %d, %d, %d, %d, %d (0, ½, 1, 1½, 2 points)", p.pairs.N(), p.pairs[0], p.pairs[1], p.pairs[2], p.pairs[3], p.pairs[4])},
	}})
	line := plotLine{name: "LLR"}
	for _, q := range p.all() {
		line.points = append(line.points, plotPoint{x: float64(q.pairs), y: q.llr})
	}
	s.add(figureBlock(linePlot(plane{
		name: fmt.Sprintf("llr-%d", i+1), caption: "Log-likelihood ratio of H1 to H0, pair by pair, for " + player,
		xName: "game pairs", yName: "LLR", bare: true,
		levels: []level{{lower, "accept H0"}, {upper, "accept H1"}},
	}, []plotLine{line})))
}

// eloText is what pairs say of the strength, as gyges sprt prints it.
func eloText(p sprt.Pairs) string {
	elo, half, ok := p.Elo()
	switch {
	case !ok:
		return "no finite estimate: one player won everything"
	case math.IsNaN(half):
		return fmt.Sprintf("%.1f, no interval: all pairs gave the same", elo)
	}
	return fmt.Sprintf("%.1f ± %.1f (95 %%)", elo, half)
}

// course builds the section on ratings over time and on tuning and training.
func (b *builder) course(series *ratings.Series) Section {
	s := Section{ID: "course", Title: "Over time"}
	if series != nil {
		s.add(b.seriesBlocks(series)...)
	}
	for i, r := range b.collected.runs {
		for j, c := range r.about.Charts {
			if len(b.collected.runs) > 1 && j == 0 {
				s.add(headingBlock("", ratings.Visible(r.about.Name)))
			}
			s.add(chartBlocks(fmt.Sprintf("curve-%d-%d", i+1, j+1), c)...)
		}
	}
	return s
}

// seriesBlocks draw ratings over time.
func (b *builder) seriesBlocks(series *ratings.Series) []Block {
	var lines []plotLine
	for _, l := range series.Players {
		if len(lines) == numColours {
			break
		}
		line := plotLine{name: ratings.Visible(l.Name)}
		for _, p := range l.Points {
			line.points = append(line.points, plotPoint{
				x: float64(p.Step + 1), y: p.Elo, err: p.Error,
				title: fmt.Sprintf("%s, step %d: %s ± %s", line.name, p.Step+1, ratings.Decimal(p.Elo), ratings.Decimal(p.Error)),
			})
		}
		lines = append(lines, line)
	}
	steps := &Table{Caption: "Steps", Header: heads(0, "Step", "Run")}
	steps.Header[1].Left = true
	for i, name := range series.Steps {
		steps.row(cell(fmt.Sprint(i+1)), rowHead(ratings.Visible(name)))
	}
	blocks := []Block{figureBlock(linePlot(plane{name: "over-time", caption: "Ratings over time with their 95 % intervals", xName: "step", yName: "Elo"}, lines))}
	if n := len(series.Players); n > numColours {
		blocks = append(blocks, textBlock(fmt.Sprintf("The %d players with the highest last ratings of %d are drawn; gyges rate --over-time lists all.", numColours, n)))
	}
	for _, n := range series.Notes {
		blocks = append(blocks, textBlock("Note: "+ratings.Visible(n)+"."))
	}
	return append(blocks, tableBlock(steps))
}

// chartBlocks draw a chart of curves; of many the ones that moved most.
func chartBlocks(name string, c Chart) []Block {
	curves, all := slices.Clone(c.Lines), len(c.Lines)
	if all > numColours {
		slices.SortStableFunc(curves, func(x, y Curve) int { return -compareMoved(x, y) })
		curves = curves[:numColours]
	}
	var lines []plotLine
	for _, l := range curves {
		line := plotLine{name: optional(l.Name)}
		for _, p := range l.Points {
			line.points = append(line.points, plotPoint{x: p.X, y: p.Y, err: p.Error, title: strings.TrimSpace(fmt.Sprintf("%s at %g: %g", line.name, p.X, p.Y))})
		}
		lines = append(lines, line)
	}
	blocks := []Block{figureBlock(linePlot(plane{name: name, caption: ratings.Visible(c.Title), xName: optional(c.XName), yName: optional(c.YName)}, lines))}
	if all > numColours {
		blocks = append(blocks, textBlock(fmt.Sprintf("Of %d curves the %d that moved most are drawn.", all, numColours)))
	}
	return blocks
}

// compareMoved orders curves by the distance from their first to their last point.
func compareMoved(x, y Curve) int {
	moved := func(c Curve) float64 {
		if len(c.Points) == 0 {
			return 0
		}
		return math.Abs(c.Points[len(c.Points)-1].Y - c.Points[0].Y)
	}
	switch a, b := moved(x), moved(y); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
