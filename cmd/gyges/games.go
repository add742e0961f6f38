package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

type gamesListCmd struct {
	gameArgs
	Columns string      `placeholder:"COLUMN,…" complete:"run,game,pair,rules,south,north,result,reason,plies" help:"Columns: run, game, pair, rules, south, north, result, reason, plies. Default: all, run only of several, and pair only where text is no wider than the terminal, or 80 columns."`
	Format  grid.Format `enum:"text,markdown,csv,json,jsonl" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv, json (an array, an object for each game) or jsonl (the records themselves)."`
}

func (c *gamesListCmd) Run(ctx context.Context, e *env) error {
	columns, errColumns := c.columns()
	files, err := c.files()
	if err := errors.Join(err, errColumns); err != nil {
		return err
	}
	list, in := &gameList{format: c.Format, out: e.out, columns: columns}, c.reader(true)
	if c.Format != "jsonl" {
		if list.names, err = namesIn(ctx, e, files); err != nil {
			return err
		}
	}
	list.begin()
	err = each(ctx, e, in, files, func(i int, g *record.Record) error { return list.add(c.Runs[i], g) })
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

// columns returns those of --columns, or all; the run only if there are several.
func (c *gamesListCmd) columns() ([]grid.Column[listedGame], error) {
	switch {
	case c.Columns == "" && len(c.Runs) > 1:
		return gameColumns, nil
	case c.Columns == "":
		return gameColumns[1:], nil
	}
	chosen, err := grid.Choose(gameColumns, c.Columns)
	for i := range chosen {
		chosen[i].Drop = 0
	}
	return chosen, named("--columns", err)
}

type gamesStatsCmd struct {
	gameArgs
	Format grid.Format `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

func (c *gamesStatsCmd) Run(ctx context.Context, e *env) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	in, counter := c.reader(false), new(gamestats.Counter)
	m, read := newMeter(e.err, 0), int64(0)
	err = each(ctx, e, in, files, func(i int, g *record.Record) error {
		read++
		m.step(read, 0, "", "games")
		if g.NotPlayed() {
			in.Skipped.Add(runs.NotPlayed, "")
		} else if err := counter.Add(files[i], g); err != nil {
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
	return printTable(e.out, grid.Make(gamestats.Columns, figures), c.Format, 0)
}

type gameArgs struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
}

func (c *gameArgs) files() ([]string, error) {
	list, err := gameFiles(c.Runs)
	return list, errors.Join(c.prepare(), err)
}

// each calls take for the records of files; i is the file's index. An error of take gets file and line. Files without
// any record are an error.
func each(
	ctx context.Context, e *env, in *runs.Stream, files []string, take func(i int, g *record.Record) error,
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
				if err = take(i, g.Record); err != nil {
					err = fmt.Errorf("%s:%d: %w", file.Name, g.Line, err)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	if in.Found() == 0 {
		return noGames(files, in)
	}
	return nil
}

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

type gameList struct {
	format    grid.Format
	out       *output
	columns   []grid.Column[listedGame]
	table     *grid.Writer[listedGame]
	n         int    // games in the tables
	wins      [3]int // of South, neither, of North
	notPlayed int
	names     agents.Names
}

func (l *gameList) begin() {
	l.table = grid.NewWriter(l.out, l.format, grid.Options{Width: tableWidth(l.out)}, l.columns)
}

// add adds a game. The error is that of the output.
func (l *gameList) add(run string, g *record.Record) error {
	if g.NotPlayed() {
		l.notPlayed++
	} else {
		l.wins[record.HalfPoints(g.Result, rules.North)]++
	}
	if l.format == "jsonl" {
		line, err := record.Lines(g)
		_, _ = l.out.Write(line)
		return cmp.Or(err, l.out.err)
	}
	const tableRows = 1000 // under one header of a table for people, whose columns are as wide as the widest
	if l.n > 0 && l.n%tableRows == 0 && (l.format == grid.Text || l.format == grid.Markdown) {
		_ = l.table.Close()
		l.out.printf("\n")
		l.begin()
	}
	l.n++
	_ = l.table.Write(listedWith(l.names, run, g))
	return l.out.err
}

func (l *gameList) end() {
	if l.format != "jsonl" && (l.n > 0 || l.format != grid.Text) {
		_ = l.table.Close()
	}
	if l.format != grid.Text {
		return
	}
	count := "0 games"
	if l.n > 0 {
		count = fmt.Sprintf("\n%s: South won %d, drawn %d, North won %d", textfmt.Plural(l.n, "game"), l.wins[0], l.wins[1],
			l.wins[2])
	}
	if l.notPlayed > 0 {
		count += fmt.Sprintf(", not played %d", l.notPlayed)
	}
	l.out.printf("%s\n", count)
}

func listedWith(names agents.Names, run string, g *record.Record) listedGame {
	return listedGame{g, run, names.Of(g.South.Agent), names.Of(g.North.Agent)}
}

// namesIn returns what the players of files of records are called: the players in a run's config, or without a config
// the players of all games. The standard input is copied to a temporary file, as it is read again.
func namesIn(ctx context.Context, e *env, files []string) (agents.Names, error) {
	var copied *os.File
	if slices.Contains(files, "-") {
		var err error
		if copied, err = copyInput(ctx, e); err != nil {
			return nil, err
		}
		e.in = copied
	}
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
	if copied != nil {
		if _, err := copied.Seek(0, io.SeekStart); err != nil {
			return nil, failure{err}
		}
	}
	return agents.NamesOf(players), nil
}

// copyInput returns a copy of the standard input in a file without a name, which the system removes with the process.
func copyInput(ctx context.Context, e *env) (*os.File, error) {
	in, _, err := openInput(ctx, e, "-")
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	file, err := os.CreateTemp("", "gyges-*")
	if err != nil {
		return nil, failure{err}
	}
	_ = os.Remove(file.Name())
	if _, err := io.Copy(file, in); err != nil {
		return nil, err
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, asFailure(err)
}

type gamesShowCmd struct {
	Source string `arg:"" name:"run" what:"a run and a game" help:"Folder of a run or file of records (games.jsonl); - is the standard input."`
	ID     int64  `check:"0.." arg:"" name:"id" what:"the number of a game" help:"The game's number, as gyges games lists it."`
	Ply    *int   `placeholder:"N" help:"Show only the position after N plies; 0 is the one that play began in."`
	Quiet  bool   `short:"q" help:"Print the moves, not the board."`
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default) or json."`
}

func (c *gamesShowCmd) Run(ctx context.Context, e *env) error {
	files, err := gameFiles([]string{c.Source})
	if err != nil {
		return err
	}
	g, game, turns, err := findGame(ctx, e, files[0], c.ID)
	switch {
	case err != nil:
		return err
	case c.Ply != nil:
		return c.position(e, g, game, turns)
	case c.Format == "json":
		return grid.WriteJSON(e.out, gameObject(g, game, turns))
	}
	c.text(e.out, g, game, turns)
	return nil
}

func (c *gamesShowCmd) position(e *env, g *record.Record, game *rules.Game, turns []record.Turn) error {
	if *c.Ply < 0 || *c.Ply > g.Plies {
		return fmt.Errorf("--ply: expected 0 to %d, the length of game %d, found %d", g.Plies, c.ID, *c.Ply)
	}
	if game == nil {
		return fmt.Errorf("--ply: game %d was imported without moves", c.ID)
	}
	p, last := game.Start(), rules.NoMove
	for _, t := range turns {
		if t.Ply <= *c.Ply { // placements have ply 0
			p, last = t.After, t.Move
		}
	}
	r := game.Rules()
	if c.Format == "json" {
		return grid.WriteJSON(e.out, map[string]any{"game": c.ID, "ply": *c.Ply, "position": r.FormatPosition(p)})
	}
	e.out.printf("%s\n\n%s", r.FormatPosition(p), human.Board(r, p, last, nil))
	return nil
}

// findGame finds a record and replays it; game is nil if no moves are known.
func findGame(ctx context.Context, e *env, path string, id int64) (
	g *record.Record, game *rules.Game, turns []record.Turn, err error,
) {
	file, name, err := openInput(ctx, e, path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	g, line, err := record.Find(file, name, id)
	switch {
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("%s: expected a record of game %d, found none", name, id)
	case err == nil && (g.Reason != record.Imported || len(g.Moves) > 0):
		if game, err = record.Replay(g); err == nil {
			turns = g.Turns(game)
		}
		err = named(fmt.Sprintf("%s:%d", name, line), err)
	}
	return g, game, turns, err
}

func (c *gamesShowCmd) text(out *output, g *record.Record, game *rules.Game, turns []record.Turn) {
	out.printf("Game   %d, pair %d\nSouth  %s\nNorth  %s\nRules  %s\n", g.Game, g.Pair,
		textfmt.Escape(withSpec(g.South.Agent)), textfmt.Escape(withSpec(g.North.Agent)), textfmt.Escape(g.Rules))
	if start := g.Timing.Start; !start.IsZero() {
		out.printf("Begun  %s\n", start.UTC().Format(time.DateTime))
	}
	if game == nil {
		out.printf("No moves are known: the game was imported.\n")
	} else {
		s := &spectator{out: out, quiet: c.Quiet}
		s.board(game.Rules(), game.Start(), rules.NoMove)
		for _, t := range turns {
			s.turn(game.Rules(), t)
		}
	}
	printResult(out, g)
	if len(g.Timing.Trace) > 0 {
		out.printf("\nThe last lines of the engine at fault (> to it, < from it, ! its standard error, = a remark):\n")
	}
	for _, line := range g.Timing.Trace {
		out.printf("  %s\n", textfmt.Escape(line))
	}
}

func printResult(out *output, g *record.Record) {
	if f := g.Fault; f != nil {
		out.printf("%v lost by a fault (%s)", f.Loser(), textfmt.Escape(string(f.Kind)))
		if f.Detail != "" {
			out.printf(": %s", textfmt.Escape(f.Detail))
		}
		out.printf("\n")
	}
	out.printf("result %s %s %d plies\n", g.Result, textfmt.Escape(g.Reason), g.Plies)
}

// withSpec is a player's name, with its spec if it has a label.
func withSpec(player string) string {
	if label := agents.LabelOf(player); label != player {
		return label + " (" + player + ")"
	}
	return player
}

func gameObject(g *record.Record, game *rules.Game, turns []record.Turn) grid.Object {
	moves := []grid.Object{}
	for i, t := range turns {
		m := grid.Object{
			{Key: "ply", Value: t.Ply}, {Key: "side", Value: strings.ToLower(t.Before.Side().String())}, // 0: a placement
			{Key: "move", Value: t.Move.String()}, {Key: "long", Value: game.Rules().LongText(t.Before, t.Move)},
		}
		for list, value := range g.Said(i) {
			m = append(m, grid.Object{{Key: list.Each, Value: value}}...)
		}
		moves = append(moves, append(m, grid.Object{{Key: "position", Value: game.Rules().FormatPosition(t.After)}}...))
	}
	row := listedWith(agents.NamesOf([]string{g.South.Agent, g.North.Agent}), "", g)
	o := slices.Concat(grid.ObjectOf(gameColumns[1:6], row), grid.Object{
		{Key: "agents", Value: []string{g.South.Agent, g.North.Agent}}, {Key: "opening", Value: g.Opening},
		{Key: "moves", Value: moves},
	}, grid.ObjectOf(gameColumns[6:], row))
	if g.Fault != nil {
		o = append(o, grid.Object{{Key: "fault", Value: g.Fault}, {Key: "trace", Value: g.Timing.Trace}}...)
	}
	return o
}
