package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
	"gyges/tournament/runs"
)

// exportCmd writes the games that its flags choose, in a format that other programs read.
type exportCmd struct {
	gameArgs
	Format string `enum:",pgn,csv,jsonl" default:"" placeholder:"FORMAT" help:"Output: pgn, csv or jsonl (records). Default: the one that the name of --out ends in, as in games.csv; else pgn."`
	Out    string `short:"o" placeholder:"FILE" help:"File to write; one that is there is replaced. Default: the standard output."`
}

// Run passes each game on as it is read, so that any number can be exported.
func (c *exportCmd) Run(ctx context.Context, e *env) error {
	format, err := formatOf(c.Format, "--out", c.Out, "pgn", "csv", "jsonl")
	files, errFiles := c.files()
	err = errors.Join(errFiles, err, c.checkOut(files))
	if err != nil {
		return err
	}
	// PGN and CSV have short names of players, records their whole specs.
	var names agents.Names
	if format != "jsonl" {
		names, err = namesIn(ctx, e, files)
		if err != nil {
			return err
		}
	}
	// Games that were not played, since a player was suspended, are left out.
	in, numbers, count := c.reader(true), renumbering{}, 0
	toFile, err := writeOut(e, c.Out, func(out io.Writer) error {
		write, end := gameWriter(out, format, eventOf(files), names)
		err := each(ctx, e, in, files, func(i int, g *record.Record) error {
			if g.NotPlayed() {
				in.Skipped.Add(runs.NotPlayed, "")
				return nil
			}
			count++
			return write(numbers.renumbered(i, g))
		})
		errEnd := end() // writes the games before an error, too
		if err != nil {
			return err
		}
		return errEnd
	})
	if err != nil {
		return err
	}
	warnSkipped(e, in)
	if toFile {
		e.out.printf("%s exported to %s\n", textfmt.Plural(count, "game"), c.Out)
	}
	return nil
}

// checkOut refuses to write over the records that are read.
func (c *exportCmd) checkOut(inputs []string) error {
	// It is compared by what the system knows of the files, whatever their names are.
	out, _ := os.Stat(c.Out) // if it can't be read, writing it returns the error
	for _, path := range inputs {
		if in, _ := os.Stat(path); os.SameFile(out, in) {
			return fmt.Errorf("--out: expected another file than the records %s", path)
		}
	}
	return nil
}

// eventOf returns what the games of files are called as an event: the names of their runs.
func eventOf(files []string) string {
	const most = 200 // bytes
	var list []string
	for _, file := range files {
		name := withoutExt(runName(file))
		if file == "-" {
			name = "games"
		}
		if m := new(runs.Stream).Manifest(file); m != nil {
			name = cmp.Or(m.Config.Name, name)
		}
		list = append(list, name)
	}
	// Readers of PGN may refuse long tags and bytes that are no UTF-8.
	event := textfmt.Escape(strings.Join(slices.Compact(list), ", "))
	return textfmt.Cut(strings.ToValidUTF8(event, "\ufffd"), most)
}

// withoutExt returns the name of a file without its extension.
func withoutExt(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// gameWriter returns what writes a game to out in the format "csv", "jsonl" or, whatever else it
// is, PGN; and what ends the file.
func gameWriter(out io.Writer, format, event string, names agents.Names) (
	write func(*record.Record) error, end func() error,
) {
	if format == "csv" {
		table := grid.NewWriter(out, grid.CSV, grid.Options{}, exportColumns)
		write = func(g *record.Record) error { return table.Write(listedWith(names, "", g)) }
		return write, table.Close
	}
	if format == "jsonl" {
		records := record.NewWriter(out)
		return records.Write, records.Close
	}
	// PGN is appended to one buffer, which is used again for each game.
	var text []byte
	write = func(g *record.Record) (err error) {
		text, err = pgn.Append(text[:0], g, event, names.Of)
		if err != nil {
			return err
		}
		_, err = out.Write(text)
		return err
	}
	return write, func() error { return nil }
}

// renumbering gives the games of several runs numbers of their own, each of which has games from 0
// on. A stream of several runs looks like one file, so a number that comes again begins another
// run, too.
type renumbering struct {
	file int         // that the last game came from
	seen source.Seen // the numbers of its games; a number that comes again begins another run

	game, pair         int64 // what is added to its numbers
	nextGame, nextPair int64 // the first numbers that are free
}

// renumbered gives the games of the second run and those after it numbers of their own.
func (n *renumbering) renumbered(file int, g *record.Record) *record.Record {
	id := strconv.AppendInt(nil, g.Game, 10)
	// Numbers go on where those of the run before ended, so that pairs stay together.
	again := n.seen.Add(id, 0)
	if again || file != n.file {
		n.file = file
		n.game, n.pair = n.nextGame, n.nextPair
		n.seen = source.Seen{}
		n.seen.Add(id, 0)
	}
	g.Game += n.game
	g.Pair += n.pair
	n.nextGame = max(n.nextGame, g.Game+1)
	n.nextPair = max(n.nextPair, g.Pair+1)
	return g
}

// exportColumns are the columns of CSV. They have no titles, as nobody reads them as a table.
var exportColumns = slices.Concat(numberColumns, []grid.Column[listedGame]{
	{Key: "white", Value: func(g listedGame) any { return g.south }},
	{Key: "black", Value: func(g listedGame) any { return g.north }},
}, resultColumns, []grid.Column[listedGame]{
	{Key: "opening", Value: func(g listedGame) any { return g.Opening }},
	{Key: "start", Value: func(g listedGame) any {
		if g.Timing.Start.IsZero() {
			return nil
		}
		return g.Timing.Start.UTC().Format(time.RFC3339)
	}},
	{Key: "seconds", Value: func(g listedGame) any { return g.Timing.Seconds }},
	{Key: "moves", Value: func(g listedGame) any { return strings.Join(g.Moves, " ") }},
})

// importCmd makes a run of the games of another program, so that all commands can read them.
type importCmd struct {
	File   string       `arg:"" name:"file" what:"a file of PGN or CSV" help:"PGN or CSV; - is the standard input."`
	Out    string       `required:"" placeholder:"DIR" help:"Folder to make for the records."`
	Rules  *rules.Rules `placeholder:"RULES" help:"The rules of games whose tags name none."`
	Strict bool         `help:"Refuse a file with anything in it that can't be read, instead of leaving that out."`
}

// Run reads the games one by one and writes their records, which get their name only when all are
// written: see [tournament.Import].
func (c *importCmd) Run(ctx context.Context, e *env) error {
	file, name, err := openInput(ctx, e, c.File)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	in := &runs.Stream{Strict: c.Strict}
	if c.Rules != nil {
		in.Rules = c.Rules.String()
	}
	// The run's id is the sum of the file: games that are imported twice are found by it.
	content := sha256.New()
	games := &runs.File{In: io.TeeReader(file, content), Name: name, Legal: true}
	format, err := games.Sniff()
	if err != nil {
		return err
	}
	if format == source.Records {
		return fmt.Errorf("%s: expected PGN or CSV, found records, which need no import", name)
	}
	count := 0
	base := filepath.Base(name)
	err = tournament.Import(c.Out, base, func(w *record.Writer, m *tournament.Manifest) error {
		players := map[string]bool{}
		for g, err := range in.Records(ctx, games) {
			if err != nil {
				return err
			}
			count++
			players[g.Record.South.Agent] = true
			players[g.Record.North.Agent] = true
			if err := w.Write(g.Record); err != nil {
				return failure{err}
			}
		}
		if count == 0 {
			return noGames([]string{name}, in)
		}
		// A stream leaves out some games without an error, even a strict one, such as copies.
		if c.Strict {
			if err := leftOut(in.Notes()); err != nil {
				return err
			}
		}
		// A question mark stands for an unknown event in PGN.
		m.Config.Name = games.Event()
		if m.Config.Name == "" || m.Config.Name == "?" {
			m.Config.Name = withoutExt(base)
		}
		m.ID = hex.EncodeToString(content.Sum(nil)[:16])
		m.Players = len(players)
		return nil
	})
	if err != nil {
		return files.Plain(err)
	}
	warnSkipped(e, in)
	e.out.printf("%s imported; the records are in %s\n", textfmt.Plural(count, "game"), c.Out)
	return nil
}
