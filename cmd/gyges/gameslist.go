package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gyges/ratings/csvfile"
	"gyges/tournament/record"
)

// gamesListCmd lists the games of runs.
type gamesListCmd struct {
	Runs []string `arg:"" name:"run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
	Format string `enum:"text,markdown,csv,json,jsonl" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv, json (an array, an object for each game) or jsonl (the records themselves)."`
}

// Help is the part of the help below the summary.
func (gamesListCmd) Help() string {
	return "Lists recorded games in the order of the file: the game's number, its pair, the rule set, the players, the result with " +
		"its reason, and the length in plies. A player is listed by its name=, if it has one. gyges games show replays a game. With --format jsonl the output is a file of records " +
		"again, which every command reads that reads runs."
}

func (gamesListCmd) examples() []example {
	return []example{
		{"gyges games results/quick-20260102-150405 --limit 20", ""},
		{"gyges games results/quick-20260102-150405 --agent greedy --result lost --rules kang", ""},
		{"gyges games results/quick-20260102-150405 --reason length,timeout --min-plies 100 --format csv", ""},
	}
}

// Run lists the games.
func (c *gamesListCmd) Run(ctx context.Context, e *env) error {
	if err := c.prepare(); err != nil {
		return err
	}
	files, err := runFiles(c.Runs)
	if err != nil {
		return err
	}
	w := newGameWriter(c.Format, e.out, len(files) > 1)
	err = c.chosen(ctx, e, files, func(i int, g *record.Game) error { return w.game(files[i].name, g) })
	if err != nil {
		w.flush()
		return err
	}
	return w.end()
}

// gameWriter lists games in a format. It keeps some rows in memory at most.
type gameWriter struct {
	format string
	out    *output
	runs   bool // there are several: say which
	n      int
	wins   [3]int // of South, of nobody, of North
	struck int    // games not played
	names  playerNames

	widths  []int      // of columns of text
	waiting [][]string // rows of text
	csv     csvfile.Writer
	line    []byte
}

// learnWidths is how many rows of text the columns' widths are taken from.
const learnWidths = 1000

func newGameWriter(format string, out *output, runs bool) *gameWriter {
	w := &gameWriter{format: format, out: out, runs: runs, csv: csvfile.NewWriter(out)}
	return w
}

// header names the columns, for people or for programs.
func (w *gameWriter) header() []string {
	header := []string{"Game", "Pair", "Rules", "South", "North", "Result", "Reason", "Plies"}
	if w.runs {
		header = append([]string{"Run"}, header...)
	}
	if w.format == "csv" {
		for i := range header {
			header[i] = strings.ToLower(header[i])
		}
	}
	return header
}

func (w *gameWriter) row(run string, g *record.Game) []string {
	row := []string{
		strconv.FormatInt(g.Game, 10), strconv.FormatInt(g.Pair, 10), g.Rules,
		w.names.name(g.South.Agent), w.names.name(g.North.Agent), g.Result, g.Reason, strconv.Itoa(g.Plies),
	}
	if w.runs {
		row = append([]string{run}, row...)
	}
	return row
}

// game writes a game.
func (w *gameWriter) game(run string, g *record.Game) error {
	w.n++
	if g.Struck() {
		w.struck++
	} else {
		w.wins[1-resultOf(g.Result)]++
	}
	switch w.format {
	case "jsonl":
		w.line = append(g.AppendJSON(w.line[:0]), '\n')
		_, err := w.out.Write(w.line)
		return writeFailure(err)
	case "json":
		return w.json(run, g)
	case "csv":
		if w.n == 1 {
			_ = w.csv.Write(w.header()) // the error comes again
		}
		return writeFailure(w.csv.Write(w.row(run, g)))
	case "markdown":
		w.markdown(run, g)
	default:
		w.text(w.row(run, g))
	}
	return nil
}

// writeFailure says that an error is not the user's mistake.
func writeFailure(err error) error {
	if err != nil {
		return failure{err}
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
			w.out.printf("| %s ", strings.ReplaceAll(visible(cell), "|", `\|`))
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
		row[i] = visible(row[i])
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
		rows := append([][]string{w.header()}, w.waiting...)
		w.widths = make([]int, len(rows[0]))
		for _, row := range rows {
			for i, cell := range row {
				w.widths[i] = max(w.widths[i], utf8.RuneCountInString(cell))
			}
		}
		for _, row := range rows {
			w.aligned(row)
		}
		w.waiting = nil
	}
	w.csv.Flush()
}

// aligned writes a row of text: numbers to the right, words to the left.
func (w *gameWriter) aligned(row []string) {
	var b strings.Builder
	for i, cell := range row {
		pad := strings.Repeat(" ", max(0, w.widths[i]-utf8.RuneCountInString(cell)))
		if i > 0 {
			b.WriteString("  ")
		}
		if k := i - (len(row) - 8); k == 0 || k == 1 || k == 7 {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	w.out.printf("%s\n", strings.TrimRight(b.String(), " "))
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
		_ = w.csv.Write(w.header()) // Error tells of it
		w.csv.Flush()
	case w.format == "text":
		if w.n > 0 {
			w.out.printf("\n")
		}
		w.out.printf("%s", games(w.n))
		if w.n > 0 {
			w.out.printf(": South won %d, drawn %d, North won %d", w.wins[0], w.wins[1], w.wins[2])
		}
		if w.struck > 0 {
			w.out.printf(", not played %d", w.struck)
		}
		w.out.printf("\n")
	}
	if err := w.csv.Error(); err != nil {
		return fmt.Errorf("write the output: %w", failure{err})
	}
	return nil
}
