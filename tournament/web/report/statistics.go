package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

const maxAgentRows = 200 // players in a table of faults or reviews, parameters of a tuning

func (b *builder) statistics() Section {
	s := Section{ID: "statistics", Title: "Game statistics"}
	results := grid.New("Results by side", 1, "Rules", "Games", "South won", "Drawn", "North won", "South's score")
	openings := grid.New("Game pairs by what decided them", 1,
		"Rules", "Pairs", "South won both", "North won both", "One player won both", "Any drawn", "One game twice")
	for _, r := range b.collected.RuleSets {
		name, o := ruleSetName(r.Name), r.Pairs
		results.Add(name, b.linked(r.Games(), r, filter{}), b.linked(r.Results[0], r, filter{result: "1-0"}),
			b.linked(r.Results[1], r, filter{result: "1/2-1/2"}), b.linked(r.Results[2], r, filter{result: "0-1"}),
			grid.Percent((float64(r.Results[0])+float64(r.Results[1])/2)/float64(r.Games())))
		if o.Pairs() > 0 {
			openings.Add(name, grid.Thousands(o.Pairs()), grid.Thousands(o.SouthTwice), grid.Thousands(o.NorthTwice),
				grid.Thousands(o.OnePlayer), grid.Thousands(o.Draws), grid.Thousands(o.OneGame))
		}
	}
	if !slices.ContainsFunc(b.collected.RuleSets, func(r *standings.RuleSet) bool { return r.Results[1] > 0 }) {
		results.Hide("Drawn")
		openings.Hide("Any drawn")
	}
	s.heading("statistics-sides", "By side and rule set")
	s.table("", results)
	if len(openings.Rows) > 0 {
		s.heading("statistics-openings", "Openings")
		s.text("An opening is played twice with sides swapped. Where one side won both games, the opening decided; " +
			"where one player won both, the player did. One game twice: both players chose the same moves on either side.")
		s.table("", openings)
	}
	for i, r := range b.collected.RuleSets {
		n := strconv.Itoa(i + 1) // for ids
		s.heading("statistics-"+n, "Games under "+ruleSetName(r.Name))
		b.reasons(&s, r)
		if len(r.Lengths) > 0 {
			s.figure(lengthPlot("lengths-"+n, ruleSetName(r.Name), r.Lengths))
		}
	}
	return s
}

func (b *builder) linked(n int64, r *standings.RuleSet, f filter) grid.Cell {
	c := grid.Thousands(n)
	if r.Name != "" { // else games imported without moves
		f.rules, f.reason = textfmt.Escape(r.Name), textfmt.Escape(f.reason)
		c.Link = b.link(f)
	}
	return c
}

func ruleSetName(rules string) string {
	if rules == "" {
		return "not named"
	}
	return textfmt.Visible(rules)
}

func (b *builder) reasons(s *Section, r *standings.RuleSet) {
	reasons := grid.New("How games ended", 1, "Reason", "Games", "Share", "South won", "Drawn", "North won")
	sum := func(name string) int64 { c := r.Reasons[name]; return c[0] + c[1] + c[2] }
	names := slices.SortedFunc(maps.Keys(r.Reasons), func(x, y string) int {
		return cmp.Or(cmp.Compare(sum(y), sum(x)), cmp.Compare(x, y))
	})
	for _, name := range names {
		c, n := r.Reasons[name], sum(name)
		reasons.Add(reasonName(name), b.linked(n, r, filter{reason: name}), grid.Percent(float64(n)/float64(r.Games())),
			grid.Thousands(c[0]), grid.Thousands(c[1]), grid.Thousands(c[2]))
	}
	if r.Results[1] == 0 {
		reasons.Hide("Drawn")
	}
	s.table("", reasons)
	faults := grid.New("Games lost by faults", 2, "Player", "Fault", "Games")
	for _, name := range r.Order {
		a := r.Players[name]
		for _, kind := range slices.Sorted(maps.Keys(a.Faults)) {
			faults.Add(grid.Name(b.label(name)), reasonName(kind), grid.Thousands(a.Faults[kind]))
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

func reasonName(reason string) string {
	return cmp.Or(game.EndingOf(&record.Record{Reason: reason}).Text, textfmt.Visible(reason))
}

// lengthPlot draws the numbers of games by classes of lengths, with a mark at the median.
func lengthPlot(name, rules string, lengths map[int]int64) Figure {
	all := slices.Sorted(maps.Keys(lengths))
	longest, n, sum := all[len(all)-1], int64(0), 0.0
	for plies, c := range lengths {
		n += c
		sum += float64(plies) * float64(c)
	}
	const mostBars = 50
	width := 1
	for longest/width >= mostBars {
		width = int(niceStep(float64(width + 1)))
	}
	counts := make([]int64, longest/width+1)
	median, left := -1, (n+1)/2
	for _, plies := range all {
		counts[plies/width] += lengths[plies]
		if left -= lengths[plies]; left <= 0 && median < 0 {
			median = plies
		}
	}
	caption := fmt.Sprintf("Game lengths under %s: %s plies on average, median %d, from %d to %d",
		rules, textfmt.Decimal(sum/float64(n)), median, all[0], longest)
	return draw(name, caption, func(d *drawing) {
		const top, bottom = 26.0, 208.0 // the median is named above the bars
		left := pick(d, 56.0, 44.0)
		d.height = bottom + 44
		y := newAxis(0, float64(max(slices.Max(counts), 1)), bottom, top, 4)
		x := newAxis(0, float64(width*len(counts)), left, d.right(), pick(d, 8, 5))
		for _, t := range y.ticks {
			if t == math.Trunc(t) {
				d.line("grid", left, y.at(t), d.right(), y.at(t))
				d.text("tick", "end", left-8, y.at(t)+4, textfmt.Thousands(int64(t)))
			}
		}
		for i, n := range counts {
			if n == 0 {
				continue
			}
			class := strconv.Itoa(i * width)
			if width > 1 {
				class = fmt.Sprintf("%d–%d", i*width, (i+1)*width-1)
			}
			from, to, high := x.at(float64(i*width)), x.at(float64((i+1)*width)), y.at(float64(n))
			d.rect("bar", from+0.5, high, to-from-1, bottom-high, class+" plies: "+games(n))
		}
		d.line("zero", left, bottom, d.right(), bottom)
		mark := x.at(float64(median) + 0.5)
		d.line("mark", mark, top-18, mark, bottom)
		text, anchor, at := "median "+strconv.Itoa(median), "start", mark+5
		if at > d.width-tickChar*float64(len(text)) { // not cut at the edge
			anchor, at = "end", mark-5
		}
		d.text("tick", anchor, at, top-10, text)
		d.xAxis(&x, bottom, "plies")
	})
}
