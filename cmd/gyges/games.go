package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/human"
	"gyges/ratings/textfmt"
	"gyges/rules"
	"gyges/tournament/record"
)

// gamesCmd shows recorded games.
type gamesCmd struct {
	List  gamesListCmd  `cmd:"" default:"withargs" help:"List games."`
	Show  gamesShowCmd  `cmd:"" help:"Replay a game."`
	Stats gamesStatsCmd `cmd:"" help:"Count what happens in games."`
}

func (gamesCmd) examples() []example {
	return slices.Concat(gamesListCmd{}.examples(), gamesShowCmd{}.examples(), gamesStatsCmd{}.examples())
}

// gameFilter chooses recorded games.
type gameFilter struct {
	Agent    []string `sep:"none" placeholder:"AGENT" complete:"agents" help:"Only games that this agent played, by its name or its whole spec; given twice, games of these two."`
	Side     string   `enum:",south,north" default:"" placeholder:"SIDE" help:"Only games in which the first --agent was south or north."`
	Rules    string   `placeholder:"RULES,…" complete:"rules" help:"Only games under these rule sets."`
	Result   string   `enum:",1-0,0-1,1/2-1/2,won,drawn,lost" default:"" placeholder:"RESULT" help:"Only games that ended so: 1-0 (South won), 0-1 or 1/2-1/2; or won, drawn or lost by the first --agent."`
	Reason   string   `placeholder:"REASON,…" help:"Only games that ended for one of these reasons, like goal, length or timeout."`
	MinPlies int      `name:"min-plies" placeholder:"N" help:"Only games of at least N plies."`
	MaxPlies *int     `name:"max-plies" placeholder:"N" help:"Only games of at most N plies."`
	Limit    int      `placeholder:"N" help:"Stop after N games. Default: 0, all."`

	rules   map[string]bool
	reasons []string
	most    int // plies
	chosen  int // games so far
	line    int // of the record read last

	// bad, if not nil, is called for a line that is no record, which is left out unless it returns an error.
	bad func(error) error
}

// prepare checks the flags.
func (f *gameFilter) prepare() error {
	var errs []error
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	expect(len(f.Agent) <= 2, "--agent: expected it at most twice, found it %d times", len(f.Agent))
	expect(f.Side == "" || len(f.Agent) > 0, "--side: expected an --agent, too")
	expect(len(f.Agent) > 0 || f.Result != "won" && f.Result != "drawn" && f.Result != "lost",
		"--result: %s expects an --agent, too", f.Result)
	expect(f.Limit >= 0, "--limit: expected a number from 0, found %d", f.Limit)
	f.most = math.MaxInt
	if f.MaxPlies != nil {
		f.most = *f.MaxPlies
	}
	expect(f.MinPlies >= 0 && f.most >= 0, "--min-plies, --max-plies: expected numbers from 0, found %d",
		min(f.MinPlies, f.most))
	expect(f.MinPlies <= f.most || f.most < 0, "--min-plies: expected at most --max-plies %d, found %d",
		f.most, f.MinPlies)
	for i, text := range f.Agent { // a spec as records have it, however it is quoted
		if spec, err := agents.ParseSpec(text); err == nil {
			f.Agent[i] = spec.String()
		}
	}
	var err error
	f.rules, err = ruleNames(f.Rules)
	errs = append(errs, err)
	if f.Reason != "" {
		f.reasons = strings.Split(f.Reason, ",")
	}
	return errors.Join(errs...)
}

// takes reports whether a game passes the filter.
func (f *gameFilter) takes(g *record.Game) bool {
	south := false // the first agent is
	is := func(player, agent string) bool { return player == agent || agents.LabelOf(player) == agent }
	for i, agent := range f.Agent {
		switch {
		case is(g.South.Agent, agent) && (i == 0 && f.Side != "north" || i == 1 && !south):
			south = i == 0
		case is(g.North.Agent, agent) && (i == 0 && f.Side != "south" || i == 1 && south):
		default:
			return false
		}
	}
	return f.takesResult(g.Result, south) &&
		(f.rules == nil || f.rules[g.Rules]) &&
		(f.reasons == nil || slices.Contains(f.reasons, g.Reason)) &&
		f.MinPlies <= g.Plies && g.Plies <= f.most
}

// takesResult reports whether a result passes the filter; south is whether the first
// agent was South.
func (f *gameFilter) takesResult(result string, south bool) bool {
	switch f.Result {
	case "":
		return true
	case "drawn":
		return result == "1/2-1/2"
	case "won":
		return result != "1/2-1/2" && (result == "1-0") == south
	case "lost":
		return result != "1/2-1/2" && (result == "1-0") != south
	}
	return result == f.Result
}

// runFile is a file of records, as the user named it.
type runFile struct {
	name string // of its folder or file
	path string // "-" is standard input
}

// runFiles finds the records of runs. names are used up to the first error.
func runFiles(names []string) ([]runFile, error) {
	files, err := gameFiles(names)
	if err != nil {
		return nil, err
	}
	list := make([]runFile, len(files))
	for i, path := range files {
		list[i] = runFile{names[i], path}
	}
	return list, nil
}

// open opens the file, or takes the standard input.
func (f runFile) open(ctx context.Context, e *env) (io.ReadCloser, string, error) {
	in, name, err := openInput(ctx, e.in, f.path)
	return in, name, plainFileError(err)
}

// done reports whether --limit is reached.
func (f *gameFilter) done() bool { return f.Limit > 0 && f.chosen == f.Limit }

// each calls take for the games that pass the filter, file by file; i is the file's
// index.
func (f *gameFilter) each(
	ctx context.Context, e *env, files []runFile, take func(i int, g *record.Game) error,
) error {
	for i, file := range files {
		if f.done() {
			return nil
		}
		if err := f.inFile(ctx, e, file, func(g *record.Game) error { return take(i, g) }); err != nil {
			return err
		}
	}
	return nil
}

// inFile calls take for the games of a file that pass the filter. An error of take ends
// the reading; it gets file and line unless it is a [failure]. A last line that is cut
// short, as in a run that goes on, is left out with a warning.
func (f *gameFilter) inFile(ctx context.Context, e *env, from runFile, take func(*record.Game) error) error {
	file, name, err := from.open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	return f.records(ctx, e, file, name, take)
}

// records is inFile for a file that is open.
func (f *gameFilter) records(
	ctx context.Context, e *env, file io.Reader, name string, take func(*record.Game) error,
) error {
	for r := record.NewReader(file, name); ctx.Err() == nil && !f.done(); {
		g, err := r.Read()
		f.line = r.Line()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, record.ErrTorn) && r.Line() > 1:
			e.err.warn("left out: %s:%d: the last line is cut short", textfmt.Escape(name), r.Line())
			return nil
		case f.bad != nil && errors.As(err, new(*record.LineError)):
			if err := f.bad(err); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case !f.takes(g):
			continue
		case e.out.err != nil: // the output is closed
			return failure{e.out.err}
		}
		f.chosen++
		if err := take(g); errors.As(err, new(failure)) {
			return err
		} else if err != nil {
			return fmt.Errorf("%s:%d: %w", name, r.Line(), err)
		}
	}
	return ctx.Err()
}

// gamesListCmd lists the games of runs.
type gamesListCmd struct {
	Runs []string `arg:"" name:"run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
	Columns string `placeholder:"COLUMN,…" help:"Columns of text, Markdown and CSV: run, game, pair, rules, south, north, result, reason, plies. Default: all, and without pair where text would be wider than the terminal, or 80 columns."`
	Format  string `enum:"text,markdown,csv,json,jsonl" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv, json (an array, an object for each game) or jsonl (the records themselves)."`
}

// Help is the part of the help below the summary.
func (gamesListCmd) Help() string {
	return "Lists recorded games in the order of the file: the game's number, its pair, the rule set, the players, " +
		"the result with its reason, and the length in plies. A player is listed by its name=, if it has one; names " +
		"too long for the line are cut in the middle. gyges games show replays a game. With --format jsonl the " +
		"output is a file of records again, which every command reads that reads runs."
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
	columns, errColumns := parseGameColumns(c.Columns)
	if err := errors.Join(c.prepare(), errColumns); err != nil {
		return err
	}
	files, err := runFiles(c.Runs)
	if err != nil {
		return err
	}
	w := newGameWriter(c.Format, e.out, columns, len(files) > 1)
	err = c.each(ctx, e, files, func(i int, g *record.Game) error { return w.game(files[i].name, g) })
	if err != nil {
		w.flush()
		return err
	}
	return w.end()
}

// gamesShowCmd replays a recorded game.
type gamesShowCmd struct {
	Source string `arg:"" name:"run" help:"Folder of a run or file of records (games.jsonl); - is the standard input."`
	ID     int64  `arg:"" name:"id" help:"The game's number, as gyges games lists it."`
	Ply    *int   `placeholder:"N" help:"Show only the position after N plies; 0 is the one that play began in."`
	Quiet  bool   `short:"q" help:"Print the moves, not the board."`
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Output: text (default) or json."`
}

// Help is the part of the help below the summary.
func (gamesShowCmd) Help() string {
	return "Plays a recorded game again, move by move, in long notation with what the player said of each: its score in " +
		"points, the depth it searched, the positions it visited, the time it took. Every move is checked against the " +
		"rules, and so is the result; a record that doesn't fit is refused with file and line."
}

func (gamesShowCmd) examples() []example {
	return []example{
		{"gyges games show results/quick-20260102-150405 17", ""},
		{"gyges games show results/quick-20260102-150405 17 --ply 12", "the board after ply 12"},
		{"gyges games show results/quick-20260102-150405 17 --format json", ""},
	}
}

// Run prints the game.
func (c *gamesShowCmd) Run(ctx context.Context, e *env) error {
	if c.ID < 0 {
		return fmt.Errorf("expected the number of a game, from 0, found %d", c.ID)
	}
	files, err := runFiles([]string{c.Source})
	if err != nil {
		return err
	}
	g, game, err := findGame(ctx, e, files[0], c.ID)
	if err != nil {
		return err
	}
	var turns []record.Turn
	if game != nil {
		turns = g.Turns(game)
	}
	switch {
	case c.Ply != nil:
		return c.position(e, g, game, turns)
	case c.Format == "json":
		return writeJSON(e.out, newShownGame(g, game, turns))
	}
	c.text(e.out, g, game, turns)
	return nil
}

// position prints the position after --ply plies.
func (c *gamesShowCmd) position(e *env, g *record.Game, game *rules.Game, turns []record.Turn) error {
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
		return writeJSON(e.out, map[string]any{"game": c.ID, "ply": *c.Ply, "position": r.FormatPosition(p)})
	}
	e.out.printf("%s\n\n%s", r.FormatPosition(p), human.Board(r, p, last))
	return nil
}

// findGame finds a record and replays it; game is nil if no moves are known.
func findGame(ctx context.Context, e *env, f runFile, id int64) (g *record.Game, game *rules.Game, err error) {
	file, name, err := f.open(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	g, line, err := record.Find(file, name, id)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil, fmt.Errorf("%s: expected a record of game %d, found none", name, id)
	case err != nil:
		return nil, nil, err
	case g.Reason == record.Imported && len(g.Moves) == 0:
		return g, nil, nil
	}
	if game, err = record.Replay(g); err != nil {
		return nil, nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return g, game, nil
}

// text prints the game for people.
func (c *gamesShowCmd) text(out *output, g *record.Game, game *rules.Game, turns []record.Turn) {
	out.printf("Game   %d, pair %d\nSouth  %s\nNorth  %s\n", g.Game, g.Pair, textfmt.Escape(withSpec(g.South.Agent)),
		textfmt.Escape(withSpec(g.North.Agent)))
	out.printf("Rules  %s\n", textfmt.Escape(g.Rules))
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
	if f := g.Fault; f != nil {
		out.printf("%s%s lost by a fault (%s)", strings.ToUpper(f.Side[:1]), f.Side[1:], textfmt.Escape(string(f.Kind)))
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

// clockText prints milliseconds for people.
func clockText(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.1fms", ms)
	}
	return fmt.Sprintf("%.2fs", ms/1000)
}

// shownGame is a game as --format json prints it.
type shownGame struct {
	Game    int64         `json:"game"`
	Pair    int64         `json:"pair"`
	Rules   string        `json:"rules"`
	South   string        `json:"south"` // names
	North   string        `json:"north"`
	Agents  [2]string     `json:"agents"` // specs, of South and North
	Opening string        `json:"opening"`
	Moves   []shownMove   `json:"moves"`
	Result  string        `json:"result"`
	Reason  string        `json:"reason"`
	Plies   int           `json:"plies"`
	Fault   *record.Fault `json:"fault,omitempty"`
}

// shownMove is a move of a replayed game.
type shownMove struct {
	Ply      int      `json:"ply"`  // from 1; 0 for a placement
	Side     string   `json:"side"` // south or north
	Move     string   `json:"move"`
	Long     string   `json:"long"`
	Score    *int32   `json:"score,omitempty"` // hundredths of a point, from the mover's side
	Depth    int      `json:"depth,omitempty"`
	Nodes    int64    `json:"nodes,omitempty"`
	MS       *float64 `json:"ms,omitempty"`
	Position string   `json:"position"` // after it
}

func newShownGame(g *record.Game, game *rules.Game, turns []record.Turn) shownGame {
	shown := shownGame{
		Game: g.Game, Pair: g.Pair, Rules: g.Rules,
		South: agents.LabelOf(g.South.Agent), North: agents.LabelOf(g.North.Agent),
		Agents: [2]string{g.South.Agent, g.North.Agent}, Opening: g.Opening,
		Result: g.Result, Reason: g.Reason, Plies: g.Plies, Fault: g.Fault, Moves: []shownMove{},
	}
	for _, t := range turns {
		m := shownMove{
			Ply: t.Ply, Side: strings.ToLower(t.Before.Side().String()),
			Move: t.Move.String(), Long: game.Rules().LongText(t.Before, t.Move),
			Depth: t.Depth, Nodes: t.Nodes, MS: t.MS, Position: game.Rules().FormatPosition(t.After),
		}
		if t.Scored {
			m.Score = (*int32)(&t.Score)
		}
		shown.Moves = append(shown.Moves, m)
	}
	return shown
}
