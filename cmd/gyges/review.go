package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gyges/ratings/source"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/standings"
)

// reviewCmd judges the moves of recorded games.
type reviewCmd struct {
	Sources []string `arg:"" name:"source" sep:"none" help:"Folder of a run, file of records (games.jsonl) or of PGN; - is the standard input. Several are reviewed one after the other."`
	Game    *int64   `placeholder:"ID" help:"Review the game with this number, as gyges games lists it; of PGN counted from 0 without those that have no result."`
	gameFilter
	Nodes   int64  `default:"20000" placeholder:"N" help:"Positions to search for each move. Default: 20000."`
	Workers int    `placeholder:"N" help:"Games to review at a time; 0, the default, is one for each core."`
	Out     string `placeholder:"FILE" help:"File to keep the reviews in, and to go on with if it has some. Default: reviews.jsonl in the run's folder; none for other files."`
	Format  string `enum:"text,json,jsonl,html" default:"text" placeholder:"FORMAT" help:"Output: text (default), json (the review of one game, or the summary of several), jsonl (the reviews, one a line) or html (a page that replays the games with their reviews)."`
}

func (reviewCmd) Help() string {
	return "Compares each move with the best one that a search of a fixed number of nodes finds, in winning " +
		"probability. One game is printed move by move with marks (inaccuracy, mistake, blunder, missed-win), the " +
		"better moves, the accuracy of both sides, the turning points and the wins that are proven. Several games are " +
		"summarized by player: accuracy, and where and by what moves games were lost. With --format html the output is " +
		"a page for the browser, one file that needs no other. Reviews are kept in the run's folder, where gyges " +
		"report and gyges serve show them; a review that was stopped goes on there. The same nodes give the same " +
		"reviews with any --workers. gyges help review says how moves are judged."
}

func (reviewCmd) examples() []example {
	return []example{
		{"gyges review results/quick-20260102-150405", "where each player loses its games"},
		{"gyges review results/quick-20260102-150405 --game 17", "one game, move by move"},
		{"gyges review results/quick-20260102-150405 --agent greedy --result lost", ""},
		{"gyges review game.pgn --nodes 200000 --format html > game.html", "a page to open or send"},
	}
}

// Run reviews the games and prints the review of the only one, or a summary.
func (c *reviewCmd) Run(ctx context.Context, e *env) error {
	if err := errors.Join(c.prepare(), c.check()); err != nil {
		return err
	}
	if _, err := gameFiles(c.Sources); err != nil {
		return err
	}
	all, err := c.sources(ctx, e)
	if err != nil {
		return err
	}
	for i := range all {
		if err := c.source(ctx, e, &all[i]); err != nil {
			return err
		}
	}
	return c.print(e, all)
}

// sources reads the games of all sources, up to --limit. One without any is left out with a message; the error
// is that none has any, or that one can't be read.
func (c *reviewCmd) sources(ctx context.Context, e *env) ([]reviewedSource, error) {
	var all []reviewedSource
	var empty []error
	for _, name := range c.Sources {
		if c.done() {
			break
		}
		list, err := c.read(ctx, e, name)
		switch {
		case errors.As(err, new(noneError)):
			empty = append(empty, err)
		case err != nil:
			return nil, err
		default:
			all = append(all, reviewedSource{name: name, records: list})
		}
	}
	if all == nil {
		return nil, empty[0]
	}
	for _, err := range empty {
		e.err.warn("left out: %s", textfmt.Escape(err.Error()))
	}
	return all, nil
}

// noneError says that a source has no game to review.
type noneError struct{ error }

// reviewedSource is a source with the reviews of its records.
type reviewedSource struct {
	name    string
	records []*record.Game
	reviews []*review.Game
}

// check finds mistakes in the flags.
func (c *reviewCmd) check() error {
	errs := []error{between("--workers", c.Workers, 0, maxWorkers)}
	if c.Nodes < review.MinNodes || c.Nodes > review.MaxNodes {
		errs = append(errs, fmt.Errorf("--nodes: expected %d to %d, found %d", review.MinNodes, review.MaxNodes, c.Nodes))
	}
	if c.Game != nil && *c.Game < 0 {
		errs = append(errs, fmt.Errorf("--game: expected the number of a game, from 0, found %d", *c.Game))
	}
	if len(c.Sources) > 1 && c.Out != "" {
		errs = append(errs, errors.New("--out: expected one source, since games of several have the same numbers"))
	}
	return errors.Join(errs...)
}

// source reviews the games of one source.
func (c *reviewCmd) source(ctx context.Context, e *env, of *reviewedSource) (err error) {
	var kept *review.File
	if path := c.path(of.name); path != "" {
		kept, err = review.Open(path, review.Options{Nodes: c.Nodes}, version())
		switch {
		case errors.Is(err, files.ErrInUse):
			return fmt.Errorf("%s: another review is written there", path)
		case err != nil && c.Out != "":
			return fileError("--out", err)
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("%w; name another file with --out", plainFileError(err))
		case err != nil:
			return plainFileError(err)
		}
	}
	of.reviews, err = c.review(ctx, e, of.records, kept)
	if kept != nil {
		err = errors.Join(err, asFailure(kept.Close()))
	}
	return err
}

// path is the file with the reviews of a source; "" for none.
func (c *reviewCmd) path(name string) string {
	if c.Out != "" {
		return c.Out
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return filepath.Join(name, review.FileName)
	case filepath.Base(name) == tournament.GamesFile:
		return filepath.Join(filepath.Dir(name), review.FileName)
	}
	return ""
}

// read reads the games of a source that are to be reviewed.
func (c *reviewCmd) read(ctx context.Context, e *env, path string) (list []*record.Game, err error) {
	found, err := runFiles([]string{path})
	if err != nil {
		return nil, err
	}
	file, name, err := found[0].open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	format, in, err := standings.Sniff(file, name)
	if err != nil {
		return nil, plainFileError(err)
	}
	r := &reviewReader{reviewCmd: c, skipped: new(standings.Reader), name: name}
	c.bad = r.skipped.Unreadable
	if c.Game != nil {
		c.bad = func(error) error { return nil } // it is about another game
	}
	switch format {
	case source.Records:
		err = c.records(ctx, e, in, name, r.take)
	case source.PGN:
		err = r.pgn(ctx, in)
	default:
		err = fmt.Errorf("%s: expected records of games or PGN, found CSV, which has no moves", name)
	}
	if err != nil {
		return nil, err
	}
	return r.list, r.finish(e)
}

// reviewReader collects the games of a file.
type reviewReader struct {
	*reviewCmd
	skipped  *standings.Reader // what is left out
	name     string
	list     []*record.Game
	moveless int  // games of PGN without moves
	bare     bool // that of --game is one
}

// take adds a record, or what is wrong with it to what is left out. With --game that is an error.
func (r *reviewReader) take(g *record.Game) error {
	switch {
	case r.Game != nil && g.Game != *r.Game:
		return nil
	case g.NotPlayed():
		r.skipped.Skipped.NotPlayed++
		return nil
	}
	if err := review.Check(g); err != nil {
		if r.Game != nil {
			return err
		}
		return r.skipped.Unreadable(fmt.Errorf("%s:%d: %w", r.name, r.line, err))
	}
	r.list = append(r.list, g)
	return nil
}

// pgn reads games of PGN. One rule set in --rules is that of games that name none.
func (r *reviewReader) pgn(ctx context.Context, in io.Reader) error {
	ruleSet := ""
	if len(r.rules) == 1 {
		for ruleSet = range r.rules {
			break
		}
	}
	found, err := importGames(ctx, r.skipped, source.PGN, in, r.name, ruleSet, func(g *record.Game) error {
		switch {
		case !r.takes(g) || r.done():
			return nil
		case len(g.Moves) == 0:
			r.moveless++
			r.bare = r.bare || r.Game != nil && g.Game == *r.Game
			return nil
		}
		r.chosen++
		return r.take(g)
	})
	r.moveless = max(0, r.moveless-found.WithoutMoves) // which have moves that can't be read
	return err
}

// finish reports what was left out; the error is that no game is left.
func (r *reviewReader) finish(e *env) error {
	s := &r.skipped.Skipped
	switch {
	case len(r.list) > 0:
	case r.bare && s.WithoutMoves == 0:
		return fmt.Errorf("%s: game %d: expected moves, found none", r.name, *r.Game)
	case r.Game != nil && s.WithoutMoves == 0:
		return noneError{fmt.Errorf("%s: expected a record of game %d, found none", r.name, *r.Game)}
	case s.WithoutMoves > 0 && s.MovesError != "":
		return noneError{fmt.Errorf("expected games with moves, found none; the first: %s", s.MovesError)}
	case r.moveless > 0:
		return noneError{fmt.Errorf("%s: expected games with moves, found %d without", r.name, r.moveless)}
	case s.Unfinished > 0:
		return noneError{fmt.Errorf("%s: expected games that are over, found %s without a result yet", r.name,
			textfmt.Plural(s.Unfinished, "game"))}
	default:
		return noneError{noGames(r.name, s)}
	}
	if r.moveless > 0 && r.Game == nil {
		e.err.warn("left out: %s without moves", textfmt.Plural(r.moveless, "game"))
	}
	warnSkipped(e, s)
	for _, note := range s.Notes()[min(1, s.Unreadable):] { // the first is on stderr
		e.err.warn("%s", textfmt.Escape(note))
	}
	return nil
}

// review returns the reviews of the records: those that are kept, and new ones, which are kept as they come.
func (c *reviewCmd) review(
	ctx context.Context, e *env, list []*record.Game, kept *review.File,
) ([]*review.Game, error) {
	games := make([]*review.Game, len(list))
	var todo []*record.Game
	var at []int // of todo in list
	for i, g := range list {
		if kept != nil {
			games[i] = kept.Find(g.Game, review.Identity(g))
		}
		if games[i] == nil {
			todo, at = append(todo, g), append(at, i)
		}
	}
	if len(todo) == 0 {
		return games, nil
	}
	if len(list) == 1 {
		var err error
		if games[0], err = c.one(ctx, e, list[0]); err == nil && kept != nil {
			err = asFailure(kept.Add(games[0]))
		}
		return games, err
	}
	p := newProgress(e.err, int64(len(list)))
	p.done = int64(len(list) - len(todo))
	p.resume(p.done)
	defer p.end()
	err := review.Run(ctx, review.Options{Nodes: c.Nodes}, c.Workers, todo, func(x review.Outcome) error {
		if x.Err != nil {
			return x.Err
		}
		games[at[x.Index]] = x.Review
		p.step(false)
		if kept == nil {
			return nil
		}
		return asFailure(kept.Add(x.Review))
	})
	if err != nil && ctx.Err() != nil && kept != nil {
		p.end()
		e.err.printf("Stopped after %d of %d games. Go on with the same command\n", p.done, len(list))
	}
	return games, err
}

// one reviews a single game, whose moves are the progress.
func (c *reviewCmd) one(ctx context.Context, e *env, g *record.Game) (*review.Game, error) {
	r, err := review.New(review.Options{Nodes: c.Nodes})
	if err != nil {
		return nil, err
	}
	m := newMeter(e.err, int64(len(g.Moves)))
	defer m.end()
	return r.Game(ctx, g, func(done, all int) {
		if m.due() {
			left := m.left(int64(done), int64(all-done))
			m.report(int64(done), int64(all), fmt.Sprintf("%d of %d moves, %s", done, all, left))
		}
	})
}
