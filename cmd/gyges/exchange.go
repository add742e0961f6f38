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

type exportCmd struct {
	gameArgs
	Format string `enum:",pgn,csv,jsonl" default:"" placeholder:"FORMAT" help:"Output: pgn, csv or jsonl (records). Default: the one that the name of --out ends in, as in games.csv; else pgn."`
	Out    string `short:"o" placeholder:"FILE" help:"File to write; one that is there is replaced. Default: the standard output."`
}

func (c *exportCmd) Run(ctx context.Context, e *env) error {
	format, err := formatOf(c.Format, "--out", c.Out, "pgn", "csv", "jsonl")
	files, errFiles := c.files()
	if err := errors.Join(errFiles, err, c.checkOut(files)); err != nil {
		return err
	}
	w, in, count := exporter{event: eventOf(files)}, c.reader(true), 0
	if format != "jsonl" {
		if w.names, err = namesIn(ctx, e, files); err != nil {
			return err
		}
	}
	toFile, err := writeOut(e, c.Out, func(out io.Writer) error {
		write, end := w.format(format, out)
		err := each(ctx, e, in, files, func(i int, g *record.Record) error {
			if g.NotPlayed() {
				in.Skipped.Add(runs.NotPlayed, "")
				return nil
			}
			count++
			return write(w.renumbered(i, g))
		})
		return cmp.Or(err, end())
	})
	if err != nil {
		return err
	}
	warnSkipped(e, in)
	if toFile {
		e.out.printf("%s exported to %s\n", textfmt.Plural(count, "game"), textfmt.Escape(c.Out))
	}
	return nil
}

func (c *exportCmd) checkOut(inputs []string) error {
	out, _ := os.Stat(c.Out) // if it can't be read, writing it returns the error
	for _, path := range inputs {
		if in, _ := os.Stat(path); os.SameFile(out, in) {
			return fmt.Errorf("--out: expected another file than the records %s", path)
		}
	}
	return nil
}

func eventOf(files []string) string {
	const most = 200 // bytes
	var list []string
	for _, f := range files {
		name := strings.TrimSuffix(runName(f), filepath.Ext(runName(f)))
		if f == "-" {
			name = "games"
		} else if filepath.Base(f) == tournament.GamesFile {
			if m, err := tournament.ReadManifest(os.DirFS(filepath.Dir(f))); err == nil && m != nil {
				name = cmp.Or(m.Config.Name, name)
			}
		}
		list = append(list, name)
	}
	return textfmt.Cut(strings.ToValidUTF8(textfmt.Escape(strings.Join(slices.Compact(list), ", ")), "\ufffd"), most)
}

type exporter struct {
	event string
	names agents.Names
	text  []byte

	file               int         // that the last game came from
	seen               source.Seen // the numbers of its games, up to one that comes again, as in a stream of several runs
	game, pair         int64       // what is added to its numbers
	nextGame, nextPair int64       // the first numbers that are free
}

// renumbered gives the games of the second run and those after it numbers of their own.
func (w *exporter) renumbered(file int, g *record.Record) *record.Record {
	id := strconv.AppendInt(nil, g.Game, 10)
	if again := w.seen.Add(id, 0); again || file != w.file {
		w.file, w.game, w.pair, w.seen = file, w.nextGame, w.nextPair, source.Seen{}
		w.seen.Add(id, 0)
	}
	g.Game += w.game
	g.Pair += w.pair
	w.nextGame, w.nextPair = max(w.nextGame, g.Game+1), max(w.nextPair, g.Pair+1)
	return g
}

// format returns what writes a game to out in a format, and what ends the file.
func (w *exporter) format(format string, out io.Writer) (write func(*record.Record) error, end func() error) {
	switch format {
	case "csv":
		table := grid.NewWriter(out, grid.CSV, grid.Options{}, exportColumns)
		return func(g *record.Record) error { return table.Write(listedWith(w.names, "", g)) }, table.Close
	case "jsonl":
		records := record.NewWriter(out)
		return records.Write, records.Close
	}
	write = func(g *record.Record) (err error) {
		if w.text, err = pgn.Append(w.text[:0], g, w.event, w.names.Of); err != nil {
			return err
		}
		_, err = out.Write(w.text)
		return err
	}
	return write, func() error { return nil }
}

var exportColumns = slices.Concat(gameColumns[1:4], []grid.Column[listedGame]{
	{Key: "white", Value: func(g listedGame) any { return g.south }},
	{Key: "black", Value: func(g listedGame) any { return g.north }},
}, gameColumns[6:], []grid.Column[listedGame]{
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

type importCmd struct {
	File   string       `arg:"" name:"file" what:"a file of PGN or CSV" help:"PGN or CSV; - is the standard input."`
	Out    string       `required:"" placeholder:"DIR" help:"Folder to make for the records."`
	Rules  *rules.Rules `placeholder:"RULES" help:"The rules of games whose tags name none."`
	Strict bool         `help:"Refuse a file with anything in it that can't be read, instead of leaving that out."`
}

func (c *importCmd) Run(ctx context.Context, e *env) error {
	file, name, err := openInput(ctx, e, c.File)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	content, count := sha256.New(), 0
	in := &runs.Stream{Strict: c.Strict}
	if c.Rules != nil {
		in.Rules = c.Rules.String()
	}
	games := &runs.File{In: io.TeeReader(file, content), Name: name, Legal: true}
	if format, err := games.Sniff(); err != nil {
		return err
	} else if format == source.Records {
		return fmt.Errorf("%s: expected PGN or CSV, found records, which need no import", name)
	}
	err = tournament.Import(c.Out, filepath.Base(name), func(w *record.Writer, m *tournament.Manifest) error {
		players := map[string]bool{}
		for g, err := range in.Records(ctx, games) {
			if err != nil {
				return err
			}
			count++
			players[g.Record.South.Agent], players[g.Record.North.Agent] = true, true
			if err := w.Write(g.Record); err != nil {
				return failure{err}
			}
		}
		if count == 0 {
			return noGames([]string{name}, in)
		}
		if err := leftOut(in.Notes()); c.Strict && err != nil {
			return err
		}
		event := games.Event()
		if event == "" || event == "?" {
			event = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		}
		m.Config.Name, m.ID, m.Players = event, hex.EncodeToString(content.Sum(nil)[:16]), len(players)
		return nil
	})
	if err != nil {
		return files.Plain(err)
	}
	warnSkipped(e, in)
	e.out.printf("%s imported; the records are in %s\n", textfmt.Plural(count, "game"), textfmt.Escape(c.Out))
	return nil
}
