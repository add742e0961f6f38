package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// maxAgentRows bounds the players in a table of faults or reviews, and the parameters of a tuning.
const maxAgentRows = 200

// statistics builds the section on the results by side and rule set, and on how games ended.
func (b *builder) statistics() Section {
	s := Section{ID: "statistics", Title: "Game statistics"}
	s.table("", firstRows(b.PlayerTable().WithTitle("Moves and time by player")))
	b.sides(&s)
	for i, r := range b.RuleSets {
		name := ruleSetName(r.Name)
		s.heading(numbered("statistics-", i), "Games under "+name)
		b.reasons(&s, r)
		if len(r.Lengths) > 0 {
			s.figure(lengthPlot(numbered("lengths-", i), name, r.Lengths))
		}
	}
	return s
}

// sides adds the results and the game pairs by rule set.
func (b *builder) sides(s *Section) {
	results := grid.New("Results by side", 1,
		"Rules", "Games", "South won", "Drawn", "North won", "South's score")
	openings := grid.New("Game pairs by what decided them", 1, "Rules", "Pairs",
		"South won both", "North won both", "One player won both", "Any drawn", "One game twice")
	anyDrawn := false
	for _, r := range b.RuleSets {
		name := ruleSetName(r.Name)
		south, drawn, north := r.Results[0], r.Results[1], r.Results[2]
		anyDrawn = anyDrawn || drawn > 0
		count := func(n int64, result string) grid.Cell {
			return b.linked(n, r, filter{result: result})
		}
		points := float64(south) + float64(drawn)/2
		share := points / float64(r.Games())
		results.Add(name, count(r.Games(), ""),
			count(south, "1-0"), count(drawn, "1/2-1/2"), count(north, "0-1"), grid.Percent(share))
		if p := r.Pairs; p.Pairs() > 0 {
			openings.Add(counted(name, p.Pairs(), p.SouthTwice, p.NorthTwice, p.OnePlayer,
				p.Draws, p.OneGame)...)
		}
	}
	// Most rule sets have no draws.
	if !anyDrawn {
		results.Hide("Drawn")
		openings.Hide("Any drawn")
	}
	s.heading("statistics-sides", "By side and rule set")
	s.table("", results)
	if len(openings.Rows) == 0 {
		return
	}
	s.heading("statistics-openings", "Openings")
	s.text("An opening is played twice with sides swapped. Where one side won both games, " +
		"the opening decided; where one player won both, the player did. " +
		"One game twice: both players chose the same moves on either side.")
	s.table("", openings)
}

// counted is a row, or the end of one, of numbers behind a cell.
func counted(first any, numbers ...int64) []any {
	row := []any{first}
	for _, n := range numbers {
		row = append(row, grid.Thousands(n))
	}
	return row
}

// linked is a number of games under a rule set that leads to those that the filter selects.
func (b *builder) linked(n int64, r *standings.RuleSet, f filter) grid.Cell {
	c := grid.Thousands(n)
	if r.Name != "" { // else games imported without moves
		f.rules = textfmt.Escape(r.Name)
		f.reason = textfmt.Escape(f.reason)
		c.Link = b.link(f)
	}
	return c
}

// ruleSetName is what headings call a rule set; games imported without moves may name none.
func ruleSetName(rules string) string {
	if rules == "" {
		return "not named"
	}
	return textfmt.Visible(rules)
}

// reasons adds how the games under a rule set ended, the most frequent reason first, and the
// faults.
func (b *builder) reasons(s *Section, r *standings.RuleSet) {
	reasons := grid.New("How games ended", 1,
		"Reason", "Games", "Share", "South won", "Drawn", "North won")
	sum := func(name string) int64 {
		results := r.Reasons[name]
		return results[0] + results[1] + results[2]
	}
	// Reasons that are equally frequent come in the order of their names.
	names := slices.SortedFunc(maps.Keys(r.Reasons), func(x, y string) int {
		return cmp.Or(cmp.Compare(sum(y), sum(x)), cmp.Compare(x, y))
	})
	for _, name := range names {
		n := sum(name)
		share := float64(n) / float64(r.Games())
		link := b.linked(n, r, filter{reason: name})
		results := r.Reasons[name][:]
		row := []any{reasonName(name), link}
		reasons.Add(append(row, counted(grid.Percent(share), results...)...)...)
	}
	if r.Results[1] == 0 {
		reasons.Hide("Drawn")
	}
	s.table("", reasons)

	// Faults are counted by player, in the order of their first games.
	faults := grid.New("Games lost by faults", 2, "Player", "Fault", "Games")
	for _, name := range b.Players() {
		counts := r.Faults[name]
		for _, kind := range slices.Sorted(maps.Keys(counts)) {
			player := grid.Name(b.label(name))
			faults.Add(player, reasonName(kind), grid.Thousands(counts[kind]))
		}
	}
	s.table("", firstRows(faults))
}

// firstRows cuts a table to maxAgentRows, and says so in its title.
func firstRows(t *grid.Table) *grid.Table {
	if n := len(t.Rows); n > maxAgentRows {
		t.Title += fmt.Sprintf(", the first %d of %d rows", maxAgentRows, n)
		t.Rows = t.Rows[:maxAgentRows]
	}
	return t
}

// reasonName is what tables call a reason of a game's end.
func reasonName(reason string) string {
	ending := game.EndingOf(&record.Record{Reason: reason})
	return cmp.Or(ending.Text, textfmt.Visible(reason))
}

// histogram has games by classes of lengths: class i has those of i*width plies and more.
type histogram struct {
	width             int // of a class, in plies
	games             []int64
	shortest, longest int
	mean              float64
	median            int
}

// newHistogram returns the histogram of the numbers of games by their plies, of which there are
// some, in at most 50 classes.
func newHistogram(lengths map[int]int64) histogram {
	sorted := slices.Sorted(maps.Keys(lengths))
	h := histogram{width: 1, shortest: sorted[0], longest: sorted[len(sorted)-1]}
	// Classes are as wide as it takes, by round numbers.
	const mostClasses = 50
	for h.longest/h.width >= mostClasses {
		h.width = int(niceStep(float64(h.width + 1)))
	}
	h.games = make([]int64, h.longest/h.width+1)
	var values, weights []float64
	for _, plies := range sorted {
		n := lengths[plies]
		h.games[plies/h.width] += n
		values = append(values, float64(plies))
		weights = append(weights, float64(n))
	}
	h.mean = stat.Mean(values, weights)
	h.median = int(stat.Quantile(0.5, stat.Empirical, values, weights))
	return h
}

// lengthPlot draws the numbers of games by classes of lengths, with a mark at the median.
func lengthPlot(name, rules string, lengths map[int]int64) Figure {
	h := newHistogram(lengths)
	caption := fmt.Sprintf("Game lengths under %s: %s plies on average, median %d, from %d to %d",
		rules, textfmt.Decimal(h.mean), h.median, h.shortest, h.longest)
	return draw(name, caption, func(d *drawing) {
		const top, bottom = 26.0, 208.0 // the median is named above the bars
		d.height = bottom + footHeight
		left := pick(d, 56.0, 44)
		most := float64(slices.Max(h.games))
		y := newAxis(interval{0, most}, bottom, top, 4)
		y.ticks = wholeTicks(y.ticks)
		d.yAxis(&y, left)
		end := float64(h.width * len(h.games)) // of the last class
		x := newAxis(interval{0, end}, left, d.right(), pick(d, 8, 5))
		// A bar for each class that has games.
		for i, n := range h.games {
			if n == 0 {
				continue
			}
			low, high := i*h.width, (i+1)*h.width
			title := strconv.Itoa(low)
			if h.width > 1 {
				title = fmt.Sprintf("%d–%d", low, high-1)
			}
			title += " plies: " + games(n)
			from := x.at(float64(low))
			width := x.at(float64(high)) - from
			height := y.at(float64(n))
			d.rect("bar", from+0.5, height, width-1, bottom-height, title)
		}
		d.line("zero", left, bottom, d.right(), bottom)

		// The median, with its name beside the mark.
		mark := x.at(float64(h.median) + 0.5)
		d.line("mark", mark, top-18, mark, bottom)
		text := fmt.Sprintf("median %d", h.median)
		at, anchor := mark+5, "start"
		if at > d.width-tickChar*float64(len(text)) { // not cut at the edge
			at, anchor = mark-5, "end"
		}
		d.text("tick", anchor, at, top-10, text)
		d.xAxis(&x, bottom, "plies")
	})
}
