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
	free := newFreeRatings(d.names, o.Anchors)
	f := &fit{options: o, data: d, free: free, partition: newPartition(d.met, free), counts: d.counts()}
	f.choosePrior()
	f.inside = f.partition.inside(d.met)
	r := &Ratings{data: d}
	f.describe(r)
	if err := f.rate(ctx, r); err != nil {
		return nil, err
	}
	r.Prior = f.prior
	r.Notes = f.notes(r)
	return r, nil
}

// fit is the input of a fit and what is derived from it before.
type fit struct {
	options   Options
	data      *Data
	free      *freeRatings
	partition *partition
	counts    []Count   // by player
	inside    []pairing // inside groups
	prior     Prior
	precision float64 // of the normal prior, natural scale; 0 without
	param     []int   // by free rating: its parameter, or -1
	remarks   []string
}

// estimate is the maximum of the likelihood.
type estimate struct {
	model       *model
	x           []float64
	rated       []ratedPlayer // in the order of the table
	cov         *covariance
	correlation float64 // of South's points in the two games of a pair
}

// ratedPlayer is how a rating depends on the parameters.
type ratedPlayer struct {
	player, group int
	param         int     // -1 for a given rating
	elo           float64 // a given rating, natural scale; otherwise 0
}

// rate fits the ratings and the advantage.
func (f *fit) rate(ctx context.Context, r *Ratings) error {
	rated := slices.Concat(f.partition.groups...)
	if len(rated) > maxParameters {
		return fmt.Errorf("%d ratings to fit: expected at most %d", len(rated), maxParameters)
	}
	r.Advantage = f.advantage()
	if len(rated) == 0 {
		return nil
	}
	e, err := f.estimate(ctx, rated, r.Advantage)
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

// advantage returns the given advantage, or whether it is to be fitted.
func (f *fit) advantage() Advantage {
	if f.options.Advantage != nil {
		return Advantage{Elo: *f.options.Advantage}
	}
	if len(f.inside) == 0 {
		return Advantage{}
	}
	switch up, down := advantageUnbounded(f.free, f.inside); {
	case up && down:
		f.remark("the first-move advantage can't be separated from the players' strength, as who moved first was " +
			"determined by who met whom; it is taken to be 0")
	case up:
		f.remark("the first-move advantage has no finite estimate, as no result speaks against a larger one; it is 0")
	case down:
		f.remark("the first-move advantage has no finite estimate, as no result speaks against a smaller one; it is 0")
	default:
		return Advantage{Fitted: true}
	}
	return Advantage{}
}

// estimate maximizes the likelihood, after the prior was fitted if it is to be.
func (f *fit) estimate(ctx context.Context, rated []int, advantage Advantage) (*estimate, error) {
	if f.prior.estimated() {
		if err := f.fitPrior(ctx, rated, advantage); err != nil {
			return nil, err
		}
	}
	return f.estimateWithPrior(ctx, rated, advantage)
}

// estimateWithPrior maximizes the likelihood with a prior that is known.
func (f *fit) estimateWithPrior(ctx context.Context, rated []int, advantage Advantage) (*estimate, error) {
	m := f.model(rated, advantage)
	x, q, factors, err := m.maximize(ctx, make([]float64, m.dim))
	if err != nil {
		return nil, err
	}
	e := &estimate{model: m, x: x, rated: f.ratedPlayers(rated)}
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
func (f *fit) model(rated []int, advantage Advantage) *model {
	m := &model{given: advantage.Elo / eloPerNat}
	m.dim, m.advantage = f.number(rated), -1
	if advantage.Fitted {
		m.advantage = m.dim
		m.dim++
	}
	free := f.free
	m.opponent = -1
	if free.opponent >= 0 {
		m.opponent = f.param[free.opponent]
	}
	for _, p := range f.inside {
		a, b := free.byPlayer[p.a], free.byPlayer[p.b]
		d := fittedPairing{pairing: p, i: f.param[a], j: f.param[b], shift: free.elo[p.a] - free.elo[p.b]}
		if a == b {
			d.i, d.j = -1, -1
		}
		for side := range d.outcomes {
			for o, c := range p.side(side) {
				d.outcomes[side][o] = float64(c)
			}
		}
		m.pairings = append(m.pairings, d)
	}
	for i, r := range free.virtual() {
		m.priors = append(m.priors, prior{
			i: f.param[r], j: m.opponent, shift: free.elo[i], draws: f.prior.Draws, precision: f.precision,
		})
	}
	f.constrain(m)
	return m
}

// number gives a parameter to each free rating of rated players, but that of given ratings,
// and to the imaginary opponent. It returns their number.
func (f *fit) number(rated []int) int {
	f.param = make([]int, f.free.count)
	for i := range f.param {
		f.param[i] = -1
	}
	n := 0
	give := func(free int) {
		if free >= 0 && free != f.free.given && f.param[free] < 0 {
			f.param[free] = n
			n++
		}
	}
	for _, i := range rated {
		give(f.free.byPlayer[i])
	}
	give(f.free.opponent)
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
			shares[f.param[f.free.byPlayer[i]]]++
		}
		// Any positive weight gives the same answer. With this one the curvature of the
		// term is that of an average player, so that the Hessian is as well conditioned
		// as the data allow.
		m.constraints = append(m.constraints, constraint{shares, math.Max(games[g], 1) / (2 * n * n)})
	}
}

// ratedPlayers returns how ratings depend on the parameters.
func (f *fit) ratedPlayers(rated []int) []ratedPlayer {
	list := make([]ratedPlayer, len(rated))
	for k, i := range rated {
		g := f.partition.group[i]
		list[k] = ratedPlayer{player: i, group: g, param: f.param[f.free.byPlayer[i]], elo: f.free.elo[i]}
	}
	return list
}

// list fills in the rated players in the order of the table.
func (f *fit) list(r *Ratings) {
	e := r.estimate
	elo := func(p ratedPlayer) float64 { return (parameter(e.x, p.param) + p.elo) * eloPerNat }
	slices.SortFunc(e.rated, func(a, b ratedPlayer) int {
		// Rounded, so that players with the same results stay in the order of
		// their names.
		return cmp.Or(a.group-b.group, cmp.Compare(math.Round(elo(b)*1e6), math.Round(elo(a)*1e6)), a.player-b.player)
	})
	r.index = make(map[string]int, len(e.rated))
	for place, p := range e.rated {
		name := f.data.names[p.player]
		r.index[name] = place
		r.Players = append(r.Players, Player{
			Name: name, Elo: elo(p), Error: interval.Z95 * eloPerNat * e.cov.sd(p.param, -1), Group: p.group,
			Count: f.counts[p.player],
		})
	}
	for _, a := range f.options.Anchors {
		r.Players[r.index[a.Name]].Elo = a.Elo // conversion there and back would cost a digit
	}
	f.nameGroups(r)
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
