package standings

import (
	"slices"

	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/tournament/record"
)

// By is what is rated.
type By string

// What can be rated. The zero value is agents, too.
const (
	ByAgent By = "agent"
	// BySetup rates the rows of pieces that South and North begin with. A row is named by
	// its heights from its owner's left to right, or by its mirror image if that comes
	// first, as both are equally strong. A pair counts as one game.
	BySetup By = "setup"
	// ByOpening rates each opening by South's results against North in it.
	ByOpening By = "opening"
)

// Opponent is the opponent of all openings.
const Opponent = "North"

// OfOpening reports whether what is rated follows from a game's opening.
func (b By) OfOpening() bool { return b == BySetup || b == ByOpening }

// rated returns who is rated for a game in place of its agents. It counts the game as
// left out and reports false if there is nobody.
func (r *Reader) rated(o *record.GameResult, ruleSet string) (rated [2]string, ok bool) {
	switch {
	case !r.By.OfOpening() || !r.includes(ruleSet):
		return rated, true
	case r.By == ByOpening && len(o.Opening) > 0:
		return [2]string{string(o.Opening), Opponent}, true
	case r.By == ByOpening:
		r.Skipped.NoOpening++
		return rated, false
	}
	if rated, ok = rowNames(r.rulesOf(ruleSet), string(o.Opening)); !ok {
		r.Skipped.NoSetup++
	}
	if r.PerSide {
		rated[0], rated[1] = ratings.SideNames(rated[0], rated[1])
	}
	return rated, ok
}

// rulesOf returns the rules of a record; nil if they can't be read.
func (r *Reader) rulesOf(ruleSet string) *rules.Rules {
	set, ok := r.parsed[ruleSet]
	if !ok {
		if r.parsed == nil {
			r.parsed = map[string]*rules.Rules{}
		}
		set, _ = rules.Parse(ruleSet) // nil without a name, as imports may be
		r.parsed[ruleSet] = set
	}
	return set
}

// rowNames returns the names of the rows that South and North begin with, and false if
// an opening is no set-up.
func rowNames(r *rules.Rules, opening string) (names [2]string, ok bool) {
	if r == nil || r.Options().Kang {
		return names, false
	}
	p, err := r.ParsePosition(opening)
	if err != nil || p.Side() != rules.South {
		return names, false
	}
	zone := 1
	if r.Options().SetupZone == rules.TwoRows {
		zone = 2
	}
	south, okSouth := rowName(p, zone)
	north, okNorth := rowName(p.Rotate(), zone)
	return [2]string{south, north}, okSouth && okNorth
}

// rowName returns the name of the pieces on South's first rows, the back row first, and
// false if they aren't two of each height.
func rowName(p rules.Position, rows int) (name string, ok bool) {
	var text, image []byte
	var count [4]int
	for row := range rows {
		if row > 0 {
			text, image = append(text, '/'), append(image, '/')
		}
		for file := range rules.Files {
			h := p.At(rules.SquareAt(file, row))
			count[h]++
			text = append(text, '0'+byte(h))
			image = append(image, '0'+byte(p.At(rules.SquareAt(rules.Files-1-file, row))))
		}
	}
	if slices.Compare(image, text) < 0 {
		text = image
	}
	return string(text), count[1] == 2 && count[2] == 2 && count[3] == 2
}

// asOne returns a pair of one opening as one game, won by the side that took more points
// in both. The two depend on each other too much to count as two.
func asOne(g, h source.Result) source.Result {
	g.Result += h.Result
	g.Fault = g.Fault || h.Fault
	return g
}
