package ratings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gyges/rules/base/interval"
	"gyges/rules/base/textfmt"
)

// maxNamed is how many opponents a reason names before it counts the rest.
const maxNamed = 3

// newReport returns the ratings of a problem by its estimate, which is nil if no player can be rated.
func newReport(p *problem, e *estimate) (*Ratings, error) {
	r := &Ratings{
		Advantage: p.advantage, Prior: p.prior, Games: p.data.Games(), Pairs: p.data.Pairs(), SelfGames: p.data.SelfGames(),
		Identical: p.data.Identical, data: p.data, place: slices.Repeat([]int{-1}, len(p.data.names)), estimate: e,
	}
	if p.advantage.Fitted && e != nil {
		r.Advantage.Elo, r.Advantage.Error = e.x[e.advantage]*eloPerNat, interval.Z95*eloPerNat*e.sd(e.advantage, -1)
	}
	opponents := p.opponents()
	for i, c := range p.data.counts() {
		player := Player{Name: p.data.names[i], Group: p.group[i], Faults: p.data.faults[i], Count: c}
		if player.Group < 0 {
			player.Group = 0
			player.Cause, player.Reason = p.reason(opponents[i])
			r.Unrated = append(r.Unrated, player)
			continue
		}
		player.Elo = (parameter(e.x, e.rating[i])+p.elo[i])*eloPerNat + p.origin
		player.Error = interval.Z95 * eloPerNat * e.sd(e.rating[i], -1)
		r.Players = append(r.Players, player)
	}
	slices.SortStableFunc(r.Players, func(a, b Player) int {
		// Rounded, so that players with the same results stay in the order of their names.
		return cmp.Or(a.Group-b.Group, cmp.Compare(math.Round(b.Elo*1e6), math.Round(a.Elo*1e6)))
	})
	slices.SortStableFunc(r.Unrated, func(a, b Player) int { return cmp.Compare(b.Score(), a.Score()) })
	for place, player := range r.Players {
		i, _ := p.data.number(player.Name)
		r.place[i] = place
	}
	r.Groups, r.Used = p.describeGroups(r.Names())
	for _, a := range p.options.Anchors {
		i, _ := p.data.number(a.Name)
		player := &r.Players[r.place[i]]
		player.Elo = a.Elo // conversion there and back would cost a digit
		g := &r.Groups[player.Group]
		g.Anchors = append(g.Anchors, a)
	}
	r.Notes = p.notes(r)
	return r, r.check()
}

// describeGroups returns the groups, and the games inside them; names are those of the table.
func (p *problem) describeGroups(names []string) (groups []Group, games int) {
	for g, members := range p.groups {
		n := len(members)
		groups = append(groups, Group{Name: textfmt.List(names[:n], maxNamed), Players: n, Apart: p.apart(g)})
		names = names[n:]
	}
	for _, k := range p.inside {
		groups[p.group[k.a]].Games += k.games()
		games += k.games()
	}
	return groups, games
}

// apart returns why group g isn't rated together with the first.
func (p *problem) apart(g int) string {
	if g == 0 {
		return ""
	}
	if p.component[p.groups[g][0]] != p.component[p.groups[0][0]] {
		return "never met group 1, directly or through others"
	}
	for _, k := range p.data.met {
		if a, b := p.group[k.a], p.group[k.b]; min(a, b) == 0 && max(a, b) == g {
			if won := k.total().Wins > 0; won == (a == g) {
				return "won every game against group 1"
			}
			return "lost every game against group 1"
		}
	}
	return "met group 1 only through others, in results that all went one way"
}

// opponent is what a player scored against another, over both sides.
type opponent struct {
	player int
	Count
}

// opponents lists, for each player of no group, whom it met, by number.
func (p *problem) opponents() map[int][]opponent {
	list := make(map[int][]opponent)
	add := func(i, other int, c Count) {
		if p.group[i] < 0 {
			list[i] = append(list[i], opponent{other, c})
		}
	}
	for _, k := range p.data.met {
		add(int(k.a), int(k.b), k.total())
		add(int(k.b), int(k.a), k.total().flip())
	}
	return list // by number, as the pairings are sorted
}

// reason returns why a player of no group is in none. Such a player's games against any one opponent all went the same
// way: had both scored, they would be in one group.
func (p *problem) reason(met []opponent) (Cause, string) {
	won, lost := p.against(met, true), p.against(met, false)
	switch {
	case len(met) == 0:
		return NoGames, "played only against itself"
	case lost == "":
		return WonAll, "won " + won
	case won == "":
		return LostAll, "lost " + lost
	}
	return OneSided, "won " + won + "; lost " + lost
}

// against counts the games won or lost, and names the opponents: "all 12 games against a, b"; "" if there are none.
func (p *problem) against(met []opponent, won bool) string {
	var games int
	var names []string
	for _, o := range met {
		if (o.Wins > 0) == won {
			games, names = games+o.Games(), append(names, p.data.names[o.player])
		}
	}
	switch games {
	case 0:
		return ""
	case 1:
		return "the only game against " + names[0]
	}
	return fmt.Sprintf("all %d games against %s", games, textfmt.List(names, maxNamed))
}

// notes returns sentences on what was left out or assumed.
func (p *problem) notes(r *Ratings) []string {
	var notes []string
	add := func(when bool, note string) {
		if when {
			notes = append(notes, note)
		}
	}
	add(len(r.Players) == 0, "no player can be rated")
	if left := r.Games - r.Used; left > 0 && len(r.Players) > 0 {
		notes = append(notes, fmt.Sprintf(
			"left out of the fit: %d of %s, as one side won every game between those players or groups",
			left, textfmt.Plural(r.Games, "game")))
	}
	if p.prior != (Prior{}) {
		notes = append(notes, p.prior.note())
		if slices.ContainsFunc(p.component, func(k int) bool { return k != p.component[0] }) {
			notes = append(notes, "some players never met, directly or through others; the prior alone compares them")
		}
	}
	few := slices.DeleteFunc(slices.Clone(p.data.names), func(name string) bool {
		i, _ := p.data.number(name)
		return r.estimate == nil || !r.estimate.barelyLinked(i)
	})
	add(len(few) > 0, "few games link these to the others, so they count little in the mean that is 0: "+
		textfmt.List(few, maxNamed))
	if e := r.estimate; e != nil && e.dim > maxDense {
		notes = append(notes, e.covariance.(*sampled).note())
	}
	open := slices.DeleteFunc(slices.Clone(p.data.names), func(name string) bool {
		i, _ := p.data.number(name)
		return r.estimate == nil || r.estimate.sd(r.estimate.rating[i], -1) < r.estimate.widest
	})
	add(len(open) > 0, "the results contradict what is given and leave these ratings open, whose intervals are cut: "+
		textfmt.List(open, maxNamed))
	wrong := p.contradicted(r.estimate)
	add(len(wrong) > 0, "the games contradict these anchors, by the points beyond those expected: "+
		textfmt.List(wrong, maxNamed))
	notes = append(notes, p.shapeNotes()...)
	add(len(r.Groups) > 1, "ratings of different groups can't be compared")
	add(p.remark != "", p.remark)
	return append(notes, r.GameNotes()...)
}

// GameNotes returns those of the notes that speak of the games alone, and so hold where no ratings are shown.
func (r *Ratings) GameNotes() []string {
	var notes []string
	if r.SelfGames > 0 {
		games := textfmt.Plural(r.SelfGames, "game")
		notes = append(notes, "left out: "+games+" of a player against itself")
	}
	return append(notes, r.Identical.Notes(r.Pairs)...)
}

// contradicted lists the anchors whose points differ from those expected by more than three standard deviations.
func (p *problem) contradicted(e *estimate) (list []string) {
	if e == nil || len(p.given) < 2 { // one has the points that are expected
		return nil
	}
	surplus, variance := make([]float64, len(p.elo)), make([]float64, len(p.elo))
	for k := range e.pairings {
		m := e.residual(k)
		s, v := m.surplus(), m.pointsVariance(e.correlation)
		surplus[m.a], surplus[m.b] = surplus[m.a]+s, surplus[m.b]-s
		variance[m.a], variance[m.b] = variance[m.a]+v, variance[m.b]+v
	}
	for _, i := range p.given {
		if surplus[i]*surplus[i] > 9*variance[i] {
			list = append(list, fmt.Sprintf("%s %+.1f", p.data.names[i], surplus[i]))
		}
	}
	return list
}

// shapeNotes returns sentences on a prior that may not suit who met whom: of players who each
// have about as many opponents, but not all, as in a Swiss tournament, and of a chain.
func (p *problem) shapeNotes() []string {
	if len(p.data.met) == 0 {
		return nil
	}
	players, pairings := len(p.data.names), len(p.data.met)
	opponents := make([]int, players)
	for _, k := range p.data.met {
		opponents[k.a]++
		opponents[k.b]++
	}
	least, most := slices.Min(opponents), slices.Max(opponents)
	switch incomplete := most-least <= 1 && pairings >= players && pairings < players*(players-1)/2; {
	case incomplete && p.data.Unscheduled && p.options.Prior == nil && !p.prior.estimated():
		return []string{"each player met only some of the others: if the standings decided whom, as in a Swiss " +
			"tournament, the intervals are too narrow without a fitted prior"}
	case players > 3 && pairings == players-1 && most == 2 && p.options.FitPrior && !p.data.Adaptive: // a chain
		return []string{"each player met only its neighbours: in a ladder, a fitted prior pulls the ratings together " +
			"and the intervals are too narrow; leave it out"}
	}
	return nil
}
