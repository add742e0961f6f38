package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gyges/configs"
	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/problems"
	"gyges/tournament/runs"
	"gyges/tournament/standings"
)

// ratingFlags say which games of files are rated, and how.
type ratingFlags struct {
	Anchor    []string `sep:"none" placeholder:"NAME=ELO" complete:"levels" help:"Give a player a rating that the others are measured from; may be repeated. levels gives each level of play that took part its Elo under the table's rules (see gyges levels). Without it the mean is 0."`
	Advantage string   `type:"signed" default:"fit" placeholder:"ELO" complete:"fit" help:"First-move advantage, of South or White: fit (default), or a fixed number of Elo."`
	Prior     string   `type:"signed" default:"auto" placeholder:"N" complete:"auto,fit" help:"Give each player N virtual draws against an imaginary opponent; 0 for none: players without a finite rating are then listed apart. fit takes the ratings from a normal distribution whose width is estimated; it suits games from files without a manifest whose pairings followed from the results, as in a Swiss tournament. Default: auto, which is fit for runs of such formats, a normal distribution of 1000 Elo where players have no finite rating, otherwise 0."`

	Rules string `placeholder:"RULES,…" help:"Include only games under these rule sets."`
	Pool  bool   `help:"Add a table of all rule sets together."`
}

// anchorLevels is the value of --anchor for all levels of play.
const anchorLevels = "levels"

// prepare sets the rule sets to count, and returns the options; anchors have the names that were given.
func (c *ratingFlags) prepare(all *standings.Standings) (o ratings.Options, err error) {
	all.Only, err = ruleNames(c.Rules)
	var p problems.List
	switch c.Prior {
	case "auto":
	case "fit":
		o.FitPrior = true
	default:
		draws, err := strconv.ParseFloat(c.Prior, 64)
		p.Expect(err == nil, "--prior", "expected auto, fit or a number of draws, found %.60q", c.Prior)
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
		p.Expect(err == nil, "--advantage", "expected fit or a number of Elo, found %.60q", c.Advantage)
		o.Advantage = &elo
	}
	return o, errors.Join(err, p.Err())
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
				words = append(words, name, value.Index(k).String())
			}
		case value.Kind() != reflect.Bool && fmt.Sprint(value) != f.Tag.Get("default"):
			words = append(words, name, fmt.Sprint(value))
		case value.Kind() == reflect.Bool && value.Bool():
			words = append(words, name)
		}
	}
	return words
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

// found returns an error if the files have no game to rate.
func (c *ratingFlags) found(in *runs.Reader, all *standings.Standings, files []string) error {
	switch {
	case !all.Empty():
		return nil
	case len(all.Others) == 0:
		return noGames(files, in)
	case len(all.Others) == 1 && all.Others[0] == "":
		return fmt.Errorf("--rules: no game was played under %s; the games don't name their rules", c.Rules)
	}
	return fmt.Errorf("--rules: no game was played under %s; the games are under %s", c.Rules, listed(all.Others))
}

// fit rates the players, under all rule sets together too if pool is set.
func (c *ratingFlags) fit(
	ctx context.Context, in *runs.Reader, all *standings.Standings, o ratings.Options, pool bool,
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
	levels, err := configs.ListLevels()
	if err != nil {
		return nil, failure{err}
	}
	players, own := all.Data().Players(), slices.Collect(maps.Values(all.Labels())) // own: other agents' names
	for _, l := range levels {
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
	players := all.Data().Players()
	label := cmp.Or(all.Labels()[name], name)
	if !slices.Contains(players, label) {
		return "", fmt.Errorf("%s: %.60q has not played; the players are %s", flag, name, listed(players))
	}
	return label, nil
}
