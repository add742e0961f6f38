package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/report"
	"gyges/tournament/standings"
)

// rateCmd rates the players of recorded runs.
type rateCmd struct {
	Runs []string `arg:"" optional:"" name:"file" sep:"none" help:"Folders of runs, files of records (games.jsonl), PGN or CSV; - is the standard input. Several are rated together."`
	modelFlags
	Rules   string `placeholder:"RULES,…" complete:"rules" help:"Rate only games under these rule sets."`
	Pool    bool   `help:"Add a table of all rule sets together."`
	By      string `enum:"agent,setup,opening" default:"agent" placeholder:"WHAT" help:"What to rate: agent (default); setup, the rows of pieces that South and North begin with, a pair of games counted as one game; or opening, each opening by South's results in it, which needs many games of each opening between agents of equal strength. The last two need records of runs."`
	PerSide bool   `help:"Rate every player as South and as North apart."`
	viewFlags
	historyFlags
	Plot    string `placeholder:"FILE" help:"Also draw the ratings of one rule set with their intervals, as SVG."`
	Strict  bool   `help:"Fail on lines that can't be read, instead of omitting them."`
	Explain bool   `help:"Print what every figure means, and nothing else."`
	formatFlag
}

// viewFlags choose the tables.
type viewFlags struct {
	Crosstable bool   `xor:"view" help:"Print only who scored what against whom."`
	HeadToHead bool   `xor:"view" help:"Print only the pairings with the points expected of them, those that fit worst first."`
	Los        bool   `xor:"view" help:"Print only how likely each player is stronger than each other."`
	Standings  bool   `xor:"view" help:"Print only the standings of a Swiss tournament, the bracket of a knock-out or the table of a gauntlet; the file must be such a run's folder."`
	Compare    string `xor:"view" sep:"none" placeholder:"NAME" help:"Print only one player's difference to each other."`
	Top        int    `default:"20" placeholder:"N" help:"With --head-to-head, print so many pairings; 0 for all. Default: 20."`
}

func (rateCmd) Help() string {
	return "Prints one table for each rule set: the ratings that make the results most likely, together with South's " +
		"first-move advantage, and half their 95 % intervals. Only differences of ratings have a meaning. Where the " +
		"results alone give some players no finite rating, as those that won or lost everything, a weak prior rates " +
		"everybody, and a note says so; with --prior 0 such players are listed apart, with the reason.\n\nA copy of a " +
		"run's folder is the same run: each of its games counts once. Copies are recognised by the id in manifest.json, or " +
		"where one has none by the first record with its time; files of PGN and CSV are never treated as copies.\n\nIn " +
		"PGN, White is South, and the tags White, Black and Result are enough. CSV has a header with the columns south, " +
		"north and result (or white, black, result), or a game in that order on each line."
}

func (rateCmd) examples() []example {
	return []example{
		{"gyges rate results/quick-20260102-150405", ""},
		{"gyges rate --rules kang --anchor random=0 results/*", "measured from the random player"},
		{"gyges rate games.pgn --draws davidson --bootstrap 1000", "games of another program"},
		{"gyges rate games.pgn --columns name,elo,error,difference,los", ""},
		{"gyges rate gen1 gen2 gen3 --over-time whole --anchor random=0", "three runs, one after the other"},
		{"gyges rate results/setups --by setup --per-side", "rows of pieces, as South's and as North's"},
		{"gyges rate --format csv --crosstable results/*/games.jsonl", ""},
	}
}

// Run reads the games and prints the tables.
func (c *rateCmd) Run(ctx context.Context, e *env) error {
	if c.Explain {
		return table.Explain(e.out)
	}
	if len(c.Runs) == 0 {
		return errors.New(`expected "<file> ..."; see gyges rate --help`)
	}
	options, errOptions := c.options()
	only, errRules := ruleNames(c.Rules)
	files, errFiles := gameFiles(c.Runs)
	if err := errors.Join(errOptions, errRules, errFiles, c.check()); err != nil {
		return err
	}
	in := &standings.Reader{Rules: only, Strict: c.Strict, By: standings.By(c.By), PerSide: c.PerSide}
	all := standings.New()
	var steps []ratings.Step
	for _, f := range files {
		s, err := readGames(ctx, e, in, f)
		if err != nil {
			return err
		}
		steps = append(steps, ratings.Step{Name: f, Data: s.Data()})
		all.Merge(s)
	}
	if err := c.expectGames(in, all); err != nil {
		return err
	}
	warnSkipped(e, &in.Skipped)
	if c.format() == table.CSV { // which has no notes
		warnUncounted(e, &in.Skipped)
	}
	if c.PerSide && in.By != standings.BySetup { // whose rows are split as they are read
		all.SplitSides()
	}
	if err := c.complete(&options, all); err != nil {
		return err
	}
	if c.OverTime != "" {
		history, err := c.fitHistory(ctx, steps, options)
		if err != nil {
			return err
		}
		history.Notes = append(history.Notes, in.Skipped.Notes()...)
		return table.WriteHistory(e.out, c.format(), layout(e.out), history)
	}
	rated, err := all.Fit(ctx, options, c.Pool || c.format() == table.JSON)
	if err != nil {
		return err
	}
	rated.Pool, rated.Notes = c.Pool, append(rated.Notes, in.Skipped.Notes()...)
	if err := c.plot(ctx, rated); err != nil {
		return err
	}
	return c.print(e, rated)
}

// readGames reads the results of a file; "-" is the standard input.
func readGames(ctx context.Context, e *env, in *standings.Reader, path string) (*standings.Standings, error) {
	f, name, err := openInput(ctx, e.in, path)
	if err != nil {
		return nil, fileError("run", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	id, s := "", standings.New()
	if filepath.Base(path) == tournament.GamesFile {
		m, err := tournament.ReadManifest(os.DirFS(filepath.Dir(path)))
		if err == nil && m != nil { // games without one are rated, too
			id = m.ID
			if !in.By.OfOpening() { // openings don't follow from results, as pairings of agents may
				s.SetSchedule(&m.Config)
			}
		}
	}
	return s, plainFileError(in.Read(ctx, f, name, id, s))
}

// plot draws the ratings if --plot asks for it.
func (c *rateCmd) plot(ctx context.Context, b table.Tables) error {
	if c.Plot == "" {
		return nil
	}
	printed := b.Printed()
	if len(printed) != 1 {
		return fmt.Errorf("--plot: expected games under one rule set, found %d tables; --rules chooses", len(printed))
	}
	return writeFile(ctx, "--plot", c.Plot, func(w io.Writer) error {
		_, err := io.WriteString(w, report.RatingPlot(printed[0]).StandaloneSVG())
		return asFailure(err)
	})
}

// check returns the mistakes in the flags that need no games.
func (c *rateCmd) check() error {
	var errs []error
	_, err := c.columns()
	errs = append(errs, err)
	if c.Top < 0 {
		errs = append(errs, fmt.Errorf("--top: expected a number from 0, found %d", c.Top))
	}
	if c.PerSide && c.Advantage != "fit" {
		errs = append(errs, errors.New("--per-side: ratings by side hold the advantage themselves; expected no --advantage"))
	}
	errs = append(errs, c.checkBy())
	if c.OverTime != "" {
		errs = append(errs, alone("--over-time", []given{
			{"--bootstrap", c.Bootstrap > 0}, {"--columns", c.Columns != ""}, {"--per-side", c.PerSide}, {"--pool", c.Pool},
			{"--crosstable", c.Crosstable}, {"--head-to-head", c.HeadToHead}, {"--los", c.Los}, {"--standings", c.Standings},
			{"--compare", c.Compare != ""}, {"--plot", c.Plot != ""},
		}))
	}
	return errors.Join(errs...)
}

// given is whether a flag is given.
type given struct {
	flag  string
	given bool
}

// alone returns the flags given that make no sense beside another one.
func alone(flag string, others []given) error {
	var errs []error
	for _, o := range others {
		if o.given {
			errs = append(errs, fmt.Errorf("%s: expected no %s beside it", flag, o.flag))
		}
	}
	return errors.Join(errs...)
}

// checkBy returns the flags that make no sense for what is rated.
func (c *rateCmd) checkBy() error {
	if c.By == string(standings.ByAgent) {
		return nil
	}
	openings := c.By == string(standings.ByOpening)
	return alone("--by "+c.By, []given{
		{"--standings", c.Standings}, {"--over-time", c.OverTime != ""}, {"--per-side", openings && c.PerSide},
		{"--advantage", openings && c.Advantage != "fit"}, // the ratings are South's advantage
	})
}

// complete sets the options that need the players' names, and checks the others
// against them. A player may be named by its spec, too.
func (c *rateCmd) complete(o *ratings.Options, all *standings.Standings) error {
	players, labels := all.Data().Players(), all.Labels()
	label := func(name string) string { return cmp.Or(labels[name], name) }
	played := func(name string) bool { return slices.Contains(players, label(name)) }
	var errs []error
	for _, text := range c.Offset {
		f, ok := ratings.ParseOffset(text, played)
		if !ok {
			errs = append(errs, fmt.Errorf(
				"--offset: expected NAME=OTHER+ELO or NAME=OTHER-ELO of two players, found %.60q; the players are %s",
				text, listed(players)))
		}
		f.Name, f.Than = label(f.Name), label(f.Than)
		o.Offsets = append(o.Offsets, f)
	}
	if c.PerSide || c.By == string(standings.ByOpening) {
		o.Advantage = new(float64)
	}
	if c.By == string(standings.ByOpening) && len(o.Anchors) == 0 { // a rating is South's advantage
		o.Anchors = []ratings.Anchor{{Name: standings.Opponent}}
	}
	for i, a := range o.Anchors {
		o.Anchors[i].Name = label(a.Name)
		if !played(a.Name) {
			errs = append(errs, fmt.Errorf("--anchor: %.60q has not played; the players are %s", a.Name, listed(players)))
		}
	}
	c.Compare = label(c.Compare)
	if c.Compare != "" && !played(c.Compare) {
		errs = append(errs, fmt.Errorf("--compare: %.60q has not played; the players are %s", c.Compare, listed(players)))
	}
	return errors.Join(errs...)
}

// expectGames returns an error if there is nothing to rate.
func (c *rateCmd) expectGames(in *standings.Reader, s *standings.Standings) error {
	switch {
	case !s.Empty():
		return nil
	case in.Skipped.NoSetup > 0:
		return fmt.Errorf("--by setup: none of %s begins with a set-up", textfmt.Plural(in.Skipped.NoSetup, "game"))
	case in.Skipped.NoOpening > 0:
		return fmt.Errorf("--by opening: none of %s has a known opening", textfmt.Plural(in.Skipped.NoOpening, "game"))
	case len(in.RuleSets) == 0:
		return noGames(listed(c.Runs), &in.Skipped)
	case len(in.RuleSets) == 1 && in.RuleSets[0] == "":
		return fmt.Errorf("--rules: no game was played under %s; the games don't name their rules", c.Rules)
	}
	return fmt.Errorf("--rules: no game was played under %s; the games are under %s", c.Rules, listed(in.RuleSets))
}

// noGames is the error of files without a game that can be read.
func noGames(files string, s *standings.Skipped) error {
	if s.Unreadable > 0 {
		return fmt.Errorf("expected games, found none that can be read; the first: %s", s.Errors[0])
	}
	return fmt.Errorf("expected games, found none in %s", files)
}

// warnSkipped reports on stderr the games that can't be read.
func warnSkipped(e *env, s *standings.Skipped) {
	for _, line := range s.Errors {
		e.err.warn("left out: %s", textfmt.Escape(line))
	}
	if more := s.Unreadable - len(s.Errors); more > 0 {
		e.err.warn("left out: %d more games", more)
	}
}

// warnUncounted reports on stderr the games that can be read but don't count.
func warnUncounted(e *env, s *standings.Skipped) {
	for _, left := range []struct {
		n   int
		why string
	}{
		{s.Duplicate, "whose id had come before"}, {s.NoSetup, "that don't begin with a set-up"},
		{s.NoOpening, "whose opening isn't known"},
	} {
		if left.n > 0 {
			e.err.warn("left out: %s %s", textfmt.Plural(left.n, "game"), left.why)
		}
	}
}

// listed returns some names and the number of the others.
func listed(names []string) string { return textfmt.List(names, 8) }

// print writes the tables that the flags ask for.
func (c *rateCmd) print(e *env, b table.Tables) error {
	f := c.format()
	b.Layout = layout(e.out)
	switch {
	case c.Crosstable:
		return table.WriteCrosstable(e.out, f, b)
	case c.HeadToHead:
		return table.WriteHeadToHead(e.out, f, b, c.Top)
	case c.Standings:
		if err := table.WriteSchedule(e.out, f, b); err != nil {
			return fmt.Errorf("--standings: %w", err)
		}
		return nil
	case c.Los:
		return table.WriteSuperiority(e.out, f, b)
	case c.Compare != "":
		return table.WriteComparison(e.out, f, b, c.Compare)
	}
	return c.write(e.out, b)
}

// ruleNames returns the names of rule sets, separated by commas; nil for none.
func ruleNames(list string) (map[string]bool, error) {
	if list == "" {
		return nil, nil
	}
	sets, err := loadRulesList(list)
	if err != nil {
		return nil, err
	}
	only := map[string]bool{}
	for _, r := range sets {
		only[r.String()] = true
	}
	return only, nil
}

// formatFlag is the --format of commands that print rating tables.
type formatFlag struct {
	Format  string `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown are rounded, the others have every digit."`
	Columns string `placeholder:"COLUMN,…" help:"Columns of the rating table, without the crosstable; gyges rate --explain lists them. Default: those that fit the terminal, or 80 columns."`
}

// columns returns the columns of the rating table; nil: the usual ones.
func (f formatFlag) columns() ([]table.Column, error) {
	if f.Columns == "" {
		return nil, nil
	}
	chosen, err := table.ParseColumns(f.Columns)
	if err != nil {
		err = fmt.Errorf("--columns: %w", err)
	}
	return chosen, err
}

func (f formatFlag) format() table.Format { return table.Format(f.Format) }

// forPeople reports whether lines of text may be printed beside the tables.
func (f formatFlag) forPeople() bool {
	return f.format() == table.Text || f.format() == table.Markdown
}

// write prints the tables, with their crosstables unless columns were chosen.
func (f formatFlag) write(w *output, b table.Tables) error {
	chosen, err := f.columns()
	if err != nil {
		return err
	}
	b.Layout = layout(w)
	return table.Write(w, f.format(), table.View{Columns: chosen, Crosstable: len(chosen) == 0}, b)
}
