package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/csvfile"
	"gyges/rules/base/suggest"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// gameColumn is a column of the list of games.
type gameColumn struct {
	key, header string
	words       bool // to the left, and cut where the line is too long
	cell        func(run string, g *record.Game, names *playerNames) string
}

var gameColumns = []gameColumn{
	{"run", "Run", true, func(run string, _ *record.Game, _ *playerNames) string { return run }},
	{"game", "Game", false, func(_ string, g *record.Game, _ *playerNames) string { return fmt.Sprint(g.Game) }},
	{"pair", "Pair", false, func(_ string, g *record.Game, _ *playerNames) string { return fmt.Sprint(g.Pair) }},
	{"rules", "Rules", true, func(_ string, g *record.Game, _ *playerNames) string { return g.Rules }},
	{"south", "South", true, func(_ string, g *record.Game, n *playerNames) string { return n.name(g.South.Agent) }},
	{"north", "North", true, func(_ string, g *record.Game, n *playerNames) string { return n.name(g.North.Agent) }},
	{"result", "Result", true, func(_ string, g *record.Game, _ *playerNames) string { return g.Result }},
	{"reason", "Reason", true, func(_ string, g *record.Game, _ *playerNames) string { return g.Reason }},
	{"plies", "Plies", false, func(_ string, g *record.Game, _ *playerNames) string { return fmt.Sprint(g.Plies) }},
}

// parseGameColumns returns the columns with these keys, separated by commas; nil for none.
func parseGameColumns(keys string) ([]gameColumn, error) {
	if keys == "" {
		return nil, nil
	}
	var known []string
	for _, c := range gameColumns {
		known = append(known, c.key)
	}
	var chosen []gameColumn
	for key := range strings.SplitSeq(keys, ",") {
		i := slices.Index(known, strings.TrimSpace(key))
		if i < 0 {
			return nil, fmt.Errorf("--columns: %s", suggest.Unknown("column", key, known))
		}
		chosen = append(chosen, gameColumns[i])
	}
	return chosen, nil
}

// gameWriter lists games in a format. It keeps some rows in memory at most.
type gameWriter struct {
	format    string
	out       *output
	columns   []gameColumn
	chosen    bool // the columns
	runs      bool // there are several: say which
	n         int
	wins      [3]int // of South, neither, of North
	notPlayed int    // games not played
	names     playerNames

	widths  []int      // of columns of text
	cut     bool       // words that are wider
	short   shortNames // words that have been cut
	waiting [][]string // rows of text
	csv     csvfile.Writer
}

// learnWidths is how many rows of text the columns' widths are taken from.
const learnWidths = 1000

func newGameWriter(format string, out *output, columns []gameColumn, runs bool) *gameWriter {
	w := &gameWriter{format: format, out: out, columns: columns, runs: runs, csv: csvfile.NewWriter(out)}
	w.chosen = len(columns) > 0
	if !w.chosen {
		w.columns = slices.Clone(gameColumns)
		if !runs {
			w.columns = w.columns[1:]
		}
	}
	return w
}

// header names the columns, for people or for programs.
func (w *gameWriter) header() []string {
	var header []string
	for _, c := range w.columns {
		if w.format == "csv" {
			header = append(header, c.key)
		} else {
			header = append(header, c.header)
		}
	}
	return header
}

func (w *gameWriter) row(run string, g *record.Game) []string {
	row := make([]string, len(w.columns))
	for i, c := range w.columns {
		row[i] = c.cell(run, g, &w.names)
	}
	return row
}

// game writes a game.
func (w *gameWriter) game(run string, g *record.Game) error {
	w.n++
	if g.NotPlayed() {
		w.notPlayed++
	} else {
		w.wins[record.HalfPoints(g.Result, rules.North)]++
	}
	switch w.format {
	case "jsonl":
		line, err := record.Lines(g)
		if err == nil {
			_, err = w.out.Write(line)
		}
		return asFailure(err)
	case "json":
		return w.json(run, g)
	case "csv":
		if w.n == 1 {
			_ = w.csv.Write(w.header()) // the error comes again
		}
		return asFailure(w.csv.Write(w.row(run, g)))
	case "markdown":
		w.markdown(run, g)
	default:
		w.text(w.row(run, g))
	}
	return nil
}

// listedGame is a game in JSON.
type listedGame struct {
	Run    string `json:"run,omitempty"`
	Game   int64  `json:"game"`
	Pair   int64  `json:"pair"`
	Rules  string `json:"rules"`
	South  string `json:"south"`
	North  string `json:"north"`
	Result string `json:"result"`
	Reason string `json:"reason"`
	Plies  int    `json:"plies"`
}

func (w *gameWriter) json(run string, g *record.Game) error {
	if !w.runs {
		run = ""
	}
	text, err := json.Marshal(listedGame{
		run, g.Game, g.Pair, g.Rules, w.names.name(g.South.Agent), w.names.name(g.North.Agent), g.Result, g.Reason, g.Plies,
	})
	if err != nil {
		return failure{err}
	}
	open := ",\n"
	if w.n == 1 {
		open = "[\n"
	}
	w.out.printf("%s  %s", open, text)
	return nil
}

func (w *gameWriter) markdown(run string, g *record.Game) {
	line := func(cells []string) {
		for _, cell := range cells {
			w.out.printf("| %s ", strings.ReplaceAll(textfmt.Escape(cell), "|", `\|`))
		}
		w.out.printf("|\n")
	}
	if w.n == 1 {
		header := w.header()
		line(header)
		w.out.printf("%s|\n", strings.Repeat("|---", len(header)))
	}
	line(w.row(run, g))
}

// text writes a row, or keeps it until the widths of the columns are known.
func (w *gameWriter) text(row []string) {
	for i := range row {
		row[i] = textfmt.Escape(row[i])
	}
	if w.n > learnWidths {
		w.aligned(row)
		return
	}
	w.waiting = append(w.waiting, row)
	if w.n == learnWidths {
		w.flush()
	}
}

// flush writes what waits.
func (w *gameWriter) flush() {
	if len(w.waiting) > 0 {
		w.waiting = append([][]string{w.header()}, w.waiting...)
		w.fit()
		for _, row := range w.waiting {
			w.aligned(row)
		}
		w.waiting = nil
	}
	w.csv.Flush()
}

// fit sets the widths of the columns. Where a line would be too long, it leaves out the pairs, unless
// columns were chosen, and lets words be cut, those of the widest column first.
func (w *gameWriter) fit() {
	const gap, narrowest = 2, 10
	w.widths = make([]int, len(w.columns))
	over := -gap - tableWidth(w.out)
	for i := range w.columns {
		for _, row := range w.waiting {
			w.widths[i] = max(w.widths[i], textfmt.Width(row[i]))
		}
		over += gap + w.widths[i]
	}
	isPair := func(c gameColumn) bool { return c.key == "pair" }
	if i := slices.IndexFunc(w.columns, isPair); over > 0 && i >= 0 && !w.chosen {
		for k, row := range w.waiting {
			w.waiting[k] = slices.Delete(row, i, i+1)
		}
		w.columns = slices.Delete(w.columns, i, i+1)
		w.fit()
		return
	}
	var cut []int
	for ; over > 0; over-- {
		widest := -1
		for i, c := range w.columns {
			if c.words && w.widths[i] > narrowest && (widest < 0 || w.widths[i] > w.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		w.widths[widest]--
		cut = append(cut, widest)
		w.cut = true
	}
	for _, i := range cut { // a name looks the same in all columns
		w.widths[i] = min(w.widths[i], w.widths[cut[len(cut)-1]])
	}
}

// aligned writes a row of text: numbers to the right, words to the left.
func (w *gameWriter) aligned(row []string) {
	var b strings.Builder
	for i, cell := range row {
		words := w.columns[i].words
		if words && w.cut {
			cell = w.short.cut(cell, w.widths[i])
		}
		pad := strings.Repeat(" ", max(0, w.widths[i]-textfmt.Width(cell)))
		if i > 0 {
			b.WriteString("  ")
		}
		if words {
			b.WriteString(cell + pad)
		} else {
			b.WriteString(pad + cell)
		}
	}
	w.out.printf("%s\n", strings.TrimRight(b.String(), " "))
}

// shortNames are the names that have been cut, by what is left of them.
type shortNames map[string]string

// cut returns a name of at most so many columns: a longer one is cut in the middle or, if another
// name would then look the same, elsewhere. A name that can't be told from another is returned whole.
func (s *shortNames) cut(name string, columns int) string {
	if *s == nil {
		*s = shortNames{}
	}
	for head := range textfmt.Cuts(name, columns) {
		if other, taken := (*s)[head]; !taken || other == name {
			(*s)[head] = name
			return head
		}
	}
	return name
}

// end writes what stands at the end of a list.
func (w *gameWriter) end() error {
	w.flush()
	switch {
	case w.format == "json" && w.n == 0:
		w.out.printf("[]\n")
	case w.format == "json":
		w.out.printf("\n]\n")
	case w.format == "csv" && w.n == 0:
		_ = w.csv.Write(w.header()) // Error returns it
		w.csv.Flush()
	case w.format == "text":
		if w.n > 0 {
			w.out.printf("\n")
		}
		w.out.printf("%s", textfmt.Plural(w.n, "game"))
		if w.n > 0 {
			w.out.printf(": South won %d, drawn %d, North won %d", w.wins[0], w.wins[1], w.wins[2])
		}
		if w.notPlayed > 0 {
			w.out.printf(", not played %d", w.notPlayed)
		}
		w.out.printf("\n")
	}
	if err := w.csv.Error(); err != nil {
		return fmt.Errorf("write the output: %w", failure{err})
	}
	return nil
}

// playerNames gives each player one name: its label, or if another player has that, its
// spec. The zero value is ready to use.
type playerNames struct{ of, taken map[string]string } // names by specs, and specs by names

func (n *playerNames) name(spec string) string {
	if name, ok := n.of[spec]; ok {
		return name
	}
	if n.of == nil {
		n.of, n.taken = map[string]string{}, map[string]string{}
	}
	name := agents.LabelOf(spec)
	if other, taken := n.taken[name]; taken && other != spec {
		name = spec
	}
	n.of[spec], n.taken[name] = name, spec
	return name
}
