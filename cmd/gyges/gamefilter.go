package main

import (
	"context"
	"errors"
	"fmt"

	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// gameFilter are the flags that choose recorded games.
type gameFilter struct {
	record.Filter
	Rules string `placeholder:"RULES,…" complete:"rules" help:"Only games under these rule sets."`
}

// prepare checks the flags.
func (f *gameFilter) prepare() (err error) {
	f.RuleSets, err = ruleNames(f.Rules)
	return errors.Join(f.Check(), err)
}

// each calls take for the games that pass the filter, file by file; i is the file's index. An error of take gets file
// and line unless it is a [failure]. Files without any record are an error. The notes are on the runs that contradict
// their manifests; in has the others.
func (f *gameFilter) each(
	ctx context.Context, e *env, in *standings.Reader, files []string, take func(i int, g *record.Game) error,
) (notes []string, err error) {
	runs := standings.New()
	for i, path := range files {
		if f.Done() {
			break
		}
		file, name, err := openInput(ctx, e, path)
		if err != nil {
			return nil, err
		}
		in.Begin(runs, path)
		err = in.Whole(ctx, file, name, &f.Filter, runs, func(line int, g *record.Game) error {
			err := take(i, g)
			if err != nil && !errors.As(err, new(failure)) {
				err = fmt.Errorf("%s:%d: %w", name, line, err)
			}
			return err
		})
		_ = file.Close() // it was only read
		if err != nil {
			return nil, err
		}
	}
	if runs.Records() == 0 {
		return nil, noGames(listed(files), &in.Skipped)
	}
	return runs.Notes(), nil
}
