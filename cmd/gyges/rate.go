package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gyges/configs"
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament/runs"
	"gyges/tournament/standings"
	"gyges/tournament/web/report"
)

// rateCmd rates the players of recorded games, and prints the ratings or another view of the
// results.
type rateCmd struct {
	Runs []string `arg:"" optional:"" name:"file" sep:"none" help:"Folders of runs, files of records (games.jsonl), PGN or CSV; - is the standard input. Several are rated together."`
	ratingFlags

	Crosstable bool   `xor:"view" help:"Print only who scored what against whom."`
	HeadToHead bool   `xor:"view" help:"Print only the pairings with the points expected of them, those that fit worst first."`
	Los        bool   `xor:"view" help:"Print only how likely each player is stronger than each other."`
	Standings  bool   `xor:"view" help:"Print only the table of a run's format, such as standings or a bracket, over all rule sets; the file must be the folder of a run of three players or more."`
	Compare    string `xor:"view" sep:"none" placeholder:"NAME" help:"Print only one player's difference to each other."`
	Top        int    `check:"0.." default:"20" placeholder:"N" help:"With --head-to-head, print N pairings at most; 0 for all. Default: 20."`

	Plot    string `placeholder:"FILE" help:"Also draw the ratings of one rule set with their intervals, as SVG."`
	Strict  bool   `help:"Fail if anything is left out, such as a line that can't be read, instead of saying so."`
	Explain bool   `help:"Print what every figure means, and nothing else."`
	formatFlag
}

// Run reads the games and prints the tables. The file of --plot is opened before.
func (c *rateCmd) Run(ctx context.Context, e *env) error {
	if c.Explain {
		e.out.print(table.Explain())
		return nil
	}
	if len(c.Runs) == 0 {
		return errors.New(
			"expected a run or a file of games: gyges rate FILE ...; see gyges rate --help")
	}
	// All mistakes in the flags are reported at once, before any game is read.
	slices.Sort(c.Runs) // what is printed doesn't depend on the order
	longestCopiesFirst(c.Runs)
	files, errFiles := gameFiles(c.Runs)
	games, err := c.ratedGames(standings.New())
	_, errPlot := formatOf("", "--plot", c.Plot, "svg")
	if c.Top != 20 && !c.HeadToHead {
		errPlot = errors.Join(errPlot, errors.New("--top needs --head-to-head"))
	}
	if err := errors.Join(err, errFiles, errPlot); err != nil {
		return err
	}
	games.in.Strict = c.Strict
	// The ratings are computed while the file of the plot is open: if it can't be written, nothing
	// is read in vain.
	var rated table.Tables
	err = writeFile("--plot", c.Plot, func(w io.Writer) (err error) {
		rated, err = c.rate(ctx, e, games, files)
		if err != nil || c.Plot == "" {
			return err
		}
		printed := rated.Printed()
		if len(printed) != 1 {
			return fmt.Errorf(
				"--plot: expected games under one rule set, found %d tables; --rules chooses",
				len(printed))
		}
		_, err = io.WriteString(w, report.RatingPlot(printed[0]).StandaloneSVG())
		return err
	})
	if err != nil {
		return err
	}
	return c.print(e.out, rated)
}

// rate reads the games of files and rates their players.
func (c *rateCmd) rate(
	ctx context.Context, e *env, games *ratedGames, files []string,
) (rated table.Tables, err error) {
	// Files are read one after the other, in one stream that finds games that come twice.
	for _, path := range files {
		file, err := openGames(ctx, e, path, games.in.Manifest(path))
		if err != nil {
			return rated, err
		}
		games.Begin(file.Manifest)
		err = games.Read(ctx, &games.in, file, nil)
		if err != nil {
			return rated, err
		}
	}
	if err := games.found(files); err != nil {
		return rated, err
	}
	// Other formats have notes on what was left out, so stderr has only the games that can't be
	// read.
	if c.Format == grid.CSV { // which has no notes
		warnSkipped(e, &games.in, games.Notes()...)
	} else {
		warnUnreadable(e, &games.in)
	}
	// Players are known only now.
	c.Compare, err = games.player("--compare", c.Compare)
	if err != nil {
		return rated, err
	}
	pool := c.Pool || c.Format == grid.JSON
	rated, err = games.fit(ctx, pool)
	if err != nil || !c.Strict {
		return rated, err
	}
	// With --strict a table of which anything is left out is an error.
	notes := slices.Clone(rated.Notes)
	for _, t := range rated.Printed() {
		notes = append(notes, t.Ratings.Notes...)
	}
	return rated, leftOut(notes)
}

// print prints the view that the flags choose.
func (c *rateCmd) print(w *output, t table.Tables) error {
	t.Layout = layout(w)
	// Of the views at most one is asked for.
	if c.Crosstable {
		return table.WriteCrosstable(w, c.Format, t)
	}
	if c.HeadToHead {
		return table.WriteHeadToHead(w, c.Format, t, c.Top)
	}
	if c.Standings {
		return named("--standings", table.WriteStandings(w, c.Format, t))
	}
	if c.Los {
		return table.WriteSuperiority(w, c.Format, t)
	}
	if c.Compare != "" {
		return table.WriteComparison(w, c.Format, t, c.Compare)
	}
	return c.write(w, t)
}

// leftOut returns an error of --strict if a note says that something is left out.
func leftOut(notes []string) error {
	notes = slices.DeleteFunc(notes, func(note string) bool {
		return !strings.HasPrefix(note, "left out")
	})
	if len(notes) == 0 {
		return nil
	}
	return errors.New("--strict: " + strings.Join(slices.Compact(notes), "; "))
}

// noGames returns the error that files have no games.
func noGames(files []string, in *runs.Stream) error {
	if len(in.Skipped.Errors) > 0 {
		return fmt.Errorf("expected games, found none that can be read; the first: %s",
			in.Skipped.Errors[0])
	}
	return fmt.Errorf("expected games, found none in %s", listed(files))
}

// warnSkipped reports on stderr the games that can't be read, all else that is left out, and other
// notes.
func warnSkipped(e *env, in *runs.Stream, notes ...string) {
	warnUnreadable(e, in)
	for _, note := range slices.Concat(in.Notes(runs.Unreadable), notes) {
		e.err.warn("%s", note)
	}
}

// warnUnreadable reports on stderr the games that can't be read: the first of them, and how many
// more.
func warnUnreadable(e *env, in *runs.Stream) {
	for _, line := range in.Skipped.Errors {
		e.err.warn("left out: %s", line)
	}
	more := in.Skipped.Count(runs.Unreadable) - len(in.Skipped.Errors)
	if more > 0 {
		e.err.warn("left out: %s", textfmt.Plural(more, "more game"))
	}
}

// listed returns some names of a list, and how many more there are.
func listed(names []string) string { return textfmt.List(names, 8) }

// formatFlag is the format of a command that prints tables of ratings.
type formatFlag struct {
	Format  grid.Format  `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown are rounded, the others have every digit."`
	Columns tableColumns `xor:"view" placeholder:"COLUMN,…" sep:"none" help:"Columns of the rating table; gyges rate --explain lists them."`
}

// tableColumns are columns of the rating table; nil: the usual ones.
type tableColumns []table.Column

// UnmarshalText reads the keys of columns.
func (c *tableColumns) UnmarshalText(text []byte) (err error) {
	*c, err = table.ParseColumns(string(text))
	return err
}

// isForPeople reports whether lines of text may be printed beside tables in a format.
func isForPeople(f grid.Format) bool { return f == grid.Text || f == grid.Markdown }

// write prints tables of ratings.
func (f formatFlag) write(w *output, t table.Tables) error {
	t.Layout = layout(w)
	return table.Write(w, f.Format, f.Columns, t)
}

// ratingFlags are the flags of commands that rate players.
type ratingFlags struct {
	Anchor    []string `sep:"none" placeholder:"NAME=ELO" complete:"levels" help:"Give a player a rating that the others are measured from; may be repeated. levels gives each level of play that took part its Elo under the table's rules (see gyges levels). Without it the mean is 0."`
	Advantage string   `type:"signed" default:"fit" placeholder:"ELO" complete:"fit" help:"First-move advantage, of South or White: fit (default), or a fixed number of Elo."`
	Prior     string   `type:"signed" default:"auto" placeholder:"N" complete:"auto,fit" help:"Give each player N virtual draws against an imaginary opponent; 0 for none: players without a finite rating are then listed apart. fit takes the ratings from a normal distribution whose width is estimated; it suits games from files without a manifest whose pairings followed from the results, as in a Swiss tournament. Default: auto, which is fit for runs of such formats, a normal distribution of 1000 Elo where players have no finite rating, otherwise 0."`

	Rules rulesList `placeholder:"RULES,…" sep:"none" help:"Include only games under these rule sets."`
	Pool  bool      `help:"Add a table of all rule sets together."`

	Verify bool `help:"Replay every game, and leave out those whose moves, or their run's settings, don't show their result."`
}

// anchorLevels is the value of --anchor for all levels of play.
const anchorLevels = "levels"

// words returns the flags as words of a command line, without those at their defaults.
func (c *ratingFlags) words() (words []string) {
	for _, anchor := range c.Anchor {
		words = append(words, "--anchor", anchor)
	}
	// Values at their defaults are left out.
	if c.Advantage != "fit" {
		words = append(words, "--advantage", c.Advantage)
	}
	if c.Prior != "auto" {
		words = append(words, "--prior", c.Prior)
	}
	for _, r := range c.Rules {
		words = append(words, "--rules", r.String())
	}
	if c.Pool {
		words = append(words, "--pool")
	}
	if c.Verify {
		words = append(words, "--verify")
	}
	return words
}

// ratedGames are games that are read to be rated, and how: gyges rate and gyges report read them
// into standings, see whether any were found, and then fit the ratings.
type ratedGames struct {
	*standings.Standings
	in      runs.Stream
	flags   *ratingFlags
	options ratings.Options // anchors have the names that were given
}

// ratedGames returns the games under the rule sets of --rules, which are added up in all.
func (c *ratingFlags) ratedGames(all *standings.Standings) (*ratedGames, error) {
	all.Only = c.Rules.names()
	games := &ratedGames{Standings: all, in: runs.Stream{Verify: c.Verify}, flags: c}
	o := &games.options
	// A prior is a word or a number, and so is the advantage of the first move.
	var p problems.List
	o.FitPrior = c.Prior == "fit"
	if c.Prior != "auto" && c.Prior != "fit" {
		draws, err := settings.Parse[float64](c.Prior)
		p.Expect(err == nil, "--prior", "expected auto, fit or a number of draws%s, found %.60q",
			settings.ZeroHint(c.Prior), c.Prior)
		o.Prior = &draws
	}
	// Whether the players of anchors have played is known when the games are read.
	for _, text := range c.Anchor {
		if text == anchorLevels {
			continue // they are found among the players
		}
		anchor, err := ratings.ParseAnchor(text)
		if err != nil {
			p.Add("--anchor", err)
		}
		o.Anchors = append(o.Anchors, anchor)
	}
	if c.Advantage != "fit" {
		elo, err := ratings.ParseElo(c.Advantage)
		p.Expect(err == nil, "--advantage", "expected fit or a number of Elo%s, found %.60q",
			settings.ZeroHint(c.Advantage), c.Advantage)
		o.Advantage = &elo
	}
	return games, p.Err()
}

// found returns an error if no game of files was counted.
func (g *ratedGames) found(files []string) error {
	if g.Games() > 0 {
		return nil
	}
	if len(g.Others) == 0 {
		return noGames(files, &g.in)
	}
	// Games were found, but under other rules.
	slices.Sort(g.Others)
	others := "the games are under " + listed(g.Others)
	if len(g.Others) == 1 && g.Others[0] == "" {
		others = "the games don't name their rules"
	}
	return fmt.Errorf("--rules: no game was played under %v; %s", g.flags.Rules, others)
}

// fit rates the players, under all rule sets together too if pool is set.
func (g *ratedGames) fit(ctx context.Context, pool bool) (table.Tables, error) {
	// Anchors were given by name or spec; the ratings have names.
	var errs []error
	for i, anchor := range g.options.Anchors {
		name, err := g.player("--anchor", anchor.Name)
		g.options.Anchors[i].Name = name
		errs = append(errs, err)
	}
	if slices.Contains(g.flags.Anchor, anchorLevels) {
		levels, err := g.levels()
		g.options.Anchors = append(g.options.Anchors, levels...)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return table.Tables{}, err
	}
	// Notes on the games follow those on the ratings.
	rated, err := g.Fit(ctx, g.options, pool)
	rated.Pool = g.flags.Pool
	rated.Notes = append(rated.Notes, g.in.Notes()...)
	return rated, err
}

// levels returns the levels among the players, by their names, with their ratings under each rule
// set.
func (g *ratedGames) levels() (anchors []ratings.Anchor, err error) {
	players := g.Data().Players()
	own := slices.Collect(maps.Values(g.Names())) // other agents' names
	// An agent may have the name of a level without being one.
	for _, l := range configs.ListLevels() {
		if !slices.Contains(players, l.Name) || slices.Contains(own, l.Name) {
			continue
		}
		for _, set := range g.RuleSets {
			if elo, ok := l.Elo[set.Name]; ok {
				anchors = append(anchors, ratings.Anchor{
					Name: l.Name, Elo: float64(elo.Elo), Rules: set.Name,
				})
			}
		}
	}
	if anchors == nil {
		measured := listed(configs.RatedRules())
		return nil, fmt.Errorf("--anchor levels: expected a level of gyges levels "+
			"among the players, under rules for which its Elo was measured (%s); "+
			"the players are %s", measured, listed(players))
	}
	return anchors, nil
}

// player returns a player that a flag names by its label or its spec; "" for "".
func (g *ratedGames) player(flag, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	// A spec may be written in several ways, of which records have one.
	name = source.Name(name)
	players, label := g.Data().Players(), g.Names().Of(name)
	if !slices.Contains(players, label) {
		return "", fmt.Errorf("%s: %.60q has not played; the players are %s",
			flag, name, listed(players))
	}
	return label, nil
}
