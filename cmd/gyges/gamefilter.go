package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

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
