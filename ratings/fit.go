package ratings

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gyges/rules/base/interval"
)

// Fit rates the players of d. Without a prior, players that no finite rating exists
// for are listed in Unrated and are no error, nor is it one if no player can be rated. An
// error is an option that can't be followed (an unknown anchor, a number out of
// range), a likelihood that could not be maximized, or the end of ctx; then
// there are no ratings. The same games give the same bits in whatever order they
// were added.
//
// At most 5,000 ratings can be fitted. Time grows with the third power of their
// number.
func Fit(ctx context.Context, d *Data, o Options) (*Ratings, error) {
	d = d.sorted()
	if err := o.validate(d.names); err != nil {
		return nil, err
	}
	f := newFit(d, o)
	r := &Ratings{data: d}
	f.describe(r)
	if err := f.rate(ctx, r); err != nil {
		return nil, err
	}
	r.Prior = f.prior
	r.Notes = f.notes(r)
	return r, nil
}

// fit is the input of a fit and what is derived from it before. Players are numbers.
type fit struct {
	options   Options
	data      *Data
	given     []int     // the players whose ratings anchors give
	elo       []float64 // by player: a given rating, natural scale; otherwise 0
	partition *partition
	counts    []Count   // by player
	inside    []pairing // inside groups
	prior     Prior
	precision float64 // of the normal prior, natural scale; 0 without
	// param is the parameter of each player's rating, and the last one that of the imaginary
	// opponent whom all players meet under a prior; -1 for a rating that isn't fitted.
	param     []int
	rated     []int // the players, in the end in the order of the table
	advantage Advantage
	remark    string // on the advantage; may be empty
}

// newFit applies the anchors and chooses the prior.
func newFit(d *Data, o Options) *fit {
	f := &fit{options: o, data: d, elo: make([]float64, len(d.names)), counts: d.counts()}
	for _, a := range o.Anchors {
		i, _ := slices.BinarySearch(d.names, a.Name)
		f.given, f.elo[i] = append(f.given, i), a.Elo/eloPerNat
	}
	f.partition = f.newPartition()
	f.choosePrior()
	f.inside = f.partition.inside(d.met)
	return f
}

// estimate is the maximum of the likelihood.
type estimate struct {
	model       *model
	x           []float64
	cov         *covariance
	params      []int   // in the order of the table: the parameter of each rating; -1 for a given one
	correlation float64 // of South's points in the two games of a pair
}

// rate fits the ratings and the advantage.
func (f *fit) rate(ctx context.Context, r *Ratings) error {
	f.rated = slices.Concat(f.partition.groups...)
	if len(f.rated) > maxParameters {
		return fmt.Errorf("%d ratings to fit: expected at most %d", len(f.rated), maxParameters)
	}
	f.chooseAdvantage()
	r.Advantage = f.advantage
	if len(f.rated) == 0 {
		return nil
	}
	if f.prior.estimated() {
		if err := f.fitPrior(ctx); err != nil {
			return err
		}
	}
	e, err := f.estimate(ctx)
	if err != nil {
		return err
	}
	r.estimate = e
	f.list(r)
	if i := e.model.advantage; i >= 0 {
		r.Advantage.Elo, r.Advantage.Error = e.x[i]*eloPerNat, interval.Z95*eloPerNat*e.cov.sd(i, -1)
	}
	return r.check()
}

// chooseAdvantage sets the given advantage, or whether it is to be fitted.
func (f *fit) chooseAdvantage() {
	if f.options.Advantage != nil {
		f.advantage.Elo = *f.options.Advantage
		return
	}
	if len(f.inside) == 0 {
		return
	}
	switch up, down := f.advantageUnbounded(); {
	case up && down:
		f.remark = "the first-move advantage can't be separated from the players' strength, as who moved first was " +
			"determined by who met whom; it is taken to be 0"
	case up:
		f.remark = "the first-move advantage has no finite estimate, as no result speaks against a larger one; it is 0"
	case down:
		f.remark = "the first-move advantage has no finite estimate, as no result speaks against a smaller one; it is 0"
	default:
		f.advantage.Fitted = true
	}
}

// estimate maximizes the likelihood with a prior that is known.
func (f *fit) estimate(ctx context.Context) (*estimate, error) {
	m := f.model()
	x, q, factors, err := m.maximize(ctx, make([]float64, m.dim))
	if err != nil {
		return nil, err
	}
	e := &estimate{model: m, x: x}
	if e.cov, err = newCovariance(m.parameters, factors); err != nil {
		return nil, err
	}
	e.cov.setLeverages(q.terms, m.pairings)
	e.correlation = m.setScores(x)
	for k := range m.pairings {
		q.terms[k].sym2 = m.pairings[k].covariance(e.correlation)
	}
	e.cov.setScores(m.matrix(q.terms))
	return e, nil
}

// model returns the likelihood.
func (f *fit) model() *model {
	m := &model{given: f.advantage.Elo / eloPerNat}
	m.dim, m.advantage = f.number(), -1
	if f.advantage.Fitted {
		m.advantage = m.dim
		m.dim++
	}
	m.opponent = f.param[len(f.elo)]
	for _, p := range f.inside {
		d := fittedPairing{pairing: p, i: f.param[p.a], j: f.param[p.b], shift: f.elo[p.a] - f.elo[p.b]}
		for side := range d.outcomes {
			for o, c := range p.side(side) {
				d.outcomes[side][o] = float64(c)
			}
		}
		m.pairings = append(m.pairings, d)
	}
	if f.prior != (Prior{}) {
		for i, elo := range f.elo {
			m.priors = append(m.priors, prior{
				i: f.param[i], j: m.opponent, shift: elo, draws: f.prior.Draws, precision: f.precision,
			})
		}
	}
	f.constrain(m)
	return m
}

// number gives a parameter to each rating of a rated player that isn't given, and to that of the
// imaginary opponent. It returns their number.
func (f *fit) number() (n int) {
	f.param = slices.Repeat([]int{-1}, len(f.elo)+1)
	for _, i := range f.rated {
		if !slices.Contains(f.given, i) {
			f.param[i] = n
			n++
		}
	}
	if f.prior != (Prior{}) {
		f.param[len(f.elo)] = n
		n++
	}
	return n
}

// constrain sets the scale of the groups without anchors: the mean of the players'
// ratings is zero.
func (f *fit) constrain(m *model) {
	games := make([]float64, len(f.partition.groups))
	for _, k := range f.inside {
		games[f.partition.group[k.a]] += float64(k.games())
	}
	for g, members := range f.partition.groups {
		if f.partition.anchored[g] {
			continue
		}
		shares, n := make([]float64, m.dim), float64(len(members))
		for _, i := range members {
			shares[f.param[i]] = 1
		}
		// Any positive weight gives the same answer. With this one the curvature of the
		// term is that of an average player, so that the Hessian is as well conditioned
		// as the data allow.
		m.constraints = append(m.constraints, constraint{shares, math.Max(games[g], 1) / (2 * n * n)})
	}
}

// list fills in the rated players in the order of the table.
func (f *fit) list(r *Ratings) {
	e := r.estimate
	elo := func(i int) float64 { return (parameter(e.x, f.param[i]) + f.elo[i]) * eloPerNat }
	slices.SortFunc(f.rated, func(a, b int) int {
		// Rounded, so that players with the same results stay in the order of
		// their names.
		return cmp.Or(f.partition.group[a]-f.partition.group[b],
			cmp.Compare(math.Round(elo(b)*1e6), math.Round(elo(a)*1e6)), a-b)
	})
	r.index = make(map[string]int, len(f.rated))
	for place, i := range f.rated {
		name, param := f.data.names[i], f.param[i]
		r.index[name] = place
		e.params = append(e.params, param)
		r.Players = append(r.Players, Player{
			Name: name, Elo: elo(i), Error: interval.Z95 * eloPerNat * e.cov.sd(param, -1), Group: f.partition.group[i],
			Faults: f.data.faults[i], Count: f.counts[i],
		})
	}
	for _, a := range f.options.Anchors {
		r.Players[r.index[a.Name]].Elo = a.Elo // conversion there and back would cost a digit
	}
	f.nameGroups(r)
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
