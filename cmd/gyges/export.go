package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gyges/rules/base/csvfile"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/record/columnar"
	"gyges/tournament/record/pgn"
)

// exportCmd writes recorded games in other programs' formats.
type exportCmd struct {
	Runs []string `arg:"" name:"run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input. Games of several are numbered anew."`
	gameFilter
	Format string `enum:"pgn,csv,parquet" default:"pgn" placeholder:"FORMAT" help:"Output: pgn (default), csv, or parquet for data analysis."`
	Out    string `short:"o" placeholder:"FILE" help:"File to write; one that is there is replaced. Default: the standard output."`
}

func (exportCmd) Help() string {
	return "Writes games for rating tools and other programs that read the formats of chess, game by game. South is " +
		"White. A player has its name=, or else its spec, for a name, as in rating tables; if two players share a name, " +
		"the second has its spec. In PGN the tags hold most of the record and comments the score, depth, nodes and time of " +
		"each move; Round is pair.game. gyges import keeps less of it: copy games.jsonl to keep everything. CSV has a line " +
		"for each game with white, black, result and more; a cell that a spreadsheet would take for a formula begins with " +
		"an apostrophe. Parquet has the whole record in columns, players by their specs. In PGN names must be printable " +
		"and at most 1000 bytes long. PGN has lines of at most 255 bytes; only a tag with a longer name breaks that."
}

func (exportCmd) examples() []example {
	return []example{
		{"gyges export results/quick-20260102-150405 -o quick.pgn", ""},
		{"gyges export results/quick-20260102-150405 --rules kang --format csv > kang.csv", ""},
		{"gyges export results/quick-20260102-150405 --format parquet -o quick.parquet", "for pandas, Polars or DuckDB"},
	}
}

// Run writes the games.
func (c *exportCmd) Run(ctx context.Context, e *env) error {
	if err := c.prepare(); err != nil {
		return err
	}
	files, err := runFiles(c.Runs)
	if err != nil {
		return err
	}
	w := exporter{event: eventOf(files)}
	count, notPlayed := 0, 0
	export := func(out io.Writer) error {
		write, end := w.format(c.Format, out)
		err := c.each(ctx, e, files, nil, func(i int, g *record.Game) error {
			if g.NotPlayed() {
				notPlayed++
				return nil
			}
			count++
			return write(w.renumbered(i, g))
		})
		if endErr := end(); err == nil { // which is the same error again
			err = asFailure(endErr)
		}
		return err
	}
	toFile := c.Out != "" && c.Out != "-"
	if !toFile {
		err = buffered(e.out, export)
	} else if err = c.checkOut(files); err == nil {
		err = writeFile(ctx, "--out", c.Out, export)
	}
	if notPlayed > 0 {
		e.err.warn("left out: %s that suspended agents did not play", textfmt.Plural(notPlayed, "game"))
	}
	if err == nil && toFile {
		e.out.printf("%s exported to %s\n", textfmt.Plural(count, "game"), c.Out)
	}
	return err
}

// checkOut returns an error if the file to write is one of the inputs.
func (c *exportCmd) checkOut(inputs []runFile) error {
	info, outErr := os.Stat(c.Out) // if it can't be read, writing it returns the error
	for _, in := range inputs {
		if other, err := os.Stat(in.path); err == nil && outErr == nil && os.SameFile(info, other) {
			return fmt.Errorf("--out: expected another file than the records %s", in.path)
		}
	}
	return nil
}

// maxEvent bounds the name of an event, in bytes.
const maxEvent = 200

// eventOf names what was played: the runs, by their manifests or their files.
func eventOf(files []runFile) string {
	var list []string
	for _, f := range files {
		name := ""
		if filepath.Base(f.path) == tournament.GamesFile {
			if m, err := tournament.ReadManifest(os.DirFS(filepath.Dir(f.path))); err == nil && m != nil {
				name = m.Config.Name
			}
		}
		name = cmp.Or(name, baseName(f))
		if n := len(list); n == 0 || list[n-1] != name {
			list = append(list, name)
		}
	}
	event := strings.ToValidUTF8(textfmt.Escape(strings.Join(list, ", ")), "\ufffd")
	for len(event) > maxEvent {
		_, n := utf8.DecodeLastRuneInString(event)
		event = event[:len(event)-n]
	}
	return event
}

// baseName is the name of a run's folder, or of a file without its ending.
func baseName(f runFile) string {
	if f.path == "-" {
		return "games"
	}
	base := runName(f.path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// exporter writes games.
type exporter struct {
	event string
	names playerNames
	text  []byte

	file               int   // that the last game came from
	game, pair         int64 // what is added to its numbers
	nextGame, nextPair int64 // the first numbers that are free
}

// renumbered gives the games of the second file and those after it numbers of
// their own.
func (w *exporter) renumbered(file int, g *record.Game) *record.Game {
	if file != w.file {
		w.file, w.game, w.pair = file, w.nextGame, w.nextPair
	}
	g.Game += w.game
	g.Pair += w.pair
	w.nextGame, w.nextPair = max(w.nextGame, g.Game+1), max(w.nextPair, g.Pair+1)
	return g
}

// format returns what writes a game to out in a format, and what ends the file.
func (w *exporter) format(format string, out io.Writer) (write func(*record.Game) error, end func() error) {
	switch format {
	case "csv":
		lines := csvfile.NewWriter(out)
		_ = lines.Write(slices.Clone(csvHeader)) // Error returns it
		write = func(g *record.Game) error { return w.line(lines, g) }
		return write, func() error { lines.Flush(); return lines.Error() }
	case "parquet":
		table := columnar.NewWriter(out)
		return func(g *record.Game) error { return asFailure(table.Write(g)) }, table.Close
	}
	return func(g *record.Game) error { return w.pgn(out, g) }, func() error { return nil }
}

func (w *exporter) pgn(out io.Writer, g *record.Game) error {
	text, err := pgn.Append(w.text[:0], g, w.event, w.names.name)
	if err != nil {
		return err
	}
	w.text = text
	_, err = out.Write(text)
	return asFailure(err)
}

// csvHeader names the columns of CSV.
var csvHeader = []string{"game", "pair", "rules", "white", "black", "result", "reason", "plies", "opening", "start",
	"seconds", "moves"}

func (w *exporter) line(lines csvfile.Writer, g *record.Game) error {
	start := ""
	if !g.Timing.Start.IsZero() {
		start = g.Timing.Start.UTC().Format(time.RFC3339)
	}
	row := []string{
		strconv.FormatInt(g.Game, 10), strconv.FormatInt(g.Pair, 10), g.Rules, w.names.name(g.South.Agent),
		w.names.name(g.North.Agent), g.Result, g.Reason, strconv.Itoa(g.Plies), g.Opening, start,
		strconv.FormatFloat(g.Timing.Seconds, 'f', -1, 64), strings.Join(g.Moves, " "),
	}
	for i, cell := range row {
		if strings.ContainsAny(cell, "\r\n") {
			return fmt.Errorf("game %d: %s: expected text without a line end, found %.80q", g.Game, csvHeader[i], cell)
		}
	}
	return asFailure(lines.Write(row))
}
