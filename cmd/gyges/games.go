package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/tournament/record"
)

// gamesCmd shows recorded games.
type gamesCmd struct {
	List gamesListCmd `cmd:"" default:"withargs" help:"List games."`
	Show gamesShowCmd `cmd:"" help:"Replay a game."`
}

func (gamesCmd) examples() []example {
	return append(gamesListCmd{}.examples(), gamesShowCmd{}.examples()...)
}

// gameFilter chooses recorded games.
type gameFilter struct {
	Agent    []string `sep:"none" placeholder:"AGENT" complete:"agents" help:"Only games that this agent played, by its name or its whole spec; given twice, games of these two."`
	Side     string   `enum:",south,north" default:"" placeholder:"SIDE" help:"Only games in which the first --agent was south or north."`
	Rules    string   `placeholder:"RULES,…" complete:"rules" help:"Only games under these rule sets."`
	Result   string   `enum:",1-0,0-1,1/2-1/2,won,drawn,lost" default:"" placeholder:"RESULT" help:"Only games that ended so: 1-0 (South won), 0-1 or 1/2-1/2; or won, drawn or lost by the first --agent."`
	Reason   string   `placeholder:"REASON,…" help:"Only games that ended for one of these reasons, like goal, length or timeout."`
	MinPlies *int     `name:"min-plies" placeholder:"N" help:"Only games of at least N plies."`
	MaxPlies *int     `name:"max-plies" placeholder:"N" help:"Only games of at most N plies."`
	Limit    int      `placeholder:"N" help:"Stop after N games. Default: 0, all."`

	rules   map[string]bool
	reasons []string
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
	expect(len(f.Agent) > 0 || f.Result != "won" && f.Result != "drawn" && f.Result != "lost", "--result: %s expects an --agent, too", f.Result)
	expect(f.Limit >= 0, "--limit: expected a number from 0, found %d", f.Limit)
	least, most := valueOr(f.MinPlies, 0), valueOr(f.MaxPlies, int(^uint(0)>>1))
	expect(least >= 0 && most >= 0, "--min-plies, --max-plies: expected numbers from 0, found %d", min(least, most))
	expect(least <= most || most < 0, "--min-plies: expected at most --max-plies %d, found %d", most, least)
	var err error
	f.rules, err = ruleNames(f.Rules)
	errs = append(errs, err)
	if f.Reason != "" {
		f.reasons = strings.Split(f.Reason, ",")
	}
	return errors.Join(errs...)
}

func valueOr(n *int, other int) int {
	if n == nil {
		return other
	}
	return *n
}

// takes tells whether a game is wanted.
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
		(f.MinPlies == nil || g.Plies >= *f.MinPlies) && (f.MaxPlies == nil || g.Plies <= *f.MaxPlies)
}

// takesResult tells whether a result is wanted; south says that the agent asked
// for was South.
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

// errEnough ends the reading of records without being a mistake.
var errEnough = errors.New("enough")

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

// games hands each game of a file to take, which may end the reading with an
// error; one that is the record's is given its file and line. A last line that is cut short, as in a run that goes on, is told of and
// left out.
func (f runFile) games(ctx context.Context, e *env, take func(*record.Game) error) error {
	file, name, err := f.open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	for r := record.NewReader(file, name); ctx.Err() == nil; {
		g, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, record.ErrTorn) && r.Line() > 1:
			e.err.printf("gyges: left out: %s:%d: the last line is cut short\n", visible(name), r.Line())
			return nil
		case err != nil:
			return err
		}
		err = take(g)
		switch {
		case errors.Is(err, errEnough), errors.As(err, new(failure)):
			return err
		case err != nil:
			return fmt.Errorf("%s:%d: %w", name, r.Line(), err)
		}
	}
	return ctx.Err()
}

// chosen hands the games that the filter takes, file by file, to take.
func (f *gameFilter) chosen(ctx context.Context, e *env, files []runFile, take func(i int, g *record.Game) error) error {
	n := 0
	for i, file := range files {
		err := file.games(ctx, e, func(g *record.Game) error {
			if !f.takes(g) {
				return nil
			}
			if e.out.err != nil { // nobody listens any more
				return failure{e.out.err}
			}
			if err := take(i, g); err != nil {
				return err
			}
			if n++; n == f.Limit {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
