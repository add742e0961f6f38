package main

import (
	"fmt"
	"strconv"
	"strings"

	"gyges/ratings/sprt"
)

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
	e.out.printf("%s", matchText(test, pairs))
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

// matchText returns the estimates of a match, and of the test that stops it, if there is one.
func matchText(t sprt.Test, p sprt.Pairs) string {
	var text strings.Builder
	for _, fact := range t.Facts(p) {
		fmt.Fprintln(&text, fact[0], fact[1])
	}
	return text.String()
}
