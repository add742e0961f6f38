package ratings

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
)

const (
	maxAdvantage = 2000    // of a fixed advantage, Elo
	maxElo       = 1000000 // of an anchor, Elo
	// Virtual draws for each player; far fewer than the least give the fit nothing to hold on to.
	leastPrior = 0.001
	maxPrior   = 1000
)

// Options say how to fit. The zero value fits the advantage and has a prior only where one is
// needed.
type Options struct {
	// Advantage fixes South's first-move advantage, in Elo, -2000 to 2000; nil fits it.
	Advantage *float64
	// Anchors give players a rating that the others are measured from.
	Anchors []Anchor
	// Prior gives each player N virtual draws, 0 or 0.001 to 1000, against an imaginary opponent
	// whose rating is fitted with the rest. Above zero, everybody has a finite rating. Nil is the
	// default: none where every player that met others has a finite rating without, a normal
	// distribution where not, and FitPrior where Data.Adaptive is set.
	Prior *float64
	// FitPrior takes the ratings for normally distributed about that of the imaginary opponent,
	// with a standard deviation estimated from the results. Prior must be nil then.
	FitPrior bool
}

// Anchor is a player with a given rating, in Elo, -1000000 to 1000000.
type Anchor struct {
	Name  string
	Elo   float64
	Rules string // the rule set under which alone it applies; "": all. Fit takes it to be chosen
}

// validate reports everything that is wrong with the options.
func (o Options) validate(players []string) error {
	var p problems.List
	if o.Advantage != nil {
		p.Require(math.Abs(*o.Advantage) <= maxAdvantage,
			"advantage: expected %d to %d Elo, found %.10g", -maxAdvantage, maxAdvantage,
			*o.Advantage)
	}
	if o.Prior != nil {
		draws := *o.Prior
		inRange := leastPrior <= draws && draws <= maxPrior
		p.Require(draws == 0 || inRange, "prior: expected 0 or %g to %d draws, found %g",
			leastPrior, maxPrior, draws)
		p.Require(!o.FitPrior, "prior: expected a number of draws or fit, found both")
	}
	seen := make(map[string]bool)
	for _, a := range o.Anchors {
		p.Require(math.Abs(a.Elo) <= maxElo, "anchor %.60q: expected %d to %d Elo, found %.10g",
			a.Name, -maxElo, maxElo, a.Elo)
		_, known := slices.BinarySearch(players, a.Name)
		p.Require(known, "anchor %.60q: no such player in the games", a.Name)
		p.Require(!seen[a.Name], "anchor %.60q: given twice", a.Name)
		seen[a.Name] = true
	}
	return p.Err()
}

// ParseAnchor reads NAME=ELO. The name may contain '='.
func ParseAnchor(text string) (Anchor, error) {
	i := strings.LastIndexByte(text, '=')
	if i < 1 {
		return Anchor{}, fmt.Errorf("expected NAME=ELO, found %.60q", text)
	}
	elo, err := ParseElo(text[i+1:])
	if err != nil {
		err = fmt.Errorf("%s: %w", text[:i], err)
	}
	return Anchor{Name: text[:i], Elo: elo}, err
}

// ParseElo reads a finite number.
func ParseElo(text string) (float64, error) {
	x, err := settings.Parse[float64](text)
	if err != nil {
		hint := settings.ZeroHint(text)
		return 0, fmt.Errorf("expected a number of Elo%s, found %.60q", hint, text)
	}
	return x, nil
}
