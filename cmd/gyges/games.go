package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/human"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
	"gyges/tournament/gamestats"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// gameArgs are the arguments of commands that read recorded games.
type gameArgs struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
}

// files returns the files of records, and checks the filter.
func (c *gameArgs) files() ([]string, error) {
	list, err := gameFiles(c.Runs)
	return list, errors.Join(c.prepare(), err)
}

// each calls take for the records of files that the stream's filter passes; i is the file's index.
// It reads no more than --limit asks for. An error of take gets file and line. Files without any
// record are an error, but not files of which the filter passes none.
func each(
	ctx context.Context, e *env, in *runs.Stream, files []string,
	take func(i int, g *record.Record) error,
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
		// An error of the file has its line already.
		for g, err := range in.Records(ctx, file) {
			if err != nil {
				return err
			}
			if err := take(i, g.Record); err != nil {
				return fmt.Errorf("%s:%d: %w", file.Name, g.Line, err)
			}
		}
	}
	if in.Found() == 0 {
		return noGames(files, in)
	}
	return nil
}

// gamesListCmd lists recorded games, a row each.
type gamesListCmd struct {
	gameArgs
	Columns string      `placeholder:"COLUMN,…" complete:"run,game,pair,rules,south,north,result,reason,plies" help:"Columns: run, game, pair, rules, south, north, result, reason, plies. Default: all, run only of several, and pair only where text is no wider than the terminal, or 80 columns."`
	Format  grid.Format `enum:"text,markdown,csv,json,jsonl" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv, json (an array, an object for each game) or jsonl (the records themselves)."`
}

// Run prints each game as it is read. What players are called depends on all of them, so players
// are read before.
func (c *gamesListCmd) Run(ctx context.Context, e *env) error {
	columns, errColumns := c.columns()
	files, err := c.files()
	if err := errors.Join(err, errColumns); err != nil {
		return err
	}
	in := c.reader(true)
	list := &gameList{format: c.Format, out: e.out, columns: columns}
	// Records have whole specs, so their players need no names.
	if c.Format != "jsonl" {
		list.names, err = namesIn(ctx, e, files)
		if err != nil {
			return err
		}
	}
	list.begin()
	err = each(ctx, e, in, files, func(i int, g *record.Record) error {
		return list.add(c.Runs[i], g)
	})
	if err != nil {
		if list.n > 0 {
			_ = list.table.Close() // the games before the mistake
		}
		return err
	}
	warnSkipped(e, in)
	list.end()
	return nil
}

// columns returns the columns that --columns names, or all; the run only if there are several.
func (c *gamesListCmd) columns() ([]grid.Column[listedGame], error) {
	// The column of runs says nothing where there is one run.
	if c.Columns == "" {
		if len(c.Runs) > 1 {
			return gameColumns, nil
		}
		return gameColumns[1:], nil
	}
	// A column that was asked for is never left out, however narrow the terminal is.
	chosen, err := grid.Choose(gameColumns, c.Columns)
	for i := range chosen {
		chosen[i].Drop = 0
	}
	return chosen, named("--columns", err)
}

// listedGame is a game as lists of games have it.
type listedGame struct {
	*record.Record
	run          string
	south, north string // names
}

// gameColumns are the columns of lists of games.
var gameColumns = []grid.Column[listedGame]{
	{Key: "run", Title: "Run", Left: true, Value: func(g listedGame) any {
		return grid.Name(g.run)
	}},
	{Key: "game", Title: "Game", Value: func(g listedGame) any { return g.Game }},
	{Key: "pair", Title: "Pair", Drop: 1, Value: func(g listedGame) any { return g.Pair }},
	{Key: "rules", Title: "Rules", Left: true, Value: func(g listedGame) any { return g.Rules }},
	{Key: "south", Title: "South", Left: true, Value: func(g listedGame) any {
		return grid.Name(g.south)
	}},
	{Key: "north", Title: "North", Left: true, Value: func(g listedGame) any {
		return grid.Name(g.north)
	}},
	{Key: "result", Title: "Result", Left: true, Value: func(g listedGame) any { return g.Result }},
	{Key: "reason", Title: "Reason", Left: true, Value: func(g listedGame) any { return g.Reason }},
	{Key: "plies", Title: "Plies", Value: func(g listedGame) any { return g.Plies }},
}

// What other lists have of these columns.
var (
	numberColumns = gameColumns[1:4] // to the rules
	playerColumns = gameColumns[4:6]
	resultColumns = gameColumns[6:]
)

// listedWith returns a game of a run as it is listed.
func listedWith(names agents.Names, run string, g *record.Record) listedGame {
	return listedGame{g, run, names.Of(g.South.Agent), names.Of(g.North.Agent)}
}

// gameList prints games one after the other, and then counts of their results. CSV and JSON are
// written row by row; tables for people wait for their widest cell.
type gameList struct {
	format    grid.Format
	out       *output
	columns   []grid.Column[listedGame]
	names     agents.Names
	table     *grid.Writer[listedGame]
	n         int    // games in the tables
	wins      [3]int // of South, neither, of North
	notPlayed int
}

// begin begins a table.
func (l *gameList) begin() {
	options := grid.Options{Width: tableWidth(l.out)}
	l.table = grid.NewWriter(l.out, l.format, options, l.columns)
}

// add adds a game. The error is one of the output.
func (l *gameList) add(run string, g *record.Record) error {
	// Games that were not played are listed, and counted apart.
	if g.NotPlayed() {
		l.notPlayed++
	} else {
		l.wins[record.HalfPoints(g.Result, rules.North)]++
	}
	if l.format == "jsonl" {
		line, err := record.Lines(g)
		if err != nil {
			return err
		}
		_, _ = l.out.Write(line)
		return l.out.err
	}
	// Columns are as wide as the widest cell, so tables for people are written in parts.
	const tableRows = 1000
	full := l.n > 0 && l.n%tableRows == 0
	if full && isForPeople(l.format) {
		_ = l.table.Close()
		l.out.printf("\n")
		l.begin()
	}
	l.n++
	_ = l.table.Write(listedWith(l.names, run, g))
	return l.out.err
}

// end ends the last table, and prints the counts to people.
func (l *gameList) end() {
	if l.format != grid.Text {
		if l.format != "jsonl" {
			_ = l.table.Close()
		}
		return
	}
	// An empty list has no header.
	count := "0 games"
	if l.n > 0 {
		_ = l.table.Close()
		games := textfmt.Plural(l.n, "game")
		count = fmt.Sprintf("\n%s: South won %d, drawn %d, North won %d",
			games, l.wins[0], l.wins[1], l.wins[2])
	}
	if l.notPlayed > 0 {
		count += fmt.Sprintf(", not played %d", l.notPlayed)
	}
	l.out.print(count + "\n")
}

// namesIn returns what the players of files of records are called: the players in a run's config,
// or without a config the players of all games. The standard input is copied to a temporary file,
// as it is read again.
func namesIn(ctx context.Context, e *env, files []string) (agents.Names, error) {
	if slices.Contains(files, "-") {
		copied, err := copyInput(ctx, e)
		if err != nil {
			return nil, err
		}
		e.in = io.NewSectionReader(copied, 0, math.MaxInt64)
		defer func() { e.in = io.NewSectionReader(copied, 0, math.MaxInt64) }()
	}
	// Manifests are small. Where there is none, all games are read.
	in := &runs.Stream{Torn: true}
	var players []string
	for _, path := range files {
		m := in.Manifest(path)
		if m != nil && len(m.Config.Agents) > 0 {
			players = append(players, lists.Map(m.Config.Players(), source.Name)...)
			continue
		}
		file, err := openGames(ctx, e, path, m)
		if err != nil {
			return nil, err
		}
		file.Format = source.Records
		for _, err := range in.Games(ctx, file) {
			if err != nil {
				break // it is reported when the games are read again
			}
		}
		players = append(players, file.Players()...)
	}
	return agents.NamesOf(players), nil
}

// copyInput returns a copy of the standard input in a file without a name, which the system removes
// with the process.
func copyInput(ctx context.Context, e *env) (*os.File, error) {
	in, _, err := openInput(ctx, e, "-")
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	// On Windows the file stays until the system cleans its temporary folder.
	file, err := os.CreateTemp("", "gyges-*")
	if err != nil {
		return nil, failure{err}
	}
	_ = os.Remove(file.Name())
	_, err = io.Copy(file, in)
	return file, err
}

// gamesStatsCmd counts what happens in recorded games: lengths, kinds of moves, missed wins.
type gamesStatsCmd struct {
	gameArgs
	Format grid.Format `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// Run counts one game after the other.
func (c *gamesStatsCmd) Run(ctx context.Context, e *env) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	in, counter := c.reader(false), new(gamestats.Counter)
	// Counting takes a while, as every move is looked at.
	m, read := newMeter(e, 0), int64(0)
	err = each(ctx, e, in, files, func(i int, g *record.Record) error {
		read++
		m.step(read, 0, "", "games")
		if g.NotPlayed() {
			in.Skipped.Add(runs.NotPlayed, "")
			return nil
		}
		if err := counter.Add(files[i], g); err != nil {
			return in.Unreadable(err)
		}
		return nil
	})
	m.end()
	if err != nil {
		return err
	}
	figures := counter.Figures()
	if len(figures) == 0 {
		return noGames(c.Runs, in)
	}
	warnSkipped(e, in)
	printTable(e.out, grid.Make(gamestats.Columns, figures), c.Format, 0)
	return nil
}

// gamesShowCmd replays one recorded game, or shows one position of it.
type gamesShowCmd struct {
	Source string `arg:"" name:"run" what:"a run and a game" help:"Folder of a run or file of records (games.jsonl); - is the standard input."`
	ID     int64  `check:"0.." arg:"" name:"id" what:"the number of a game" help:"The game's number, as gyges games lists it."`
	Ply    *int   `placeholder:"N" help:"Show only the position after N plies; 0 is the one that play began in."`
	Quiet  bool   `short:"q" help:"Print the moves, not the board."`
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default) or json."`
}

// Run finds the record, replays it and prints it in one of three ways.
func (c *gamesShowCmd) Run(ctx context.Context, e *env) error {
	files, err := gameFiles([]string{c.Source})
	if err != nil {
		return err
	}
	g, err := findGame(ctx, e, files[0], c.ID)
	if err != nil {
		return err
	}
	// The position of a ply has formats of its own.
	if c.Ply != nil {
		return c.position(e.out, g)
	}
	if c.Format == "json" {
		return grid.WriteJSON(e.out, g.object())
	}
	c.text(e.out, g)
	return nil
}

// shownGame is a recorded game and the replay of its moves.
type shownGame struct {
	*record.Record
	game  *rules.Game   // nil: no moves are known
	turns []record.Turn // with placements, whose ply is 0
}

// findGame finds the record of a game and replays it.
func findGame(ctx context.Context, e *env, path string, id int64) (g shownGame, err error) {
	file, name, err := openInput(ctx, e, path)
	if err != nil {
		return g, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	var line int
	// A file is searched from its beginning up to the game.
	g.Record, line, err = record.Find(file, name, id)
	if errors.Is(err, io.EOF) {
		return g, fmt.Errorf("%s: expected a record of game %d, found none", name, id)
	}
	if err != nil || g.OnlyResult() {
		return g, err
	}
	g.game, err = record.Replay(g.Record)
	if err != nil {
		return g, named(fmt.Sprintf("%s:%d", name, line), err)
	}
	g.turns = g.Turns(g.game)
	return g, nil
}

// position prints the position of --ply.
func (c *gamesShowCmd) position(out *output, g shownGame) error {
	ply := *c.Ply
	if ply < 0 || ply > g.Plies {
		return fmt.Errorf("--ply: expected 0 to %d, the length of game %d, found %d",
			g.Plies, c.ID, ply)
	}
	if g.game == nil {
		return fmt.Errorf("--ply: game %d was imported without moves", c.ID)
	}
	r := g.game.Rules()
	p, last := g.game.Start(), rules.NoMove
	// Placements have ply 0: all of them are made before the game begins.
	for _, t := range g.turns {
		if t.Ply <= ply {
			p, last = t.After, t.Move
		}
	}
	text := r.FormatPosition(p)
	if c.Format == "json" {
		return grid.WriteJSON(out, grid.Object{{"game", c.ID}, {"ply", ply}, {"position", text}})
	}
	out.print(text + "\n\n" + human.Board(r, p, last, nil))
	return nil
}

// text prints players, moves and result, as gyges play prints a game.
func (c *gamesShowCmd) text(out *output, g shownGame) {
	out.printf("Game   %d, pair %d\n", g.Game, g.Pair)
	out.printf("South  %s\n", withSpec(g.South.Agent))
	out.printf("North  %s\n", withSpec(g.North.Agent))
	out.printf("Rules  %s\n", g.Rules)
	if start := g.Timing.Start; !start.IsZero() {
		out.printf("Begun  %s\n", start.UTC().Format(time.DateTime))
	}
	// The moves are printed as gyges play prints them.
	if g.game == nil {
		out.printf("No moves are known: the game was imported.\n")
	} else {
		r, s := g.game.Rules(), &spectator{out: out, quiet: c.Quiet}
		s.board(r, g.game.Start(), rules.NoMove)
		for _, t := range g.turns {
			s.turn(r, t)
		}
	}
	printResult(out, g.Record)
	// The record of a game that an engine lost by a fault has what was said last.
	if len(g.Timing.Trace) > 0 {
		out.printf("\nThe last lines of the engine at fault " +
			"(> to it, < from it, ! its standard error, = a remark):\n")
	}
	for _, line := range g.Timing.Trace {
		out.printf("  %s\n", line)
	}
}

// printResult prints the result of a game, and the fault that lost it.
func printResult(out *output, g *record.Record) {
	if f := g.Fault; f != nil {
		detail := ""
		if f.Detail != "" {
			detail = ": " + f.Detail
		}
		out.printf("%v lost by a fault (%s)%s\n", f.Loser(), string(f.Kind), detail)
	}
	out.printf("result %s %s %d plies\n", g.Result, g.Reason, g.Plies)
}

// withSpec is a player's name, with its spec if it has a label.
func withSpec(player string) string {
	if label := agents.LabelOf(player); label != player {
		return label + " (" + player + ")"
	}
	return player
}

// object returns the game as --format json has it.
func (g shownGame) object() grid.Object {
	// The list is empty, and not null, where no moves are known.
	moves := []grid.Object{}
	for i, t := range g.turns {
		r := g.game.Rules()
		move := grid.Object{
			{"ply", t.Ply},
			{"side", strings.ToLower(t.Before.Side().String())},
			{"move", t.Move.String()},
			{"long", r.LongText(t.Before, t.Move)},
		}
		for list, value := range g.Said(i) {
			move = append(move, grid.Object{{list.Each, value}}...)
		}
		position := r.FormatPosition(t.After)
		moves = append(moves, append(move, grid.Object{{"position", position}}...))
	}
	// The other members have the keys of gyges games list.
	players := []string{g.South.Agent, g.North.Agent}
	row := listedWith(agents.NamesOf(players), "", g.Record)
	numbers, names := grid.ObjectOf(numberColumns, row), grid.ObjectOf(playerColumns, row)
	content := grid.Object{{"agents", players}, {"opening", g.Opening}, {"moves", moves}}
	result := grid.ObjectOf(resultColumns, row)
	o := slices.Concat(numbers, names, content, result)
	if g.Fault != nil {
		o = append(o, grid.Object{{"fault", g.Fault}, {"trace", g.Timing.Trace}}...)
	}
	return o
}
