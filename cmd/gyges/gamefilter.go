package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"gyges/rules/base/textfmt"
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

// each calls take for the games that pass the filter, file by file; i is the file's
// index. An error of take gets file and line unless it is a [failure]. bad is called for
// lines that are no records; nil refuses them. A last line that is cut short, as in a run
// that goes on, is left out with a warning. Files without any record are an error.
func (f *gameFilter) each(
	ctx context.Context, e *env, files []string, bad func(error) error, take func(i int, g *record.Game) error,
) error {
	empty := true
	for i, path := range files {
		if f.Done() {
			return nil
		}
		in, name, err := openInput(ctx, e, path)
		if err != nil {
			return err
		}
		content := bufio.NewReader(in)
		_, errEmpty := content.Peek(1) // other errors are returned by the next read
		empty = empty && errors.Is(errEmpty, io.EOF)
		err = f.Read(ctx, content, name, func(err *record.LineError) error {
			switch {
			case errors.Is(err, record.ErrTorn) && err.Line > 1:
				e.err.warn("left out: %s:%d: the last line is cut short", textfmt.Escape(name), err.Line)
				return nil
			case bad != nil:
				return bad(err)
			}
			return err
		}, func(line int, g *record.Game) error {
			err := take(i, g)
			if err != nil && !errors.As(err, new(failure)) {
				err = fmt.Errorf("%s:%d: %w", name, line, err)
			}
			return err
		})
		_ = in.Close() // it was only read
		if err != nil {
			return err
		}
	}
	if empty {
		return noGames(listed(files), new(standings.Skipped))
	}
	return nil
}
