package ratings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Fit rates the players of d. Players that no finite rating exists for are
// listed in Unrated and are no error, nor is it one if nobody can be rated. An
// error is an option that can't be followed (an unknown anchor, a number out of
// range), a likelihood that could not be maximized, or the end of ctx; then
// there are no ratings. The same games give the same bits in whatever order they
// were added.
//
// At most 5,000 ratings can be fitted. Time grows with the third power of their
// number.
func Fit(ctx context.Context, d *Data, o Options) (*Ratings, error) {
	r, err := fitMeetings(ctx, d.meetings(), o)
	if err != nil {
		return nil, fmt.Errorf("rate: %w", err)
	}
	return r, nil
}

func fitMeetings(ctx context.Context, m *meetings, o Options) (*Ratings, error) {
	if err := o.validate(m.names); err != nil {
		return nil, err
	}
	l, err := newLayout(m, o)
	if err != nil {
		return nil, err
	}
	f := &fit{options: o, meetings: m, layout: l, parts: m.partition(l), records: m.records()}
	f.inside = f.parts.inside(m.met)
	r := &Ratings{meetings: m}
	f.describe(r)
	if err := f.rate(ctx, r); err != nil {
		return nil, err
	}
	r.Notes = f.notes(r)
	return r, nil
}

// fit is the work in hand: what Fit knows of the games beside its answer.
type fit struct {
	options   Options
	meetings  *meetings
	layout    *layout
	parts     *partition
	records   []Count   // by player
	inside    []meeting // inside groups
	drawModel drawModel
	param     []int // by node: its parameter, or -1
	remarks   []string
}

// estimate is the maximum of the likelihood, for what is asked afterwards.
type estimate struct {
	model      *model
	x          []float64
	param      []int // by rated player, in the order of the table; -1 for a given rating
	offset     []float64
	group      []int
	references []reference // by group
	shift      []float64   // by group: what puts the mean at zero
	cov        *covariance
	scores     *scoreCovariance
	met        []meeting // with the pairings of the model
	leverages  []leverage
}

// rate fills in the ratings, the advantage and the draw parameter.
func (f *fit) rate(ctx context.Context, r *Ratings) error {
	advantage, fitted := f.advantage()
	r.Advantage = Advantage{Elo: advantage, Fitted: fitted}
	rated := slices.Concat(f.parts.groups...)
	if len(rated) == 0 {
		return nil
	}
	f.drawModel = f.fittedDrawModel()
	e, err := f.estimate(ctx, rated, advantage, fitted)
	if errors.Is(err, errStopped) && f.drawModel.drawn() {
		f.remark("the draw parameter has no finite estimate; draws count as half points instead")
		f.drawModel = halfPoints{}
		e, err = f.estimate(ctx, rated, advantage, fitted)
	}
	if err != nil {
		return err
	}
	r.estimate = e
	if err := f.list(ctx, r, rated); err != nil {
		return err
	}
	f.beside(r)
	if err := r.check(); err != nil {
		return err
	}
	r.GoodnessOfFit = r.goodnessOfFit()
	return f.bootstrap(ctx, r)
}

// fittedDrawModel returns the draw model of the options if its draw parameter can be fitted.
func (f *fit) fittedDrawModel() drawModel {
	l := f.options.Draws.implementation()
	if !l.drawn() {
		return l
	}
	var all Count
	for _, k := range f.inside {
		all = all.plus(k.total())
	}
	switch {
	case all.Draws == 0:
		f.remark("no game was drawn, so there is no draw parameter to fit")
	case all.Draws == all.Games():
		f.remark("every game was drawn, so the draw parameter has no finite estimate; draws count as half points instead")
	default:
		return l
	}
	return halfPoints{}
}

// advantage says what the advantage is, in Elo, and whether it is to be fitted.
func (f *fit) advantage() (elo float64, fitted bool) {
	if f.options.Advantage != nil {
		return *f.options.Advantage, false
	}
	if len(f.inside) == 0 {
		return 0, false
	}
	switch open := advantageLimits(f.layout, f.inside); {
	case open.up && open.down:
		f.remark("South's advantage can't be told from the players' strength, as who had South was settled by who met whom; it is taken to be 0")
	case open.up:
		f.remark("South's advantage has no finite estimate, as no result speaks against a larger one; it is taken to be 0")
	case open.down:
		f.remark("South's advantage has no finite estimate, as no result speaks against a smaller one; it is taken to be 0")
	default:
		return 0, true
	}
	return 0, false
}

// estimate maximizes the likelihood.
func (f *fit) estimate(ctx context.Context, rated []int, advantage float64, fitted bool) (*estimate, error) {
	m := f.model(rated, advantage, fitted)
	x, h, s, err := m.solve(ctx, make([]float64, m.dim))
	if err != nil {
		return nil, err
	}
	e := &estimate{model: m, x: x, met: f.inside}
	f.measure(e, rated)
	if e.cov, err = newCovariance(h, s); err != nil {
		return nil, err
	}
	pairs := make([]float64, len(f.inside))
	for k := range f.inside {
		pairs[k] = float64(f.inside[k].games()) / 2
	}
	e.leverages = e.cov.leverages(pairs)
	e.scores = newScoreCovariance(m, f.inside, x, e.leverages, f.options.Intervals != ByGame)
	e.cov.scores = &quad{frame: h.frame, links: slices.Clone(h.links)}
	if f.options.Intervals != ByModel {
		for k := range f.inside {
			e.cov.scores.links[k].sym3 = e.scores.of(k)
		}
	}
	return e, nil
}

// model sets the likelihood up.
func (f *fit) model(rated []int, advantage float64, fitted bool) *model {
	m := &model{drawModel: f.drawModel, given: advantage / eloPerNat}
	m.dim = f.number(rated)
	m.advantage, m.draw = -1, -1
	if fitted {
		m.advantage = m.dim
		m.dim++
	}
	if f.drawModel.drawn() {
		m.draw = m.dim
		m.dim++
	}
	l := f.layout
	for _, k := range f.inside {
		d := pairing{i: f.param[l.node[k.a]], j: f.param[l.node[k.b]], shift: l.offset[k.a] - l.offset[k.b]}
		if l.node[k.a] == l.node[k.b] {
			d.i, d.j = -1, -1
		}
		for side := range d.games {
			for o, c := range k.side(side) {
				d.games[side][o] = float64(c)
			}
		}
		m.pairings = append(m.pairings, d)
	}
	for _, t := range slices.Concat(l.loose, l.drifts) {
		t.i, t.j = f.param[t.i], f.param[t.j]
		m.ties = append(m.ties, t)
	}
	f.addPrior(m)
	f.pin(m)
	return m
}

// number gives each node with rated players in it a parameter, but the ground,
// and the imaginary opponent one too. It returns their number.
func (f *fit) number(rated []int) int {
	f.param = make([]int, f.layout.nodes)
	for i := range f.param {
		f.param[i] = -1
	}
	n := 0
	give := func(node int) {
		if node >= 0 && node != f.layout.ground && f.param[node] < 0 {
			f.param[node] = n
			n++
		}
	}
	for _, i := range rated {
		give(f.layout.node[i])
	}
	give(f.layout.prior)
	return n
}

// addPrior adds the virtual draws: one opponent's for each player.
func (f *fit) addPrior(m *model) {
	if f.layout.prior < 0 {
		return
	}
	for i, node := range f.layout.node {
		if f.parts.group[i] >= 0 {
			m.virtual = append(m.virtual, virtual{f.param[node], f.param[f.layout.prior], f.layout.offset[i], f.options.Prior})
		}
	}
}

// pin holds the groups that nothing else holds.
func (f *fit) pin(m *model) {
	games := make([]float64, len(f.parts.groups))
	for _, k := range f.inside {
		games[f.parts.group[k.a]] += float64(k.games())
	}
	for g, members := range f.parts.groups {
		if f.parts.held[g] {
			continue
		}
		p := pin{members: f.params(members)}
		// Any positive weight gives the same answer. This one makes the term's
		// curvature that of an average player, which keeps the Hessian as well
		// conditioned as the data allow.
		n := float64(len(p.members))
		p.weight = math.Max(games[g], 1) / (2 * n * n)
		if len(m.virtual) > 0 { // there is one group then
			p.members = append(p.members, f.param[f.layout.prior])
		}
		m.pins = append(m.pins, p)
	}
}

// params lists the parameters of players, each once.
func (f *fit) params(members []int) []int {
	var list []int
	for _, i := range members {
		list = append(list, f.param[f.layout.node[i]])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// measure works out what each group's ratings are measured from.
func (f *fit) measure(e *estimate, rated []int) {
	l := f.layout
	for _, i := range rated {
		e.param = append(e.param, f.param[l.node[i]])
		e.offset = append(e.offset, l.offset[i])
		e.group = append(e.group, f.parts.group[i])
	}
	e.references, e.shift = make([]reference, len(f.parts.groups)), make([]float64, len(f.parts.groups))
	for g, members := range f.parts.groups {
		if f.parts.held[g] {
			continue
		}
		weights := make(map[int]float64)
		for _, i := range members {
			weights[f.param[l.node[i]]] += 1 / float64(len(members))
			e.shift[g] -= l.offset[i] / float64(len(members))
		}
		for _, p := range f.params(members) {
			e.references[g] = append(e.references[g], share{p, weights[p]})
		}
	}
}

// elos are the ratings at parameters x.
func (e *estimate) elos(x []float64) []float64 {
	middle := make([]float64, len(e.references))
	for g := range e.references {
		middle[g] = e.references[g].of(x) - e.shift[g]
	}
	elos := make([]float64, len(e.param))
	for k, p := range e.param {
		elos[k] = (at(x, p) + e.offset[k] - middle[e.group[k]]) * eloPerNat
	}
	return elos
}

// list fills in the rated players in the order of the table.
func (f *fit) list(ctx context.Context, r *Ratings, rated []int) error {
	e := r.estimate
	variances, err := e.cov.ratingVariances(ctx, e.param, e.group, e.references)
	if err != nil {
		return err
	}
	elos := e.elos(e.x)
	order := make([]int, len(rated))
	for k := range rated {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		// Rounded, so that players with the same results stay in the order of
		// their names.
		return cmp.Or(e.group[a]-e.group[b],
			cmp.Compare(math.Round(elos[b]*1e6), math.Round(elos[a]*1e6)),
			cmp.Compare(f.meetings.names[rated[a]], f.meetings.names[rated[b]]))
	})
	r.index = make(map[string]int, len(rated))
	sorted := *e
	sorted.param, sorted.offset, sorted.group = nil, nil, nil
	for place, k := range order {
		name := f.meetings.names[rated[k]]
		r.index[name] = place
		r.Players = append(r.Players, Player{
			Name:  name,
			Elo:   elos[k],
			Error: z95 * eloPerNat * math.Sqrt(math.Max(0, variances[k])),
			Group: e.group[k],
			Count: f.records[rated[k]],
		})
		sorted.param = append(sorted.param, e.param[k])
		sorted.offset = append(sorted.offset, e.offset[k])
		sorted.group = append(sorted.group, e.group[k])
	}
	r.estimate = &sorted
	for _, a := range f.options.Anchors {
		if a.SD == 0 { // conversion there and back would cost a digit
			r.Players[r.index[a.Name]].Elo = a.Elo
		}
	}
	f.nameGroups(r)
	return nil
}

// beside fills in the advantage and the draw parameter.
func (f *fit) beside(r *Ratings) {
	e := r.estimate
	sd := func(i int) float64 {
		contrast := make([]float64, e.model.dim)
		contrast[i] = 1
		return math.Sqrt(math.Max(0, e.cov.variance(contrast)))
	}
	if i := e.model.advantage; i >= 0 {
		r.Advantage.Elo, r.Advantage.Error = e.x[i]*eloPerNat, z95*eloPerNat*sd(i)
	}
	if i := e.model.draw; i >= 0 {
		r.Draws = drawRate(e.model.drawModel, e.x[i], sd(i))
	}
}

// drawRate turns a draw parameter and its standard error into a rate of draws,
// by the slope of one in the other.
func drawRate(l drawModel, t, sd float64) *DrawRate {
	rate := l.chances(0, t)[1]
	if _, ok := l.(davidson); ok {
		return &DrawRate{Davidson, math.Exp(t), rate, z95 * sd * rate * (1 - rate)}
	}
	h := raoKupper{}.threshold(t)
	return &DrawRate{RaoKupper, h * eloPerNat, rate, z95 * sd * logistic(h) * logistic(-h) * logistic(t)}
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
