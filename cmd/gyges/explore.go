package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gyges/agents/analysis"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/gameindex"
)

// exploreCmd lists what was played in a position.
type exploreCmd struct {
	Args   []string `arg:"" name:"run" what:"a run" sep:"none" help:"A position, or none for the start of a game, then folders of runs, files of records (games.jsonl) or PGN."`
	Rules  string   `placeholder:"RULES" complete:"rules" help:"Rule set of the games. Default: theirs, if they have only one."`
	Moves  []string `sep:" " placeholder:"'MOVE …'" help:"Moves made from the position before the one asked for, separated by blanks."`
	MinElo *float64 `placeholder:"ELO" help:"Only games of two players who have at least this rating in their run, as gyges rate gives it."`
	Limit  int      `check:"0.." default:"20" placeholder:"N" help:"Moves to list; 0 for all. Default: 20."`
	Format string   `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// boardText begins like a board, also one with a mistake.
var boardText = regexp.MustCompile(`^\d+(/\d\w*){4,}( |$)`)

// takePosition takes the position off the arguments, "" for none, so that the runs remain.
func (c *exploreCmd) takePosition() (position string, err error) {
	if _, err := os.Stat(c.Args[0]); err == nil || !boardText.MatchString(c.Args[0]) {
		return "", nil
	}
	n := 1
	for !strings.Contains(c.Args[0], " ") && n < len(c.Args) && strings.Trim(c.Args[n], "0123456789/-sn") == "" {
		n++
	}
	position, c.Args = strings.Join(c.Args[:n], " "), c.Args[n:]
	if _, err := rules.SideToMove(position); err != nil {
		return "", fmt.Errorf("position: %w", err)
	}
	if len(c.Args) == 0 {
		return "", errors.New("expected a run after the position; see gyges explore --help")
	}
	return position, nil
}

// Run indexes the games and prints the moves.
func (c *exploreCmd) Run(ctx context.Context, e *env) (err error) {
	position, err := c.takePosition()
	if err != nil {
		return err
	}
	if set, err := flagRules("--rules", c.Rules); err != nil {
		return err
	} else if set != nil {
		c.Rules = set.String()
	}
	temp, remove, err := files.TempDir("", "gyges-explore")
	if err != nil {
		return failure{err}
	}
	defer func() { err = errors.Join(err, asFailure(remove())) }()
	list, err := c.open(ctx, e, temp)
	if err != nil {
		return err
	}
	set := new(gameindex.Set)
	a, game, err := c.find(ctx, e, set, list, position)
	if errors.Is(err, gameindex.ErrDamaged) {
		e.err.warn("%v; it is made anew", gameindex.ErrDamaged)
		a, game, err = c.find(ctx, e, set, list, position)
	}
	if err != nil {
		return err
	}
	for _, note := range set.Notes() {
		e.err.warn("%s", textfmt.Escape(note))
	}
	return asFailure(c.print(e.out, game, a))
}

// open returns the runs. PGN is imported into a folder first.
func (c *exploreCmd) open(ctx context.Context, e *env, temp string) (list []gameindex.Run, err error) {
	paths, err := gameFiles(c.Args)
	if slices.Contains(paths, "-") {
		return nil, errors.New("run: expected files, found the standard input, which has no place for an index")
	}
	for i := 0; i < len(paths) && err == nil; i++ {
		path := paths[i]
		if filepath.Ext(path) == ".pgn" {
			to := importCmd{File: path, Out: filepath.Join(temp, fmt.Sprint(i)), Rules: c.Rules}
			path = filepath.Join(to.Out, tournament.GamesFile)
			_, err = to.read(ctx, e)
		}
		list = append(list, gameindex.Run{Name: c.Args[i], Path: path})
	}
	return list, err
}

// find brings the indexes up to date, and answers.
func (c *exploreCmd) find(
	ctx context.Context, e *env, set *gameindex.Set, list []gameindex.Run, position string,
) (*gameindex.Answer, *rules.Game, error) {
	m := newMeter(e.err, 0)
	n, err := set.Update(ctx, list, func(run string, done, all int64) {
		if m.due() {
			m.report(done, all, fmt.Sprintf("indexing %s: %d %%", textfmt.Escape(run), 100*done/all))
		}
	})
	m.end()
	if err != nil {
		return nil, nil, err
	}
	if n > 0 {
		took := m.now().Sub(m.start).Seconds()
		e.err.printf("indexed %s games in %s s\n", textfmt.Thousands(int64(n)), textfmt.Decimal(took))
	}
	known := set.RuleSets()
	switch {
	case len(known) == 0:
		notes := append(set.Notes(), "expected games, found none in "+listed(c.Args))
		return nil, nil, errors.New(strings.Join(notes, "\n"))
	case c.Rules != "":
		known = []string{c.Rules}
	case len(known) > 1:
		return nil, nil, fmt.Errorf("--rules: expected one of those of the games: %s", listed(known))
	}
	r, err := rules.Parse(known[0])
	if err != nil {
		return nil, nil, err
	}
	game, err := analysis.Replay(r, position, c.Moves)
	if err != nil {
		return nil, nil, err
	}
	a, err := set.Find(ctx, gameindex.Query{Game: game, MinElo: c.MinElo, Rows: c.Limit, Games: 1})
	return a, game, err
}

// print prints the answer.
func (c *exploreCmd) print(out *output, game *rules.Game, a *gameindex.Answer) error {
	r, f := game.Rules(), grid.Format(c.Format)
	if f == grid.JSON {
		return grid.WriteJSON(out, grid.Object{
			{Key: "rules", Value: r.String()}, {Key: "position", Value: r.FormatPosition(game.Position())},
			{Key: "games", Value: a.Games}, {Key: "moves", Value: grid.Objects(gameindex.Columns, a.Rows)},
		})
	}
	if f != grid.CSV {
		out.printf("%s\n%s under %v\n\n", r.FormatPosition(game.Position()), textfmt.Plural(int(a.Games), "game"), r)
	}
	if len(a.Rows) == 0 && f != grid.CSV {
		return nil
	}
	err := grid.Write(out, f, grid.Options{Width: tableWidth(out)}, gameindex.Columns, a.Rows)
	if err == nil && f != grid.CSV && a.More > 0 {
		out.printf("\n%d more; --limit 0 lists all\n", a.More)
	}
	return err
}
