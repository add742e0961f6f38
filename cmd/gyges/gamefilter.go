package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
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
// index. bad is called for lines that are no records; nil refuses them.
func (f *gameFilter) each(
	ctx context.Context, e *env, files []string, bad func(error) error, take func(i int, g *record.Game) error,
) error {
	for i, path := range files {
		if f.Done() {
			return nil
		}
		in, name, err := openInput(ctx, e, path)
		if err != nil {
			return err
		}
		err = f.records(ctx, e, in, name, bad, func(g *record.Game) error { return take(i, g) })
		_ = in.Close() // it was only read
		if err != nil {
			return err
		}
	}
	return nil
}

// records is [gameFilter.each] for a file that is open. An error of take gets file and
// line and goes to bad, too, unless it is a [failure]. A last line that is cut short, as in a run that goes on,
// is left out with a warning.
func (f *gameFilter) records(
	ctx context.Context, e *env, in io.Reader, name string, bad func(error) error, take func(*record.Game) error,
) error {
	refuse := func(err *record.LineError) error {
		switch {
		case errors.Is(err, record.ErrTorn) && err.Line > 1:
			e.err.warn("left out: %s:%d: the last line is cut short", textfmt.Escape(name), err.Line)
			return nil
		case bad != nil:
			return bad(err)
		}
		return err
	}
	return f.Read(ctx, in, name, refuse, func(line int, g *record.Game) error {
		err := take(g)
		if err == nil || errors.As(err, new(failure)) {
			return err
		}
		err = fmt.Errorf("%s:%d: %w", name, line, err)
		if bad != nil {
			return bad(err)
		}
		return err
	})
}
