package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/ratings/table"
)

// rateCmd rates the players of recorded runs.
type rateCmd struct {
	Runs []string `arg:"" optional:"" name:"file" sep:"none" help:"Folders of runs, files of records (games.jsonl), PGN or CSV; - is the standard input. Several are rated together."`
	modelFlags
	Rules   string `placeholder:"RULES,…" complete:"rules" help:"Rate only games under these rule sets."`
	Pool    bool   `help:"Add a table of all rule sets together."`
	PerSide bool   `help:"Rate every player as South and as North apart."`
	viewFlags
	seriesFlags
	Strict  bool `help:"Refuse a file with anything in it that can't be read, instead of leaving that out."`
	Explain bool `help:"Print what every figure means, and nothing else."`
	formatFlag
}

// viewFlags say what to print.
type viewFlags struct {
	Columns    string `placeholder:"COLUMN,…" help:"Columns of the rating table; --explain lists them."`
	Crosstable bool   `xor:"view" help:"Print only who scored what against whom."`
	HeadToHead bool   `xor:"view" help:"Print only the pairings with the points expected of them, those that fit worst first."`
	Los        bool   `xor:"view" help:"Print only how likely each player is stronger than each other."`
	Compare    string `xor:"view" sep:"none" placeholder:"NAME" help:"Print only one player's difference to each other."`
	Top        int    `default:"20" placeholder:"N" help:"With --head-to-head, print so many pairings; 0 for all. Default: 20."`
}

// Help is the part of the help below the summary.
func (rateCmd) Help() string {
	return "Prints one table for each rule set: the ratings that make the results most likely, together with South's " +
		"first-move advantage, and half their 95 % intervals. Only differences of ratings have a meaning. Players that " +
		"won or lost everything have no finite rating; they are listed apart, with the reason.\n\n" +
		"A copy of a run's folder is the same run: each of its games counts once. Copies are recognised by the id in manifest.json, or " +
		"where one has none by the first record with its time; files of PGN and CSV are never taken for copies.\n\n" +
		"In PGN, White is South, and the tags White, Black and Result are enough. CSV has a header with the columns south, " +
		"north and result (or white, black, result), or a game in that order on each line."
}

func (rateCmd) examples() []example {
	return []example{
		{"gyges rate results/quick-20260102-150405", ""},
		{"gyges rate --rules kang --anchor random=0 results/*", "measured from the random player"},
		{"gyges rate games.pgn --draws davidson --bootstrap 1000", "anybody's games"},
		{"gyges rate games.pgn --columns name,elo,error,difference,los", ""},
		{"gyges rate gen1 gen2 gen3 --over-time whole --anchor random=0", "three runs, one after the other"},
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
	errView := c.check()
	if err := errors.Join(errOptions, errRules, errFiles, errView); err != nil {
		return err
	}
	in, s := newIntake(only, c.Strict), newStandings()
	if c.OverTime != "" {
		return c.overTime(ctx, e, in, files, options)
	}
	for _, f := range files {
		if err := in.file(ctx, e.in, f, s); err != nil {
			return err
		}
	}
	if err := c.anyGames(in, len(s.order) > 0); err != nil {
		return err
	}
	c.warn(e, &in.tally)
	if c.PerSide {
		s.split()
	}
	if err := c.settle(&options, s.all().Players()); err != nil {
		return err
	}
	rated, err := s.tables(ctx, options, c.Pool, c.format() == table.JSON)
	if err != nil {
		return err
	}
	rated.Notes = in.notes()
	return c.print(e, rated)
}

// check finds mistakes in the flags that need no games.
func (c *rateCmd) check() error {
	var errs []error
	if c.Columns != "" {
		if _, err := table.ParseColumns(c.Columns); err != nil {
			errs = append(errs, fmt.Errorf("--columns: %w", err))
		}
	}
	if c.Top < 0 {
		errs = append(errs, fmt.Errorf("--top: expected a number from 0, found %d", c.Top))
	}
	errs = append(errs, c.checkSeries())
	if c.PerSide && c.Advantage != "fit" {
		errs = append(errs, errors.New("--per-side: ratings by side hold the advantage themselves; expected no --advantage"))
	}
	return errors.Join(errs...)
}

// settle completes the options with what needs the players' names.
func (c *rateCmd) settle(o *ratings.Options, players []string) error {
	var err error
	o.Offsets, err = c.offsets(players)
	if c.PerSide {
		o.Advantage = new(float64)
	}
	if c.Compare != "" && !slices.Contains(players, c.Compare) {
		err = errors.Join(err, fmt.Errorf("--compare: %.60q has not played; the players are %s", c.Compare, listed(players)))
	}
	return errors.Join(checkAnchors(o.Anchors, players), err)
}

// anyGames refuses an empty table.
func (c *rateCmd) anyGames(in *intake, any bool) error {
	switch {
	case len(in.met) == 0 && in.bad > 0:
		return fmt.Errorf("expected games, found none that can be read; the first: %s", in.told[0])
	case len(in.met) == 0:
		return fmt.Errorf("expected games, found none in %s", listed(c.Runs))
	case !any && len(in.met) == 1 && in.met[0] == "":
		return fmt.Errorf("--rules: no game was played under %s; the games don't name their rules", c.Rules)
	case !any:
		return fmt.Errorf("--rules: no game was played under %s; the games are under %s", c.Rules, listed(in.met))
	}
	return nil
}

// warn tells of what was left out where tables don't.
func (c *rateCmd) warn(e *env, t *tally) {
	t.warn(e)
	if c.format() == table.CSV && t.twice > 0 {
		e.err.printf("gyges: left out: %s whose id had come before\n", games(t.twice))
	}
}

// print writes the part of the tables that was asked for.
func (c *rateCmd) print(e *env, b table.Tables) error {
	f := c.format()
	switch {
	case c.Crosstable:
		return table.WriteCrosstable(e.out, f, b)
	case c.HeadToHead:
		return table.WriteHeadToHead(e.out, f, b, c.Top)
	case c.Los:
		return table.WriteSuperiority(e.out, f, b)
	case c.Compare != "":
		return table.WriteComparison(e.out, f, b, c.Compare)
	}
	v := table.View{Crosstable: true}
	if c.Columns != "" {
		v = table.View{}
		v.Columns, _ = table.ParseColumns(c.Columns) // checked before
	} else if c.Bootstrap > 0 && f != table.CSV {
		v.Columns, _ = table.ParseColumns(strings.Replace(table.TextColumns, ",error,", ",error,bootstrap,", 1))
	}
	return table.Write(e.out, f, v, b)
}

// ruleNames returns the names of rule sets, separated by commas; nil for none.
func ruleNames(list string) (map[string]bool, error) {
	if list == "" {
		return nil, nil
	}
	only := map[string]bool{}
	var errs []error
	for _, text := range splitRules(list) {
		r, err := loadRules(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--rules: %w", err))
			continue
		}
		only[r.String()] = true
	}
	return only, errors.Join(errs...)
}
