package report

import (
	"cmp"
	"fmt"
	"gyges/ratings/textfmt"
	"maps"
	"slices"
	"strconv"
)

// maxAgentRows bounds the players in a table of efforts.
const maxAgentRows = 200

// how builds the section on how the games went.
func (b *builder) how() Section {
	s := Section{ID: "how", Title: "How"}
	rules := slices.DeleteFunc(slices.Clone(b.collected.rules), func(r *ruleStats) bool { return r.games() == 0 })
	var rows, openings []stack
	for _, r := range rules {
		rows = append(rows, stack{setName(r.rules), r.results})
		if r.openings.pairs() > 0 {
			openings = append(openings, stack{setName(r.rules), [3]int64{r.openings.southTwice, r.openings.onePlayer + r.openings.draws, r.openings.northTwice}})
		}
	}
	s.add(headingBlock("how-sides", "By side and rule set"))
	s.add(tableBlock(b.resultTable(rules)))
	s.add(figureBlock(stackPlot("results", "Results by side and rule set", [3]string{"South won", "drawn", "North won"}, rows)))
	if len(openings) > 0 {
		s.add(headingBlock("how-openings", "Openings"))
		s.add(textBlock("An opening is played twice with sides swapped. Where one side won both games, the opening decided; where one player won both, the player did."))
		s.add(tableBlock(openingTable(rules)))
		s.add(figureBlock(stackPlot("openings", "What decided the game pairs", [3]string{"South won both", "a player, or drawn", "North won both"}, openings)))
	}
	for i, r := range rules {
		b.rulesBlocks(&s, i, r)
	}
	return s
}

// resultTable counts results by rule set.
func (b *builder) resultTable(rules []*ruleStats) *Table {
	t := &Table{Caption: "Results by side", Header: heads(1, "Rules", "Games", "South won", "Drawn", "North won", "South's score")}
	for _, r := range rules {
		score := (float64(r.results[0]) + float64(r.results[1])/2) / float64(r.games())
		name := setName(r.rules)
		t.row(rowHead(name), linked(textfmt.Thousands(r.games()), b.linkUnder(r, filter{})),
			linked(textfmt.Thousands(r.results[0]), b.linkUnder(r, filter{result: "1-0"})),
			linked(textfmt.Thousands(r.results[1]), b.linkUnder(r, filter{result: "1/2-1/2"})),
			linked(textfmt.Thousands(r.results[2]), b.linkUnder(r, filter{result: "0-1"})),
			cell(percent(score)+" %"))
	}
	return t
}

func openingTable(rules []*ruleStats) *Table {
	t := &Table{Caption: "Game pairs by what decided them", Header: heads(1, "Rules", "Pairs", "South won both", "North won both", "One player won both", "Any drawn")}
	for _, r := range rules {
		if o := &r.openings; o.pairs() > 0 {
			t.row(rowHead(setName(r.rules)), cell(textfmt.Thousands(o.pairs())), cell(textfmt.Thousands(o.southTwice)), cell(textfmt.Thousands(o.northTwice)), cell(textfmt.Thousands(o.onePlayer)), cell(textfmt.Thousands(o.draws)))
		}
	}
	return t
}

// linkUnder is link for games under one rule set.
func (b *builder) linkUnder(r *ruleStats, f filter) string {
	f.rules = r.rules
	if f.rules == "" {
		return "" // imported games without moves
	}
	return b.link(f)
}

// setName is a rule set's name for people.
func setName(rules string) string {
	if rules == "" {
		return "not named"
	}
	return textfmt.Visible(rules)
}

// rulesBlocks adds what is shown of each rule set by itself.
func (b *builder) rulesBlocks(s *Section, i int, r *ruleStats) {
	name, n := setName(r.rules), strconv.Itoa(i+1)
	s.add(headingBlock("how-"+n, "Games under "+name))
	b.reasons(s, r)
	if len(r.lengths) > 0 {
		s.add(figureBlock(lengthPlot("lengths-"+n, name, r.lengths)))
	}
	b.efforts(s, n, r)
	b.calibration(s, n, r)
}

// reasons adds how games ended.
func (b *builder) reasons(s *Section, r *ruleStats) {
	if len(r.reasons) == 0 {
		return
	}
	t := &Table{Caption: "How games ended", Header: heads(1, "Reason", "Games", "Share", "South won", "Drawn", "North won")}
	sum := func(name string) int64 { c := r.reasons[name]; return c[0] + c[1] + c[2] }
	names := slices.SortedFunc(maps.Keys(r.reasons), func(x, y string) int {
		return cmp.Or(cmp.Compare(sum(y), sum(x)), cmp.Compare(x, y))
	})
	for _, name := range names {
		c := r.reasons[name]
		t.row(rowHead(reasonName(name)), linked(textfmt.Thousands(sum(name)), b.linkUnder(r, filter{reason: name})),
			cell(percent(float64(sum(name))/float64(r.games()))+" %"), cell(textfmt.Thousands(c[0])), cell(textfmt.Thousands(c[1])), cell(textfmt.Thousands(c[2])))
	}
	s.add(tableBlock(t))
	b.faults(s, r)
}

// faults adds who lost games by faults.
func (b *builder) faults(s *Section, r *ruleStats) {
	t := &Table{Caption: "Games lost by faults", Header: heads(2, "Player", "Fault", "Games")}
	for _, name := range r.order {
		a := r.agents[name]
		for _, kind := range slices.Sorted(maps.Keys(a.faults)) {
			if len(t.Rows) < maxAgentRows {
				t.row(rowHead(textfmt.Visible(b.label(name))), cell(reasonName(kind)), cell(textfmt.Thousands(a.faults[kind])))
			}
		}
	}
	if len(t.Rows) > 0 {
		s.add(tableBlock(t))
	}
}

// reasonName explains a reason of records.
func reasonName(reason string) string {
	known := map[string]string{
		"goal": "goal: a piece was brought over", "passes": "passes: two in a row", "length": "length: the rules' most plies",
		"illegal": "illegal: a move that isn't legal", "error": "error: the agent reported one", "panic": "panic: the agent panicked",
		"crash": "crash: the agent's program ended", "timeout": "timeout: no answer in time", "protocol": "protocol: the agent's program made no sense",
		"adjudicated-resign": "adjudicated: won and lost by both scores", "adjudicated-draw": "adjudicated: even by both scores",
		"adjudicated-proven": "adjudicated: proven", "imported": "imported: the result is another program's", "adjudicated-length": "adjudicated: too many plies",
	}
	if text, ok := known[reason]; ok {
		return text
	}
	return textfmt.Visible(reason)
}

// lengthPlot draws how long games were.
func lengthPlot(name, set string, lengths map[int]int64) Figure {
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
	for plies, c := range lengths {
		counts[plies/width] += c
	}
	median, left := 0, (n+1)/2
	for _, plies := range all {
		if left -= lengths[plies]; left <= 0 {
			median = plies
			break
		}
	}
	caption := fmt.Sprintf("Game lengths under %s: %s plies on average, median %d, from %d to %d", set, textfmt.Decimal(sum/float64(n)), median, all[0], longest)
	return histogram(name, caption, "plies", width, counts, float64(median)+0.5, "median "+strconv.Itoa(median))
}

// efforts adds the time, the nodes and the depth of moves.
func (b *builder) efforts(s *Section, n string, r *ruleStats) {
	t := &Table{Caption: "Effort a move, placements left out", Header: heads(1, "Player", "Moves", "Time, median", "95 % within", "Longest", "Nodes, mean", "Nodes/s", "Depth, mean", "Deepest")}
	var marks []rowMark
	for _, name := range r.order[:min(len(r.order), maxAgentRows)] {
		a, label := r.agents[name], textfmt.Visible(b.label(name))
		if a.moves == 0 {
			continue
		}
		dash := func(known bool, text string) Cell {
			if !known {
				return cell("–")
			}
			return cell(text)
		}
		rate := a.nodes.sum / max(a.time.sum, 1e-9) * 1000
		t.row(rowHead(label), cell(textfmt.Thousands(a.moves)),
			dash(a.time.n > 0, milliseconds(a.time.quantile(0.5))), dash(a.time.n > 0, milliseconds(a.time.quantile(0.95))), dash(a.time.n > 0, milliseconds(a.time.max)),
			dash(a.nodes.n > 0, figure(a.nodes.mean())), dash(a.nodes.n > 0 && a.time.sum > 0, figure(rate)),
			dash(a.depth.n > 0, textfmt.Decimal(a.depth.mean())), dash(a.depth.n > 0, figure(a.depth.max)))
		const least = 0.001 // clocks tell no less
		if low, mid, high := max(least, a.time.quantile(0.05)), max(least, a.time.quantile(0.5)), max(least, a.time.quantile(0.95)); a.time.n > 0 && mid > 0 && len(marks) < maxPlotted {
			marks = append(marks, rowMark{label: label, title: fmt.Sprintf("%s: median %s, 90 %% from %s to %s", label, milliseconds(mid), milliseconds(low), milliseconds(high)), low: low, mid: mid, high: high})
		}
	}
	if len(t.Rows) == 0 {
		return
	}
	s.add(tableBlock(t))
	if len(r.order) > maxAgentRows {
		s.add(textBlock(fmt.Sprintf("Of %d players the first %d are shown.", len(r.order), maxAgentRows)))
	}
	if len(marks) > 0 {
		s.add(figureBlock(rowPlot("time-"+n, "Time a move under "+setName(r.rules)+": median, and the range of nine moves in ten", "milliseconds", marks, true)))
	}
}

// calibration adds how scores and results agree.
func (b *builder) calibration(s *Section, n string, r *ruleStats) {
	const fewest = 20 // moves for a dot: fewer scatter too much
	var lines []plotLine
	claims := &Table{Caption: "Proven results that players claimed, move by move; what is proven may still be let slip", Header: heads(1, "Player", "Wins claimed", "of these not won", "Losses claimed", "of these not lost")}
	for _, name := range r.order[:min(len(r.order), maxAgentRows)] {
		a, line := r.agents[name], plotLine{name: textfmt.Visible(b.label(name))}
		for i, c := range a.scale {
			if c.moves < fewest {
				continue
			}
			score, share := i-maxBin, float64(c.half)/2/float64(c.moves)
			line.points = append(line.points, plotPoint{
				x: float64(score), y: share, size: 3 + min(4, float64(c.moves)/250),
				title: fmt.Sprintf("%s at %+d: %s %% of the points in %s moves", line.name, score, percent(share), textfmt.Thousands(c.moves)),
			})
		}
		if len(line.points) > 1 && len(lines) < numColours {
			lines = append(lines, line)
		}
		if a.wins != [2]int64{} || a.losses != [2]int64{} {
			claims.row(rowHead(line.name), cell(textfmt.Thousands(a.wins[0]+a.wins[1])), cell(textfmt.Thousands(a.wins[1])), cell(textfmt.Thousands(a.losses[0]+a.losses[1])), cell(textfmt.Thousands(a.losses[1])))
		}
	}
	if len(lines) > 0 {
		zero, one := 0.0, 1.0
		s.add(figureBlock(linePlot(plane{
			name: "calibration-" + n, caption: fmt.Sprintf("Evaluation against result under %s: what players scored, by what they thought of their position (%d moves and more a dot)", setName(r.rules), fewest),
			xName: "evaluation by the mover, points", yName: "points scored", yFrom: &zero, yTo: &one, percent: true, levels: []level{{0.5, ""}},
		}, lines)))
	}
	if len(claims.Rows) > 0 {
		s.add(tableBlock(claims))
	}
}
