package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"

	"gyges/agents/analysis"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/explorer"
	"gyges/tournament/runs"
)

type exploreCmd struct {
	Args   []string     `arg:"" name:"run" what:"a run" sep:"none" help:"A position in quotes, or none for the start of a game, then folders of runs, files of records (games.jsonl) or PGN; - is the standard input."`
	Rules  *rules.Rules `placeholder:"RULES" help:"Rule set of the games. Default: theirs, if they have only one."`
	Moves  []string     `sep:" " placeholder:"'MOVE …'" help:"Moves made from the position before the one asked for, separated by blanks."`
	Limit  int          `check:"0.." default:"20" placeholder:"N" help:"Moves to list; 0 for all. Default: 20."`
	Format grid.Format  `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// boardText begins like a board, also one with a mistake.
var boardText = regexp.MustCompile(`^\d+(/\d\w*){4,}( |$)`)

func (c *exploreCmd) Run(ctx context.Context, e *env) error {
	position := ""
	if _, err := os.Stat(c.Args[0]); err != nil && boardText.MatchString(c.Args[0]) {
		position, c.Args = c.Args[0], c.Args[1:]
	}
	paths, err := gameFiles(c.Args)
	r, set := c.Rules, explorer.Set{}
	if r != nil {
		set.Reader.Rules = r.String()
	}
	for i := 0; i < len(paths) && err == nil; i++ {
		var file *runs.File
		if file, err = openGames(ctx, e, paths[i], set.Reader.Manifest(paths[i])); err == nil {
			file.Name = c.Args[i]
			err = set.Read(ctx, file)
		}
	}
	switch {
	case err != nil:
		return err
	case len(paths) == 0:
		return errors.New("expected a run after the position; see gyges explore --help")
	case len(set.RuleSets) == 0:
		return noGames(c.Args, &set.Reader)
	case r == nil && len(set.RuleSets) > 1:
		return fmt.Errorf("--rules: expected one of those of the games: %s", listed(set.RuleSets))
	case r == nil:
		r = rules.MustParse(set.RuleSets[0])
	}
	game, err := analysis.Replay(r, position, c.Moves)
	if err != nil {
		return err
	}
	warnSkipped(e, &set.Reader, set.Notes()...)
	moves, games := set.Find(game)
	shown := moves[:min(len(moves), cmp.Or(c.Limit, len(moves)))]
	text := c.Format == grid.Text || c.Format == grid.Markdown
	if text {
		e.out.printf("%s\n%s under %v\n\n", r.FormatPosition(game.Position()), textfmt.Plural(games, "game"), r)
	}
	err = printTable(e.out, grid.Make(explorer.Columns, shown), c.Format, 0)
	if more := len(moves) - len(shown); err == nil && text && more > 0 {
		e.out.printf("\n%d more; --limit 0 lists all\n", more)
	}
	return asFailure(err)
}
