package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

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

// reviewCmd lets a search judge the moves of recorded games. Reviews are kept beside the records,
// so that no game is reviewed twice.
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
	err = errors.Join(c.prepare(), err, errPaths)
	if err != nil {
		return err
	}
	all, err := c.sources(ctx, e, paths)
	if err != nil {
		return err
	}
	// One source is reviewed after the other. What was reviewed is kept, whatever happens then.
	for i := range all {
		if err := c.source(ctx, e, &all[i]); err != nil {
			return err
		}
	}
	if err := c.print(ctx, e, all); err != nil {
		return err
	}
	// Formats for programs have nothing but the reviews on the standard output.
	hints := e.err
	if c.Format == "text" {
		hints = e.out
	}
	hints.printf("\n")
	for _, of := range all {
		c.next(hints, of)
	}
	return nil
}

// reviewedSource is a run, or a file of games, and the reviews of its games. A review that was kept
// is there from the beginning, the others are filled in.
type reviewedSource struct {
	name    string
	path    string // of the file that keeps the reviews; "": none does
	records []*record.Record
	reviews []*review.Review // of each; nil: none yet
}

// next prints where the reviews of a source are kept, and commands that show them and the move that
// lost most.
func (c *reviewCmd) next(w *output, of reviewedSource) {
	source, path := textfmt.ShellWord(of.name), of.path
	switch {
	case path == "":
		w.printf(
			"Nothing is kept; a page: gyges review %s --nodes %d --format html > review.html\n",
			source, c.Nodes)
	case c.Out == "":
		w.printf("The reviews are in %s; see them with: gyges serve %s\n", path, source)
	default:
		w.printf("The reviews are in %s\n", path)
	}
	if _, isRun := tournament.RunFolder(of.name); !isRun {
		return
	}
	// The move that lost most of all is worth a look.
	var worst *review.Review // nil: no move lost a game
	most := 0.0
	for _, g := range of.reviews {
		i := g.DecisiveMove()
		if i >= 0 && g.Moves[i].Loss > most {
			worst, most = g, g.Moves[i].Loss
		}
	}
	if worst != nil {
		w.printf("Ply %d lost game %d: gyges games show %s %d --ply %d\n",
			worst.Decisive, worst.Game, source, worst.Game, worst.Decisive)
	}
}

// sources reads the games of all sources, up to --limit. One without any is left out with a message
// unless all are.
func (c *reviewCmd) sources(ctx context.Context, e *env, paths []string) ([]reviewedSource, error) {
	var all []reviewedSource
	var empty []error
	for i, path := range paths {
		if c.filter.Done() {
			break
		}
		// Each source has a stream of its own, as reviews are kept by source.
		in := c.reader(false)
		file, err := openGames(ctx, e, path, in.Manifest(path))
		if err != nil {
			return nil, err
		}
		records, err := review.Select(ctx, in, file, c.Game)
		c.filter = in.Filter // which counts towards --limit
		if errors.As(err, new(review.NoneError)) {
			empty = append(empty, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		if c.Game == nil {
			warnSkipped(e, in)
		}
		of := reviewedSource{name: c.Sources[i], path: c.Out, records: records}
		of.reviews = make([]*review.Review, len(records))
		if dir, isRun := tournament.RunFolder(of.name); isRun && c.Out == "" {
			of.path = filepath.Join(dir, review.FileName)
		}
		all = append(all, of)
	}
	// Nothing is reviewed if no source has games that can be.
	if all == nil {
		return nil, empty[0]
	}
	for _, err := range empty {
		e.err.warn("left out: %s", err.Error())
	}
	return all, nil
}

// source reviews the games of a source that have no review yet, and keeps the reviews.
func (c *reviewCmd) source(ctx context.Context, e *env, of *reviewedSource) error {
	if of.path == "" {
		c.Nodes = cmp.Or(c.Nodes, review.DefaultNodes)
		return c.review(ctx, e, of, nil)
	}
	// Reviews with other numbers of nodes can't be compared, so all in a file have one.
	kept, err := review.Open(ctx, of.path, c.Nodes, version(), of.records)
	if err != nil {
		if c.Out != "" {
			return fileError("--out", err)
		}
		return files.Plain(err)
	}
	c.Nodes = kept.Nodes
	of.reviews = kept.Find(of.records...)
	err = c.review(ctx, e, of, kept)
	return errors.Join(err, asFailure(kept.Close()))
}

// review reviews the records that have no review yet, and appends the reviews to kept, or nil.
func (c *reviewCmd) review(
	ctx context.Context, e *env, of *reviewedSource, kept *review.File,
) error {
	// Only games without a review are searched.
	n, done := len(of.records), 0
	for _, g := range of.reviews {
		if g != nil {
			done++
		}
	}
	if done == n {
		return nil
	}
	m := newMeter(e, int64(n))
	m.resume(int64(done), nil)
	keep := func(g *review.Review) error {
		m.game(nil)
		if kept == nil {
			return nil
		}
		return asFailure(kept.Append(g))
	}
	err := review.Run(ctx, c.Nodes, c.Workers, of.records, of.reviews, keep)
	m.end()
	if err != nil && ctx.Err() != nil && kept != nil {
		e.err.printf("Stopped after %d of %d games. Go on with the same command\n", m.done, n)
	}
	return err
}

// print prints the reviews in the format of --format.
func (c *reviewCmd) print(ctx context.Context, e *env, all []reviewedSource) error {
	// Reviews of all sources are printed as one list.
	var games []*review.Review
	var players []string
	var summaries review.Summaries
	for _, s := range all {
		games = append(games, s.reviews...)
	}
	for _, g := range games {
		summaries.Add(0, g)
		players = append(players, g.South, g.North)
	}
	names := agents.NamesOf(players)
	if c.Format == "html" {
		title := "Reviews of " + listed(c.Sources)
		if len(games) == 1 {
			south, north := names.Of(games[0].South), names.Of(games[0].North)
			title = south + " – " + north
		}
		return report.WriteHTML(e.out, c.page(ctx, all, title))
	}
	// The lines are those of the file that keeps the reviews.
	if c.Format == "jsonl" {
		lines := jsonl.NewWriter(e.out)
		for _, g := range games {
			if err := lines.Write(g); err != nil {
				return err
			}
		}
		return lines.Flush()
	}
	// The review of one game is printed move by move, of several there is a summary.
	if len(games) == 1 {
		if c.Format == "json" {
			return grid.WriteJSON(e.out, games[0])
		}
		return games[0].WriteText(e.out, tableWidth(e.out))
	}
	if c.Format == "json" {
		return grid.WriteJSON(e.out, grid.Object{
			{"games", len(games)}, {"nodes", c.Nodes}, {"rules", summaries},
		})
	}
	return summaries.WriteText(e.out, c.Nodes, tableWidth(e.out), names.Of)
}

// page returns a page that replays the games with their reviews.
func (c *reviewCmd) page(ctx context.Context, all []reviewedSource, title string) *report.Page {
	const games = 1 << 20 // more than are ever reviewed
	// The page is a report whose games have reviews, and no ratings.
	collector := report.NewCollector(report.Options{Games: games})
	for _, s := range all {
		about := report.ReadRun(ctx, s.name)
		about.Reviews = review.Reviews{Header: review.Header{Nodes: c.Nodes}, Games: s.reviews}
		collector.AddRun(about)
		for _, g := range s.records {
			collector.Add(g)
		}
	}
	input := report.Input{Title: title, Program: version(), Labels: collector.Names()}
	return report.BuildReviews(collector, input)
}
