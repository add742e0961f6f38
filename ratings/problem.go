package ratings

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gyges/rules/base/interval"
)

// Fit rates the players of d. Without a prior, players that no finite rating exists for are listed
// in Unrated and are no error, nor is it one if no player can be rated. An error is an option that
// can't be followed (an unknown anchor, a number out of range), a likelihood that could not be
// maximized, or the end of ctx; then there are no ratings. The same games give the same bits in
// whatever order they were added.
//
// At most 100,000 ratings can be fitted. Beyond 1,500 of them intervals are estimated from a
// sample; time then grows with the number of pairings, and with that of players only where these
// are linked by long chains.
func Fit(ctx context.Context, d *Data, o Options) (*Ratings, error) {
	d = d.sorted()
	if err := o.validate(d.names); err != nil {
		return nil, err
	}
	p := newProblem(d, o)
	if n := len(p.rated); n > maxParameters {
		return nil, fmt.Errorf("%d ratings to fit: expected at most %d", n, maxParameters)
	}
	if len(p.rated) == 0 {
		return newReport(p, nil)
	}
	p, err := p.withPrior(ctx)
	if err != nil {
		return nil, err
	}
	e, err := p.likelihood().estimate(ctx)
	if err != nil {
		return nil, err
	}
	return newReport(p, e)
}

// problem is what is to be fitted: results and options, and what follows from them before. Players
// are numbers.
type problem struct {
	data       *Data // sorted
	options    Options
	given      []int     // the players whose ratings anchors give
	origin     float64   // taken for 0 in the fit, Elo: the middle of anchors far from 0
	spread     float64   // of the given ratings, Elo: the largest less the smallest
	elo        []float64 // by player: a given rating less the origin, natural scale; otherwise 0
	prior      Prior     // its SD is 0 until it is estimated
	precision  float64   // of the normal prior, natural scale; 0 without
	tied       []int     // the players that are comparable whatever the results
	*partition           // of the players, by what the results say and who is tied
	inside     []pairing // the results between players of one group
	rated      []int     // the players in groups
	advantage  Advantage // given, or whether it is to be fitted
	remark     string    // on it; may be empty
}

// newProblem returns the problem with the prior that the options ask for, or that the results need.
func newProblem(d *Data, o Options) *problem {
	p := &problem{data: d, options: o, elo: make([]float64, len(d.names))}
	p.origin, p.spread = anchorScale(o.Anchors)
	for _, a := range o.Anchors {
		i, _ := d.number(a.Name)
		p.given = append(p.given, i)
		p.elo[i] = (a.Elo - p.origin) / eloPerNat
	}
	p.tied = p.given
	p.partition = newPartition(d, p.given, false)
	p.prior = choosePrior(d, o, p.partition)
	if p.prior.SD > 0 {
		if p.farApart() {
			p.prior.SD = maxElo
		}
		p.precision = precision(p.prior.SD)
	}
	if p.prior != (Prior{}) { // everybody is comparable with its imaginary opponent
		p.tied = make([]int, len(d.names))
		for i := range p.tied {
			p.tied[i] = i
		}
		p.partition = newPartition(d, p.given, true)
	}
	p.inside = p.partition.inside(d.met)
	p.rated = slices.Concat(p.groups...)
	p.advantage, p.remark = p.chooseAdvantage()
	return p
}

// far is how far, in Elo, given ratings may be from 0 and from each other without further
// precautions: the numbers of a fit then have digits enough, and second derivatives can't be told
// from 0 beyond.
const far = 10_000

// anchorScale returns the origin and the spread of a problem with given ratings.
func anchorScale(anchors []Anchor) (origin, spread float64) {
	if len(anchors) == 0 {
		return 0, 0
	}
	low, high := anchors[0].Elo, anchors[0].Elo
	for _, a := range anchors {
		low = math.Min(low, a.Elo)
		high = math.Max(high, a.Elo)
	}
	if math.Max(-low, high) > far {
		origin = (low + high) / 2
	}
	return origin, high - low
}

// farApart reports whether given ratings are so far apart that what lies between them may follow
// from no result.
func (p *problem) farApart() bool { return p.spread > far }

// chooseAdvantage returns the given advantage, or whether it is to be fitted, and a remark where it
// can't be.
func (p *problem) chooseAdvantage() (a Advantage, remark string) {
	if p.options.Advantage != nil {
		return Advantage{Elo: *p.options.Advantage}, ""
	}
	if len(p.inside) == 0 {
		return a, ""
	}
	up, down := advantageUnbounded(len(p.elo), p.inside, p.tied)
	unbounded := "the first-move advantage has no finite estimate, as no result speaks against a "
	switch {
	case up && down:
		return a, "the first-move advantage can't be separated from the players' strength, as " +
			"who moved first was determined by who met whom; it is taken to be 0"
	case up:
		return a, unbounded + "larger one; it is 0"
	case down:
		return a, unbounded + "smaller one; it is 0"
	}
	return Advantage{Fitted: true}, ""
}

// parameters numbers what is fitted: the ratings of rated players that aren't given, the imaginary
// opponent's rating, and the advantage.
func (p *problem) parameters() parameters {
	n := parameters{rating: slices.Repeat([]int{-1}, len(p.elo)), opponent: -1, advantage: -1}
	for _, i := range p.rated {
		if !slices.Contains(p.given, i) {
			n.rating[i] = n.dim
			n.dim++
		}
	}
	if p.prior != (Prior{}) {
		n.opponent = n.dim
		n.dim++
	}
	if p.advantage.Fitted {
		n.advantage = n.dim
		n.dim++
	}
	return n
}

// likelihood returns what is to be maximized.
func (p *problem) likelihood() *likelihood {
	l := &likelihood{
		parameters: p.parameters(),
		elo:        p.elo,
		given:      p.advantage.Elo / eloPerNat,
		draws:      p.prior.Draws,
		precision:  p.precision,
		pairings:   p.inside,
		widest:     math.Inf(1),
	}
	if p.farApart() {
		l.ridge = precision(maxElo)
	}
	if len(p.given) > 1 || p.advantage.Elo != 0 {
		elo := p.spread + math.Abs(p.advantage.Elo) + widestOfOne*float64(len(p.rated))
		l.widest = elo / interval.Z95 / eloPerNat
	}
	games := make([]float64, len(p.groups))
	for i := range p.inside {
		k := &p.inside[i]
		games[p.group[k.a]] += float64(k.games())
	}
	for g, members := range p.groups {
		anchored := len(p.given) > 0 && p.group[p.given[0]] == g
		if anchored {
			continue
		}
		c := constraint{shares: slices.Repeat([]float64{1}, len(members))}
		for _, i := range members {
			c.members = append(c.members, l.rating[i])
		}
		// Any positive weight gives the same answer. With this one the curvature of the term is
		// that of an average player, so that the Hessian is as well conditioned as the data
		// allow.
		n := float64(len(members))
		c.weight = math.Max(games[g], 1) / (2 * n * n)
		l.constraints = append(l.constraints, c)
	}
	return l
}
