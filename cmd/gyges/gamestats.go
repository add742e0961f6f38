package main

import (
	"context"

	"gyges/rules/base/grid"
	"gyges/tournament/gamestats"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

type gamesStatsCmd struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
	Format grid.Format `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// Run counts the games and prints the figures.
func (c *gamesStatsCmd) Run(ctx context.Context, e *env) error {
	if err := c.prepare(); err != nil {
		return err
	}
	files, err := gameFiles(c.Runs)
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
		return noGames(listed(c.Runs), in)
	}
	warnSkipped(e, in)
	return asFailure(grid.Make(gamestats.Columns, figures).Write(e.out, c.Format, grid.Options{Width: tableWidth(e.out)}))
}
