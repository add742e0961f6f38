package main

import (
	"fmt"
	"strconv"
	"strings"

	"gyges/ratings/sprt"
)

// sprtCmd tests given pair counts.
type sprtCmd struct {
	Penta string  `required:"" placeholder:"A,B,C,D,E" help:"Game pairs that gave the first player 0, ½, 1, 1½ and 2 points."`
	Elo0  float64 `name:"elo0" default:"0" placeholder:"ELO" help:"Strength under H0. Default: 0."`
	Elo1  float64 `name:"elo1" default:"5" placeholder:"ELO" help:"Strength under H1. Default: 5."`
	Alpha float64 `default:"0.05" placeholder:"P" help:"Chance to accept H1 when H0 holds. Default: 0.05."`
	Beta  float64 `default:"0.05" placeholder:"P" help:"Chance to accept H0 when H1 holds. Default: 0.05."`
	Model string  `enum:"normalized,logistic" default:"normalized" placeholder:"MODEL" help:"What Elo means: normalized (default) or logistic."`
}

// Run prints the figures.
func (c *sprtCmd) Run(e *env) error {
	pairs, err := parsePairs(c.Penta)
	if err != nil {
		return err
	}
	test := sprt.Test{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta, Model: sprt.Model(c.Model)}
	if err := test.Check(); err != nil {
		return err
	}
	e.out.printf("%s", sprtText(test, pairs))
	e.out.printf("%s", eloText(pairs))
	return nil
}

// parsePairs reads five counts.
func parsePairs(text string) (sprt.Pairs, error) {
	const most = 1_000_000_000
	var p sprt.Pairs
	parts := strings.Split(text, ",")
	for i := range parts {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if len(parts) != len(p) || err != nil || n < 0 || n > most {
			return p, fmt.Errorf("--penta: expected five counts from 0 to %d, separated by commas, found %.80q",
				int64(most), text)
		}
		p[i] = n
	}
	return p, nil
}

// sprtText is a test's figures for people and programs.
func sprtText(t sprt.Test, p sprt.Pairs) string {
	lower, upper := t.Bounds()
	return fmt.Sprintf("LLR %.4f\nBounds %.4f %.4f (elo %v against %v, %s; alpha %v, beta %v)\nResult %s\n",
		t.LLR(p), lower, upper, t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta, t.VerdictText(p))
}

// eloText is the estimate of the strength by a match.
func eloText(p sprt.Pairs) string {
	return fmt.Sprintf("Elo %s\nPairs %d: %s (0, ½, 1, 1½, 2 points)\n", p.EloText(), p.N(), pairsText(p))
}

// pairsText lists the counts of pairs.
func pairsText(p sprt.Pairs) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([5]int64(p)), " ", ", "), "[]")
}
