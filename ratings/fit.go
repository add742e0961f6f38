package ratings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	// maxRated bounds the memory and time of a fit, which factorizes dense
	// matrices of this size: a second for 1000 players, a minute for 4000.
	maxRated = 4000

	maxAdvantage = 2000    // of a fixed advantage, Elo
	maxAnchor    = 1000000 // of an anchor, Elo
)

// Options say how to fit. The zero value fits the advantage and puts the mean of
// each group at zero.
type Options struct {
	// Advantage fixes South's first-move advantage, in Elo, -2000 to 2000; nil
	// fits it.
	Advantage *float64
	// Anchors give players a rating that the others are measured from, at most
	// one in each group. An anchor only moves the scale: no difference between
	// players depends on it.
	Anchors []Anchor
}

// Anchor is a player with a given rating, in Elo, -1000000 to 1000000.
type Anchor struct {
	Name string
	Elo  float64
}

// validate reports everything that is wrong with the options.
func (o Options) validate(players []string) error {
	var errs []error
	if a := o.Advantage; a != nil && !(math.Abs(*a) <= maxAdvantage) {
		errs = append(errs, fmt.Errorf("fixed advantage %g: expected %d to %d Elo", *a, -maxAdvantage, maxAdvantage))
	}
	seen := make(map[string]bool)
	for _, a := range o.Anchors {
		if !(math.Abs(a.Elo) <= maxAnchor) {
			errs = append(errs, fmt.Errorf("anchor %q at %g: expected %d to %d Elo", a.Name, a.Elo, -maxAnchor, maxAnchor))
		}
		if _, ok := slices.BinarySearch(players, a.Name); !ok {
			errs = append(errs, fmt.Errorf("anchor %q: no such player in the games", a.Name))
		}
		if seen[a.Name] {
			errs = append(errs, fmt.Errorf("anchor %q: given twice", a.Name))
		}
		seen[a.Name] = true
	}
	return errors.Join(errs...)
}

// Fit rates the players of d. Players that no finite rating exists for are
// listed in Unrated and are no error, nor is it one if nobody can be rated. An
// error is an option that can't be followed (an unknown anchor, a number out of
// range), more than 4000 players to be rated, or a likelihood that could not be
// maximized; then there are no ratings. The same games give the same bits in
// whatever order they were added.
func Fit(d *Data, o Options) (*Ratings, error) {
	m := d.meetings()
	if err := o.validate(m.names); err != nil {
		return nil, fmt.Errorf("rate: %w", err)
	}
	f := &fit{options: o, meetings: m, parts: m.partition(), records: m.records()}
	f.inside = f.parts.inside(m.pairs)
	r := &Ratings{Games: d.Games(), SelfGames: d.SelfGames(), meetings: m}
	f.describe(r)
	if err := f.rate(r); err != nil {
		return nil, fmt.Errorf("rate: %w", err)
	}
	r.Notes = f.notes(r)
	return r, nil
}

// fit is the work in hand: what Fit knows of the games beside its answer.
type fit struct {
	options  Options
	meetings *meetings
	parts    *partition
	records  []Count   // by player
	inside   []meeting // pairings inside groups
	remarks  []string
}

// rate fills in the ratings and the advantage.
func (f *fit) rate(r *Ratings) error {
	rated := slices.Concat(f.parts.groups...)
	if len(rated) > maxRated {
		return fmt.Errorf("%d players to be rated together with their covariance: expected at most %d", len(rated), maxRated)
	}
	advantage, fitted := f.advantage()
	r.Advantage = Advantage{Elo: advantage, Fitted: fitted}
	if len(rated) == 0 {
		return nil
	}
	groups, pairs := f.renumber(rated)
	m := newModel(len(rated), groups, pairs)
	m.fitted, m.advantage = fitted, advantage/eloPerNat
	x, cov, err := m.solve()
	if err != nil {
		return err
	}
	for i := range x {
		x[i] *= eloPerNat
	}
	cov.ScaleSym(eloPerNat*eloPerNat, cov)
	if fitted {
		r.Advantage.Elo = x[m.players]
	}
	f.anchor(r, rated, x, cov)
	f.list(r, rated, x, cov)
	return r.check()
}

// renumber gives the groups and the pairings inside them with players numbered
// by their place in rated.
func (f *fit) renumber(rated []int) ([][]int, []meeting) {
	place := make([]int, len(f.meetings.names))
	for k, i := range rated {
		place[i] = k
	}
	groups := make([][]int, len(f.parts.groups))
	for g, members := range f.parts.groups {
		for _, i := range members {
			groups[g] = append(groups[g], place[i])
		}
	}
	pairs := slices.Clone(f.inside)
	for i, p := range pairs {
		pairs[i].cell = cell{place[p.south], place[p.north]}
	}
	return groups, pairs
}

// advantage says what the advantage is, in Elo, and whether it is to be fitted.
func (f *fit) advantage() (elo float64, fitted bool) {
	if f.options.Advantage != nil {
		return *f.options.Advantage, false
	}
	if len(f.inside) == 0 {
		return 0, false
	}
	switch open := advantageLimits(len(f.meetings.names), f.inside); {
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

// anchor moves each group with an anchor so that it has its given rating, and
// the covariance with it: of x[i]-x[anchor] instead of x[i].
func (f *fit) anchor(r *Ratings, rated []int, x []float64, cov *mat.SymDense) {
	from := make([]int, len(x)) // by parameter: its anchor's number, or -1
	for k := range from {
		from[k] = -1
	}
	for _, a := range f.options.Anchors {
		k := slices.IndexFunc(rated, func(i int) bool { return f.meetings.names[i] == a.Name })
		if k < 0 {
			f.remark("%q has no rating, so it can't be an anchor", a.Name)
			continue
		}
		g := f.parts.group[rated[k]]
		if first := r.Groups[g].Anchor; first != nil {
			f.remark("%q is in one group with the anchor %q, so it isn't a second one", a.Name, first.Name)
			continue
		}
		r.Groups[g].Anchor = &a
		shift := a.Elo - x[k]
		for j, i := range rated {
			if f.parts.group[i] == g {
				from[j] = k
				x[j] += shift
			}
		}
		x[k] = a.Elo
	}
	reference(cov, from)
}

// reference turns the covariance of x into that of x[i]-x[from[i]], or of x[i]
// where from[i] is negative.
func reference(cov *mat.SymDense, from []int) {
	at := mat.NewSymDense(len(from), nil)
	at.CopySym(cov)
	get := func(i, j int) float64 {
		if i < 0 || j < 0 {
			return 0
		}
		return at.At(i, j)
	}
	for i, a := range from {
		for j := i; j < len(from); j++ {
			b := from[j]
			cov.SetSym(i, j, get(i, j)-get(a, j)-get(i, b)+get(a, b))
		}
	}
}

// list fills in the rated players in the order of the table.
func (f *fit) list(r *Ratings, rated []int, x []float64, cov *mat.SymDense) {
	order := make([]int, len(rated))
	for k, i := range rated {
		order[k] = k
		r.Players = append(r.Players, Player{
			Name:  f.meetings.names[i],
			Elo:   x[k],
			Error: z95 * math.Sqrt(math.Max(0, cov.At(k, k))),
			Group: f.parts.group[i],
			Count: f.records[i],
		})
	}
	slices.SortFunc(order, func(a, b int) int {
		p, q := r.Players[a], r.Players[b]
		// Rounded, so that players with the same results stay in the order of
		// their names.
		return cmp.Or(p.Group-q.Group, cmp.Compare(math.Round(q.Elo*1e6), math.Round(p.Elo*1e6)), cmp.Compare(p.Name, q.Name))
	})
	players := make([]Player, len(rated))
	r.index = make(map[string]int, len(rated))
	for k, o := range order {
		players[k] = r.Players[o]
		r.index[players[k].Name] = k
	}
	r.Players = players
	if r.Advantage.Fitted {
		order = append(order, len(rated))
		r.Advantage.Error = z95 * math.Sqrt(cov.At(len(rated), len(rated)))
	}
	r.cov = mat.NewSymDense(len(order), nil)
	for i, a := range order {
		for j := i; j < len(order); j++ {
			r.cov.SetSym(i, j, cov.At(a, order[j]))
		}
	}
}

// check makes sure that no number is infinite or NaN.
func (r *Ratings) check() error {
	finite := func(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
	for _, p := range r.Players {
		if !finite(p.Elo) || !finite(p.Error) {
			return fmt.Errorf("%w: the rating of %q came out as %g ± %g", errStopped, p.Name, p.Elo, p.Error)
		}
	}
	if a := r.Advantage; !finite(a.Elo) || !finite(a.Error) {
		return fmt.Errorf("%w: the advantage came out as %g ± %g", errStopped, a.Elo, a.Error)
	}
	return nil
}
