package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/ratings"
)

// modelFlags say how to fit.
type modelFlags struct {
	Anchor    []string `sep:"none" placeholder:"NAME=ELO[±SD]" help:"Give a player a rating that the others are measured from; with ±SD (or +-SD) loosely: the rating is fitted, and ELO ± SD is what was known before. May be repeated. Without it the mean is 0."`
	Offset    []string `sep:"none" placeholder:"NAME=OTHER+ELO" help:"Fix a difference: NAME is rated ELO above OTHER (or OTHER-ELO, below). May be repeated."`
	Advantage signed   `default:"fit" placeholder:"ELO" help:"South's first-move advantage: fit (default), or a fixed number of Elo."`
	Draws     string   `enum:"half,davidson,rao-kupper" default:"half" placeholder:"MODEL" help:"What a draw is: half (default) a win and half a loss, or an outcome with a parameter of its own: davidson or rao-kupper."`
	Prior     signed   `default:"0" placeholder:"N" help:"Give each player N virtual draws against an imaginary opponent, so that all have a finite rating. Default: 0."`
	Intervals string   `enum:"pairs,games,model" default:"pairs" placeholder:"KIND" help:"What intervals take for independent: pairs of games from one opening (default), single games, or what the likelihood alone says (model)."`
	Bootstrap int      `default:"0" placeholder:"N" help:"Check the intervals by N resamples."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Source of the resamples' chance. Default: 1."`
}

// signed is the text of a number that may begin with a minus, which kong would
// take for a flag.
type signed string

// Decode implements kong's MapperValue.
func (s *signed) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Peek().IsEOL() {
		return errors.New("expected a number, found the end")
	}
	*s = signed(ctx.Scan.Pop().String())
	return nil
}

// options reads the flags, but for the offsets, which need the players' names.
func (c *modelFlags) options() (ratings.Options, error) {
	o := ratings.Options{
		Draws:     ratings.DrawModel(c.Draws),
		Intervals: ratings.Intervals(c.Intervals),
		Bootstrap: c.Bootstrap,
		Seed:      c.Seed,
	}
	var errs []error
	var err error
	if o.Prior, err = strconv.ParseFloat(string(c.Prior), 64); err != nil {
		errs = append(errs, fmt.Errorf("--prior: expected a number of draws, found %.60q", string(c.Prior)))
	}
	for _, text := range c.Anchor {
		a, err := parseAnchor(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--anchor: %w", err))
		}
		o.Anchors = append(o.Anchors, a)
	}
	if c.Advantage != "fit" {
		elo, err := finite(string(c.Advantage))
		if err != nil {
			errs = append(errs, fmt.Errorf("--advantage: fit or a number: %w", err))
		}
		o.Advantage = &elo
	}
	return o, errors.Join(errs...)
}

// words are the flags as they were given, those at their defaults left out.
func (c *modelFlags) words() []string {
	var words []string
	flag := func(name, value, usual string) {
		if value != usual {
			words = append(words, "--"+name, value)
		}
	}
	for _, a := range c.Anchor {
		flag("anchor", a, "")
	}
	for _, o := range c.Offset {
		flag("offset", o, "")
	}
	flag("advantage", string(c.Advantage), "fit")
	flag("draws", c.Draws, string(ratings.HalfPoints))
	flag("prior", string(c.Prior), "0")
	flag("intervals", c.Intervals, string(ratings.ByPair))
	flag("bootstrap", strconv.Itoa(c.Bootstrap), "0")
	flag("seed", strconv.FormatUint(c.Seed, 10), "1")
	return words
}

// parseAnchor reads NAME=ELO or NAME=ELO±SD. A name is an agent's spec and may
// hold '=' itself.
func parseAnchor(text string) (ratings.Anchor, error) {
	cut := strings.LastIndexByte(text, '=')
	if cut < 1 {
		return ratings.Anchor{}, fmt.Errorf("expected NAME=ELO or NAME=ELO±SD, found %.60q", text)
	}
	a := ratings.Anchor{Name: text[:cut]}
	elo, sd, loose := strings.Cut(strings.Replace(text[cut+1:], "+-", "±", 1), "±")
	var err error
	if a.Elo, err = finite(elo); err != nil {
		return a, fmt.Errorf("%s: %w", a.Name, err)
	}
	if loose {
		if a.SD, err = finite(sd); err != nil || a.SD <= 0 {
			return a, fmt.Errorf("%s: expected a standard deviation above 0 after ±, found %.60q", a.Name, sd)
		}
	}
	return a, nil
}

func finite(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("expected a number of Elo, found %.60q", text)
	}
	return x, nil
}

// offsets reads --offset, now that the players are known: names may hold what
// separates them.
func (c *modelFlags) offsets(players []string) ([]ratings.Offset, error) {
	var list []ratings.Offset
	var errs []error
	for _, text := range c.Offset {
		f, ok := parseOffset(text, players)
		if !ok {
			errs = append(errs, fmt.Errorf("--offset: expected NAME=OTHER+ELO or NAME=OTHER-ELO of two players, found %.60q; the players are %s", text, listed(players)))
		}
		list = append(list, f)
	}
	return list, errors.Join(errs...)
}

func parseOffset(text string, players []string) (ratings.Offset, bool) {
	known := func(name string) bool {
		_, ok := slices.BinarySearch(players, name)
		return ok
	}
	for i := range text {
		if text[i] != '=' || !known(text[:i]) {
			continue
		}
		rest := text[i+1:]
		for j := range rest {
			if (rest[j] != '+' && rest[j] != '-') || !known(rest[:j]) {
				continue
			}
			if elo, err := finite(rest[j:]); err == nil {
				return ratings.Offset{Name: text[:i], Than: rest[:j], Elo: elo}, true
			}
		}
	}
	return ratings.Offset{}, false
}

// checkAnchors reports the anchors of players that aren't there.
func checkAnchors(anchors []ratings.Anchor, players []string) error {
	var errs []error
	for _, a := range anchors {
		if _, ok := slices.BinarySearch(players, a.Name); !ok {
			errs = append(errs, fmt.Errorf("--anchor: %.60q has not played; the players are %s", a.Name, listed(players)))
		}
	}
	return errors.Join(errs...)
}
