package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/web/report"
)

type reviewCmd struct {
	Sources []string `arg:"" name:"source" what:"a run or a file of PGN" sep:"none" help:"Folder of a run, file of records (games.jsonl) or of PGN; - is the standard input. Several are reviewed one after the other."`
	Game    *int64   `check:"0.." placeholder:"ID" help:"Review the game with this number, as gyges games lists it; of PGN counted from 0 without those that have no result."`
	gameFilter
	Nodes   int64  `check:"100..1000000000" placeholder:"N" help:"Positions to search for each move. Default: as in the file of reviews, or else 20000."`
	Workers int    `check:"0..1024" placeholder:"N" help:"Games to review at a time; 0, the default, is one for each core."`
	Out     string `placeholder:"FILE" help:"File to keep the reviews in, and to go on with if it has some. Default: reviews.jsonl in the run's folder; none for other files."`
	Format  string `enum:"text,json,jsonl,html" default:"text" placeholder:"FORMAT" help:"Output: text (default), json (the review of one game, or the summary of several), jsonl (the reviews, one a line) or html (a page that replays the games with their reviews)."`
}

// Run reviews the games and prints the review of the only one, or a summary.
func (c *reviewCmd) Run(ctx context.Context, e *env) error {
	_, err := formatOf("", "--out, which keeps the reviews", c.Out, "jsonl")
	if len(c.Sources) > 1 && c.Out != "" {
		err = errors.New("--out: expected one source, since games of several have the same numbers")
	}
	paths, errPaths := gameFiles(c.Sources)
	if err := errors.Join(c.prepare(), err, errPaths); err != nil {
		return err
	}
	all, err := c.sources(ctx, e, paths)
	if err != nil {
		return err
	}
	for i := range all {
		if err := c.source(ctx, e, &all[i]); err != nil {
			return err
		}
	}
	if err := c.print(ctx, e, all); err != nil {
		return asFailure(err)
	}
	hints := e.err
	if c.Format == "text" {
		hints = e.out
	}
	c.next(hints, all)
	return nil
}

// next prints where the reviews are kept, and commands that show them and the move that lost most.
func (c *reviewCmd) next(w *output, all []reviewedSource) {
	w.printf("\n")
	for _, of := range all {
		_, isRun := tournament.RunFolder(of.name)
		source, path := textfmt.Visible(textfmt.ShellWord(of.name)), c.path(of.name)
		switch {
		case path == "":
			w.printf("Nothing is kept; a page: gyges review %s --nodes %d --format html > review.html\n", source, c.Nodes)
		case c.Out == "":
			w.printf("The reviews are in %s; see them with: gyges serve %s\n", textfmt.Visible(path), source)
		default:
			w.printf("The reviews are in %s\n", textfmt.Visible(path))
		}
		var worst *review.Review
		most := 0.0
		for _, g := range of.reviews {
			if i := g.DecisiveMove(); i >= 0 && g.Moves[i].Loss > most {
				worst, most = g, g.Moves[i].Loss
			}
		}
		if isRun && worst != nil {
			w.printf("Ply %d lost game %d: gyges games show %s %d --ply %d\n", worst.Decisive, worst.Game, source, worst.Game,
				worst.Decisive)
		}
	}
}

type reviewedSource struct {
	name    string
	records []*record.Record
	reviews []*review.Review
}

// sources reads the games of all sources, up to --limit. One without any is left out with a message unless all are.
func (c *reviewCmd) sources(ctx context.Context, e *env, paths []string) ([]reviewedSource, error) {
	var all []reviewedSource
	var empty []error
	for i, path := range paths {
		if c.Done() {
			break
		}
		in := c.reader(false)
		file, err := openGames(ctx, e, path, in.Manifest(path))
		if err != nil {
			return nil, err
		}
		list, err := review.Select(ctx, in, file, c.Game)
		c.Filter = in.Filter
		switch {
		case errors.As(err, new(review.NoneError)):
			empty = append(empty, err)
			continue
		case err != nil:
			return nil, err
		case c.Game == nil:
			warnSkipped(e, in)
		}
		all = append(all, reviewedSource{c.Sources[i], list, make([]*review.Review, len(list))})
	}
	if all == nil {
		return nil, empty[0]
	}
	for _, err := range empty {
		e.err.warn("left out: %s", textfmt.Escape(err.Error()))
	}
	return all, nil
}

func (c *reviewCmd) source(ctx context.Context, e *env, of *reviewedSource) (err error) {
	path := c.path(of.name)
	if path == "" {
		c.Nodes = cmp.Or(c.Nodes, review.DefaultNodes)
		return c.review(ctx, e, of, func(*review.Review) error { return nil })
	}
	kept, err := review.Open(ctx, path, c.Nodes, version(), of.records)
	switch {
	case err != nil && c.Out != "":
		return fileError("--out", err)
	case err != nil:
		return files.Plain(err)
	}
	c.Nodes, of.reviews = kept.Nodes, kept.Find(of.records...)
	err = c.review(ctx, e, of, func(g *review.Review) error { return asFailure(kept.Append(g)) })
	return errors.Join(err, asFailure(kept.Close()))
}

func (c *reviewCmd) path(name string) string {
	if c.Out != "" {
		return c.Out
	}
	if dir, ok := tournament.RunFolder(name); ok {
		return filepath.Join(dir, review.FileName)
	}
	return ""
}

// review reviews the records that have no review yet and passes the reviews to keep.
func (c *reviewCmd) review(ctx context.Context, e *env, of *reviewedSource, keep func(*review.Review) error) error {
	n := len(of.records)
	done := n - len(slices.DeleteFunc(slices.Clone(of.reviews), func(g *review.Review) bool { return g != nil }))
	if done == n {
		return nil
	}
	p := newMeter(e.err, int64(n))
	p.resume(int64(done), nil)
	defer p.end()
	err := review.Run(ctx, c.Nodes, c.Workers, of.records, of.reviews, func(g *review.Review) error {
		p.game(nil)
		return keep(g)
	})
	if err != nil && ctx.Err() != nil && c.path(of.name) != "" {
		p.end()
		e.err.printf("Stopped after %d of %d games. Go on with the same command\n", p.done, n)
	}
	return err
}

func (c *reviewCmd) print(ctx context.Context, e *env, all []reviewedSource) error {
	var games []*review.Review
	var summaries review.Summaries
	for _, s := range all {
		games = append(games, s.reviews...)
		for _, g := range s.reviews {
			summaries.Add(0, g)
		}
	}
	switch {
	case c.Format == "html":
		return report.WriteHTML(e.out, c.page(ctx, all, games))
	case c.Format == "jsonl":
		lines := jsonl.NewWriter(e.out)
		for _, g := range games {
			if err := lines.Write(g); err != nil {
				return err
			}
		}
		return lines.Flush()
	case c.Format == "json" && len(games) == 1:
		return grid.WriteJSON(e.out, games[0])
	case c.Format == "json":
		return grid.WriteJSON(e.out, grid.Object{{Key: "games", Value: len(games)}, {Key: "nodes", Value: c.Nodes},
			{Key: "rules", Value: summaries}})
	case len(games) == 1:
		return games[0].WriteText(e.out, tableWidth(e.out))
	}
	return summaries.WriteText(e.out, c.Nodes, tableWidth(e.out), namesOf(games).Of)
}

// namesOf returns what the players of games are called.
func namesOf(games []*review.Review) agents.Names {
	var players []string
	for _, g := range games {
		players = append(players, g.South, g.North)
	}
	return agents.NamesOf(players)
}

func (c *reviewCmd) page(ctx context.Context, all []reviewedSource, games []*review.Review) *report.Page {
	plies := 0
	for _, g := range games {
		plies += len(g.Moves)
	}
	collector := report.NewCollector(report.Options{Games: plies}) // enough for all
	for _, s := range all {
		about := report.ReadRun(ctx, s.name)
		about.Reviews = review.Reviews{Header: review.Header{Nodes: c.Nodes}, Games: s.reviews}
		collector.AddRun(about)
		for _, g := range s.records {
			collector.Add(g)
		}
	}
	input := report.Input{Title: "Reviews of " + listed(c.Sources), Program: version(), Labels: collector.Names()}
	if len(games) == 1 {
		names := namesOf(games)
		input.Title = names.Of(games[0].South) + " – " + names.Of(games[0].North)
	}
	return report.BuildReviews(collector, input)
}
