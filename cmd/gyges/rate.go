package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gyges/ratings"
	"gyges/tournament"
	"gyges/tournament/record"
)

// rateCmd rates the players of recorded runs.
type rateCmd struct {
	Runs       []string `arg:"" name:"run" sep:"none" help:"Folders of runs, or files of records (games.jsonl); several are rated together."`
	Anchor     []string `sep:"none" placeholder:"NAME=ELO" help:"Give a player a rating that the others are measured from; may be repeated. Without it the mean is 0."`
	Advantage  string   `default:"fit" placeholder:"ELO" help:"South's first-move advantage: fit (default), or a fixed number of Elo."`
	Rules      string   `placeholder:"RULES,…" complete:"rules" help:"Rate only games under these rule sets."`
	Pool       bool     `help:"Add a table of all rule sets together."`
	Crosstable bool     `help:"Print only who scored what against whom."`
	formatFlag
}

// Help is the part of the help below the summary.
func (rateCmd) Help() string {
	return "Prints one table for each rule set: the ratings that make the results most likely, together with South's " +
		"first-move advantage, and half their 95 % intervals. Only differences of ratings have a meaning. Players that " +
		"won or lost everything have no finite rating; they are listed apart, with the reason."
}

func (rateCmd) examples() []example {
	return []example{
		{"gyges rate results/quick-20260102-150405", ""},
		{"gyges rate --rules kang --anchor random=0 results/*", "measured from the random player"},
		{"gyges rate --format csv --crosstable results/*/games.jsonl", ""},
	}
}

// Run reads the records and prints the tables.
func (c *rateCmd) Run(ctx context.Context, e *env) error {
	options, errOptions := c.options()
	only, errRules := c.filter()
	files, errFiles := gameFiles(c.Runs)
	if err := errors.Join(errOptions, errRules, errFiles); err != nil {
		return err
	}
	s := newStandings()
	var met []string // rule sets, rated or not
	for _, f := range files {
		err := readGames(ctx, f, func(g *record.Game) {
			if !slices.Contains(met, g.Rules) {
				met = append(met, g.Rules)
			}
			if only == nil || only[g.Rules] {
				s.add(g)
			}
		})
		if err != nil {
			return err
		}
	}
	switch {
	case len(met) == 0:
		return fmt.Errorf("expected games, found none in %s", listed(c.Runs))
	case len(s.order) == 0:
		return fmt.Errorf("--rules: no game was played under %s; the games are under %s", c.Rules, listed(met))
	}
	tables, err := s.tables(options, c.Pool)
	if err != nil {
		return err
	}
	if c.Crosstable {
		return ratings.WriteCrosstable(e.out, c.format(), tables...)
	}
	return c.write(e.out, tables)
}

// options reads --anchor and --advantage.
func (c *rateCmd) options() (ratings.Options, error) {
	var o ratings.Options
	var errs []error
	for _, text := range c.Anchor {
		// A name is an agent's spec and may hold '=' itself.
		cut := strings.LastIndexByte(text, '=')
		if cut < 1 {
			errs = append(errs, fmt.Errorf("--anchor: expected NAME=ELO, found %q", text))
			continue
		}
		elo, err := finite(text[cut+1:])
		if err != nil {
			errs = append(errs, fmt.Errorf("--anchor: %s: %w", text[:cut], err))
		}
		o.Anchors = append(o.Anchors, ratings.Anchor{Name: text[:cut], Elo: elo})
	}
	if c.Advantage != "fit" {
		elo, err := finite(c.Advantage)
		if err != nil {
			errs = append(errs, fmt.Errorf("--advantage: fit or a number: %w", err))
		}
		o.Advantage = &elo
	}
	return o, errors.Join(errs...)
}

func finite(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("expected a number of Elo, found %q", text)
	}
	return x, nil
}

// filter returns the names of the rule sets to rate; nil for all.
func (c *rateCmd) filter() (map[string]bool, error) {
	if c.Rules == "" {
		return nil, nil
	}
	only := map[string]bool{}
	var errs []error
	for _, text := range splitRules(c.Rules) {
		r, err := loadRules(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--rules: %w", err))
			continue
		}
		only[r.String()] = true
	}
	return only, errors.Join(errs...)
}

// gameFiles finds the file of records of each run. A file given twice would
// count its games twice.
func gameFiles(runs []string) ([]string, error) {
	var files []string
	var infos []os.FileInfo
	var errs []error
	for _, path := range runs {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			path = filepath.Join(path, tournament.GamesFile)
			info, err = os.Stat(path)
		}
		if err != nil {
			errs = append(errs, fileError("run", err))
			continue
		}
		for i, other := range infos {
			if os.SameFile(other, info) {
				errs = append(errs, fmt.Errorf("run: %s is given twice, also as %s", path, files[i]))
			}
		}
		files, infos = append(files, path), append(infos, info)
	}
	return files, errors.Join(errs...)
}

// readGames streams the records of a file.
func readGames(ctx context.Context, path string, each func(*record.Game)) error {
	f, err := os.Open(path)
	if err != nil {
		return fileError("run", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	r := record.NewReader(f, path)
	for ctx.Err() == nil {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		each(g)
	}
	return ctx.Err()
}
