package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
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
		return errors.New("expected a run or a file of games: gyges rate FILE ...; see gyges rate --help")
	}
	in, all := &runs.Stream{Strict: c.Strict, Verify: c.Verify}, standings.New()
	slices.Sort(c.Runs) // what is printed doesn't depend on the order
	longestCopiesFirst(c.Runs)
	files, errFiles := gameFiles(c.Runs)
	options, err := c.prepare(all)
	_, errPlot := formatOf("", "--plot", c.Plot, "svg")
	var p problems.List
	p.Require(c.Top == 20 || c.HeadToHead, "--top needs --head-to-head")
	if err := errors.Join(err, errFiles, errPlot, p.Err()); err != nil {
		return err
	}
	var rated table.Tables
	err = writeFile("--plot", c.Plot, func(w io.Writer) (err error) {
		rated, err = c.rate(ctx, e, in, all, files, options)
		if err != nil || c.Plot == "" {
			return err
		}
		printed := rated.Printed()
		if len(printed) != 1 {
			return fmt.Errorf("--plot: expected games under one rule set, found %d tables; --rules chooses", len(printed))
		}
		_, err = io.WriteString(w, report.RatingPlot(printed[0]).StandaloneSVG())
		return err
	})
	if err != nil {
		return err
	}
	return c.print(e, rated)
}

// leftOut returns an error of --strict if a note says that something is left out.
func leftOut(notes []string) error {
	notes = slices.DeleteFunc(notes, func(note string) bool { return !strings.HasPrefix(note, "left out") })
	if len(notes) == 0 {
		return nil
	}
	return errors.New("--strict: " + strings.Join(slices.Compact(notes), "; "))
}

func (c *rateCmd) rate(
	ctx context.Context, e *env, in *runs.Stream, all *standings.Standings, files []string, options ratings.Options,
) (rated table.Tables, err error) {
	for _, path := range files {
		file, err := openGames(ctx, e, path, in.Manifest(path))
		if err != nil {
			return rated, err
		}
		all.Begin(file.Manifest)
		if err := all.Read(ctx, in, file, nil); err != nil {
			return rated, err
		}
	}
	if err := c.found(in, all, files); err != nil {
		return rated, err
	}
	if c.Format == grid.CSV { // which has no notes
		warnSkipped(e, in, all.Notes()...)
	} else {
		warnUnreadable(e, in)
	}
	if c.Compare, err = playerNamed(all, "--compare", c.Compare); err != nil {
		return rated, err
	}
	rated, err = c.fit(ctx, in, all, options, c.Pool || c.Format == grid.JSON)
	if err != nil || !c.Strict {
		return rated, err
	}
	notes := slices.Clone(rated.Notes)
	for _, t := range rated.Printed() {
		notes = append(notes, t.Ratings.Notes...)
	}
	return rated, leftOut(notes)
}

func noGames(files []string, in *runs.Stream) error {
	if len(in.Skipped.Errors) > 0 {
		return fmt.Errorf("expected games, found none that can be read; the first: %s", in.Skipped.Errors[0])
	}
	return fmt.Errorf("expected games, found none in %s", listed(files))
}

// warnSkipped reports on stderr the games that can't be read, all else that is left out, and other notes.
func warnSkipped(e *env, in *runs.Stream, notes ...string) {
	warnUnreadable(e, in)
	for _, note := range slices.Concat(in.Notes(runs.Unreadable), notes) {
		e.err.warn("%s", textfmt.Escape(note))
	}
}

func warnUnreadable(e *env, in *runs.Stream) {
	for _, line := range in.Skipped.Errors {
		e.err.warn("left out: %s", textfmt.Escape(line))
	}
	if more := in.Skipped.Count(runs.Unreadable) - len(in.Skipped.Errors); more > 0 {
		e.err.warn("left out: %s", textfmt.Plural(more, "more game"))
	}
}

func listed(names []string) string { return textfmt.List(names, 8) }

func (c *rateCmd) print(e *env, b table.Tables) error {
	f := c.Format
	b.Layout = layout(e.out)
	switch {
	case c.Crosstable:
		return table.WriteCrosstable(e.out, f, b)
	case c.HeadToHead:
		return table.WriteHeadToHead(e.out, f, b, c.Top)
	case c.Standings:
		return named("--standings", table.WriteStandings(e.out, f, b))
	case c.Los:
		return table.WriteSuperiority(e.out, f, b)
	case c.Compare != "":
		return table.WriteComparison(e.out, f, b, c.Compare)
	}
	return c.write(e.out, b)
}

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

// forPeople reports whether lines of text may be printed beside the tables.
func (f formatFlag) forPeople() bool { return f.Format == grid.Text || f.Format == grid.Markdown }

func (f formatFlag) write(w *output, b table.Tables) error {
	b.Layout = layout(w)
	return table.Write(w, f.Format, f.Columns, b)
}

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

// prepare sets the rule sets to count, and returns the options; anchors have the names that were given.
func (c *ratingFlags) prepare(all *standings.Standings) (o ratings.Options, err error) {
	all.Only = c.Rules.names()
	var p problems.List
	switch c.Prior {
	case "auto":
	case "fit":
		o.FitPrior = true
	default:
		draws, err := settings.Parse[float64](c.Prior)
		p.Expect(err == nil, "--prior", "expected auto, fit or a number of draws%s, found %.60q",
			settings.ZeroHint(c.Prior), c.Prior)
		o.Prior = &draws
	}
	for _, text := range c.Anchor {
		if text == anchorLevels {
			continue // they are found among the players
		}
		a, err := ratings.ParseAnchor(text)
		if err != nil {
			p.Add("--anchor", err)
		}
		o.Anchors = append(o.Anchors, a)
	}
	if c.Advantage != "fit" {
		elo, err := ratings.ParseElo(c.Advantage)
		p.Expect(err == nil, "--advantage", "expected fit or a number of Elo%s, found %.60q",
			settings.ZeroHint(c.Advantage), c.Advantage)
		o.Advantage = &elo
	}
	return o, p.Err()
}

// givenFlags returns the flags of a struct on a command line, without those at their defaults.
func givenFlags(flags reflect.Value) (words []string) {
	for i := range flags.NumField() {
		f, value := flags.Type().Field(i), flags.Field(i)
		name := "--" + strings.ToLower(f.Name)
		switch _, argument := f.Tag.Lookup("arg"); {
		case argument:
		case value.Kind() == reflect.Struct:
			words = append(words, givenFlags(value)...)
		case value.Kind() == reflect.Slice:
			for k := range value.Len() {
				words = append(words, name, fmt.Sprint(value.Index(k)))
			}
		case value.Kind() != reflect.Bool && fmt.Sprint(value) != f.Tag.Get("default"):
			words = append(words, name, fmt.Sprint(value))
		case value.Kind() == reflect.Bool && value.Bool():
			words = append(words, name)
		}
	}
	return words
}

func (c *ratingFlags) found(in *runs.Stream, all *standings.Standings, files []string) error {
	switch {
	case all.Games() > 0:
		return nil
	case len(all.Others) == 0:
		return noGames(files, in)
	case len(all.Others) == 1 && all.Others[0] == "":
		return fmt.Errorf("--rules: no game was played under %v; the games don't name their rules", c.Rules)
	}
	others := slices.Sorted(slices.Values(all.Others))
	return fmt.Errorf("--rules: no game was played under %v; the games are under %s", c.Rules, listed(others))
}

// fit rates the players, under all rule sets together too if pool is set.
func (c *ratingFlags) fit(
	ctx context.Context, in *runs.Stream, all *standings.Standings, o ratings.Options, pool bool,
) (table.Tables, error) {
	var errs []error
	for i, a := range o.Anchors {
		var err error
		o.Anchors[i].Name, err = playerNamed(all, "--anchor", a.Name)
		errs = append(errs, err)
	}
	if slices.Contains(c.Anchor, anchorLevels) {
		anchors, err := levelAnchors(all)
		o.Anchors, errs = append(o.Anchors, anchors...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return table.Tables{}, err
	}
	rated, err := all.Fit(ctx, o, pool)
	rated.Pool, rated.Notes = c.Pool, append(rated.Notes, in.Notes()...)
	return rated, err
}

// levelAnchors returns the levels among the players, by their names, with their ratings under each rule set.
func levelAnchors(all *standings.Standings) (anchors []ratings.Anchor, err error) {
	players, own := all.Data().Players(), slices.Collect(maps.Values(all.Names())) // own: other agents' names
	for _, l := range configs.ListLevels() {
		if !slices.Contains(players, l.Name) || slices.Contains(own, l.Name) {
			continue
		}
		for _, set := range all.RuleSets {
			if elo, ok := l.Elo[set.Name]; ok {
				anchors = append(anchors, ratings.Anchor{Name: l.Name, Elo: float64(elo.Elo), Rules: set.Name})
			}
		}
	}
	if anchors == nil {
		return nil, fmt.Errorf("--anchor levels: expected a level of gyges levels among the players, under rules for which "+
			"its Elo was measured (%s); the players are %s", listed(configs.RatedRules()), listed(players))
	}
	return anchors, nil
}

// playerNamed returns a player that is named by its label or its spec; "" for "".
func playerNamed(all *standings.Standings, flag, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	players, name := all.Data().Players(), source.Name(name)
	label := all.Names().Of(name)
	if !slices.Contains(players, label) {
		return "", fmt.Errorf("%s: %.60q has not played; the players are %s", flag, name, listed(players))
	}
	return label, nil
}
