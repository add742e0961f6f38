package main

import (
	"context"
	"errors"

	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// gamesCmd shows recorded games.
type gamesCmd struct {
	List  gamesListCmd  `cmd:"" default:"withargs" help:"List games."`
	Show  gamesShowCmd  `cmd:"" help:"Replay a game."`
	Stats gamesStatsCmd `cmd:"" help:"Count what happens in games."`
}

// gamesListCmd lists the games of runs.
type gamesListCmd struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
	Columns string `placeholder:"COLUMN,…" complete:"run,game,pair,rules,south,north,result,reason,plies" help:"Columns: run, game, pair, rules, south, north, result, reason, plies. Default: all, run only of several, and pair only where text is no wider than the terminal, or 80 columns."`
	Format  string `enum:"text,markdown,csv,json,jsonl" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv, json (an array, an object for each game) or jsonl (the records themselves)."`
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
	in := &standings.Reader{Strict: true}
	notes, err := c.each(ctx, e, in, files, func(i int, g *record.Game) error { return list.add(c.Runs[i], g) })
	if err != nil {
		if list.n > 0 {
			_ = list.table.Close() // the games before the mistake
		}
		return err
	}
	warnSkipped(e, &in.Skipped, notes)
	return list.end()
}
