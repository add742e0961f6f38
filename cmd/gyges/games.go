package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

type gamesListCmd struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
	Columns string      `placeholder:"COLUMN,…" complete:"run,game,pair,rules,south,north,result,reason,plies" help:"Columns: run, game, pair, rules, south, north, result, reason, plies. Default: all, run only of several, and pair only where text is no wider than the terminal, or 80 columns."`
	Format  grid.Format `enum:"text,markdown,csv,json,jsonl" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv, json (an array, an object for each game) or jsonl (the records themselves)."`
}

// Run lists the games.
func (c *gamesListCmd) Run(ctx context.Context, e *env) error {
	list, errColumns := newGameList(c.Format, e.out, c.Columns, len(c.Runs) > 1)
	if err := errors.Join(c.prepare(), errColumns); err != nil {
		return err
	}
	files, err := gameFiles(c.Runs)
	if err != nil {
		return err
	}
	in := c.reader(true)
	err = each(ctx, e, in, files, func(i int, g *record.Record) error { return list.add(c.Runs[i], g) })
	if err != nil {
		if list.n > 0 {
			_ = list.table.Close() // the games before the mistake
		}
		return err
	}
	warnSkipped(e, in)
	return list.end()
}

// gameFilter are the flags that choose recorded games.
type gameFilter struct {
	record.Filter
	Rules string `placeholder:"RULES,…" help:"Only games under these rule sets."`
}

// prepare checks the flags.
func (f *gameFilter) prepare() (err error) {
	f.RuleSets, err = ruleNames(f.Rules)
	return errors.Join(f.Check(), err)
}

// reader returns a reader of the games that pass the filter.
func (f *gameFilter) reader(strict bool) *runs.Reader {
	return &runs.Reader{Strict: strict, Torn: true, Filter: f.Filter}
}

// each calls take for the records of files; i is the file's index. An error of take gets file
// and line unless it is a [failure]. Files without any record are an error.
func each(
	ctx context.Context, e *env, in *runs.Reader, files []string, take func(i int, g *record.Record) error,
) error {
	for i, path := range files {
		if in.Filter.Done() {
			break
		}
		file, err := openGames(ctx, e, path, in.Manifest(path))
		if err != nil {
			return err
		}
		file.Format = source.Records
		for g, err := range in.Records(ctx, file) {
			if err == nil {
				err = take(i, g.Record)
				if err != nil && !errors.As(err, new(failure)) {
					err = fmt.Errorf("%s:%d: %w", file.Name, g.Line, err)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	if in.Found() == 0 {
		return noGames(listed(files), in)
	}
	return nil
}

// listedGame is a row of the list of games.
type listedGame struct {
	*record.Record
	run          string
	south, north string // names
}

var gameColumns = []grid.Column[listedGame]{
	{Key: "run", Title: "Run", Left: true, Value: func(g listedGame) any { return grid.Name(g.run) }},
	{Key: "game", Title: "Game", Value: func(g listedGame) any { return g.Game }},
	{Key: "pair", Title: "Pair", Drop: 1, Value: func(g listedGame) any { return g.Pair }},
	{Key: "rules", Title: "Rules", Left: true, Value: func(g listedGame) any { return g.Rules }},
	{Key: "south", Title: "South", Left: true, Value: func(g listedGame) any { return grid.Name(g.south) }},
	{Key: "north", Title: "North", Left: true, Value: func(g listedGame) any { return grid.Name(g.north) }},
	{Key: "result", Title: "Result", Left: true, Value: func(g listedGame) any { return g.Result }},
	{Key: "reason", Title: "Reason", Left: true, Value: func(g listedGame) any { return g.Reason }},
	{Key: "plies", Title: "Plies", Value: func(g listedGame) any { return g.Plies }},
}

// tableRows is how many games stand under one header in text and Markdown, whose columns
// are as wide as the widest of them.
const tableRows = 1000

// gameList lists games in a format.
type gameList struct {
	format    grid.Format
	out       *output
	columns   []grid.Column[listedGame]
	table     *grid.Writer[listedGame]
	n         int
	wins      [3]int // of South, neither, of North
	notPlayed int    // games not played
	names     playerNames
}

// newGameList returns a list with the columns chosen by --columns, or all; the run only
// if there are several.
func newGameList(format grid.Format, out *output, columns string, runs bool) (*gameList, error) {
	l := &gameList{format: format, out: out, columns: gameColumns}
	if !runs {
		l.columns = gameColumns[1:]
	}
	if columns != "" {
		chosen, err := grid.Choose(gameColumns, columns)
		if err != nil {
			return nil, fmt.Errorf("--columns: %w", err)
		}
		for i := range chosen {
			chosen[i].Drop = 0
		}
		l.columns = chosen
	}
	l.begin()
	return l, nil
}

// begin begins a table.
func (l *gameList) begin() {
	l.table = grid.NewWriter(l.out, l.format, grid.Options{Width: tableWidth(l.out)}, l.columns)
}

// add adds a game.
func (l *gameList) add(run string, g *record.Record) error {
	if l.out.err != nil { // the output is closed
		return failure{l.out.err}
	}
	if g.NotPlayed() {
		l.notPlayed++
	} else {
		l.wins[record.HalfPoints(g.Result, rules.North)]++
	}
	if l.format == "jsonl" {
		line, err := record.Lines(g)
		if err == nil {
			_, err = l.out.Write(line)
		}
		return asFailure(err)
	}
	if l.n > 0 && l.n%tableRows == 0 && slices.Contains([]grid.Format{grid.Text, grid.Markdown}, l.format) {
		if err := l.table.Close(); err != nil {
			return asFailure(err)
		}
		l.out.printf("\n")
		l.begin()
	}
	l.n++
	return asFailure(l.table.Write(listedGame{g, run, l.names.name(g.South.Agent), l.names.name(g.North.Agent)}))
}

// end writes what stands at the end of a list.
func (l *gameList) end() error {
	if l.format == "jsonl" {
		return nil
	}
	if l.n > 0 || l.format != "text" {
		if err := l.table.Close(); err != nil {
			return fmt.Errorf("write the output: %w", failure{err})
		}
	}
	if l.format != "text" {
		return nil
	}
	if l.n > 0 {
		l.out.printf("\n%s: South won %d, drawn %d, North won %d", textfmt.Plural(l.n, "game"), l.wins[0], l.wins[1],
			l.wins[2])
	} else {
		l.out.printf("0 games")
	}
	if l.notPlayed > 0 {
		l.out.printf(", not played %d", l.notPlayed)
	}
	l.out.printf("\n")
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
