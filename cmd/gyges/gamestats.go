package main

import (
	"context"
	"errors"
	"fmt"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/gamestats"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

type gamesStatsCmd struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs or files of records (games.jsonl); - is the standard input."`
	gameFilter
	Compare string      `placeholder:"RULES" complete:"rules" help:"Compare the legal moves with those under this rule set: a preset or PRESET:OPTION=VALUE,…."`
	Workers int         `check:"0..1024" placeholder:"N" help:"Games to replay at a time; 0, the default, is one for each core."`
	Format  grid.Format `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// Run counts the games and prints the figures.
func (c *gamesStatsCmd) Run(ctx context.Context, e *env) error {
	compare, errCompare := flagRules("--compare", c.Compare)
	if err := errors.Join(c.prepare(), errCompare); err != nil {
		return err
	}
	files, err := gameFiles(c.Runs)
	if err != nil {
		return err
	}
	in, notes := new(standings.Reader), []string(nil)
	m, read := newMeter(e.err, 0), int64(0)
	options := gamestats.Options{Workers: c.Workers, Compare: compare}
	counted, err := gamestats.Count(options, func(add func(string, *record.Game)) (err error) {
		notes, err = c.each(ctx, e, in, files, func(i int, g *record.Game) error {
			if read++; m.due() {
				m.report(read, 0, fmt.Sprintf("%s games, %s", textfmt.Thousands(read), m.rate(read)))
			}
			if g.NotPlayed() {
				in.Skipped.NotPlayed++
				return nil
			}
			add(files[i], g)
			return nil
		})
		return err
	})
	m.end()
	if err != nil {
		return err
	}
	for _, bad := range counted.Errors {
		_ = in.Unreadable(bad) // which returns it in strict mode only
	}
	in.Skipped.Unreadable += counted.Refused - len(counted.Errors)
	if len(counted.Rules) == 0 {
		return noGames(listed(c.Runs), &in.Skipped)
	}
	warnSkipped(e, &in.Skipped, notes)
	title := ""
	if compare != nil {
		title = ", compared with " + compare.String()
	}
	return asFailure(counted.Write(e.out, c.Format, tableWidth(e.out), title))
}
