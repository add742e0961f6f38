package ratings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gyges/rules/base/textfmt"
)

// This file makes [Ratings] of an estimate: the players in their order, with reasons and notes.

// maxNamed is how many players a sentence names before it counts the rest.
const maxNamed = 3

// newReport returns the ratings of a problem by its estimate, which is nil if no player can be
// rated.
func newReport(p *problem, e *estimate) (*Ratings, error) {
	r := &Ratings{
		Advantage: p.advantage,
		Prior:     p.prior,
		Games:     p.data.Games(),
		Pairs:     p.data.Pairs(),
		SelfGames: p.data.SelfGames(),
		Identical: p.data.Identical,
		data:      p.data,
		place:     slices.Repeat([]int{-1}, len(p.data.names)),
		estimate:  e,
	}
	if p.advantage.Fitted && e != nil {
		r.Advantage.Elo = e.x[e.advantage] * eloPerNat
		r.Advantage.Error = e.margin(e.advantage)
	}
	won, lost := p.oneSided()
	for i, count := range p.data.counts() {
		player := Player{Name: p.data.names[i], Faults: p.data.faults[i], Count: count}
		if p.group[i] < 0 {
			player.Cause, player.Reason = reason(won[i].String(), lost[i].String())
			r.Unrated = append(r.Unrated, player)
			continue
		}
		player.Group = p.group[i]
		rating := parameter(e.x, e.rating[i]) + p.elo[i]
		player.Elo = rating*eloPerNat + p.origin
		player.Error = e.margin(e.rating[i])
		r.Players = append(r.Players, player)
	}
	slices.SortStableFunc(r.Players, func(a, b Player) int {
		if a.Group != b.Group {
			return a.Group - b.Group
		}
		// Rounded, so that players with the same results stay in the order of their names.
		return cmp.Compare(math.Round(b.Elo*1e6), math.Round(a.Elo*1e6))
	})
	slices.SortStableFunc(r.Unrated, func(a, b Player) int {
		return cmp.Compare(b.Score(), a.Score())
	})
	for place, player := range r.Players {
		i, _ := p.data.number(player.Name)
		r.place[i] = place
	}
	r.Groups, r.Used = p.describeGroups(r.Names())
	for _, a := range p.options.Anchors {
		player, _ := r.find(a.Name)
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
		name := textfmt.List(names[:n], maxNamed)
		groups = append(groups, Group{Name: name, Players: n, Apart: p.apart(g)})
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
		a, b := p.group[k.a], p.group[k.b]
		if min(a, b) != 0 || max(a, b) != g {
			continue
		}
		aWon := k.total().Wins > 0
		if aWon == (a == g) {
			return "won every game against group 1"
		}
		return "lost every game against group 1"
	}
	return "met group 1 only through others, in results that all went one way"
}

// tally is games of a player without a group that it won, or that it lost.
type tally struct {
	games     int
	opponents []string
}

// oneSided adds up the games that each player of no group won and lost. Its games against any one
// opponent all went the same way: had both scored, they would be in one group.
func (p *problem) oneSided() (won, lost []tally) {
	won = make([]tally, len(p.group))
	lost = make([]tally, len(p.group))
	for _, k := range p.data.met {
		winner, loser := k.a, k.b
		if k.total().Wins == 0 {
			winner, loser = loser, winner
		}
		if p.group[winner] < 0 {
			won[winner].add(k.games(), p.data.names[loser])
		}
		if p.group[loser] < 0 {
			lost[loser].add(k.games(), p.data.names[winner])
		}
	}
	return won, lost
}

func (t *tally) add(games int, opponent string) {
	t.games += games
	t.opponents = append(t.opponents, opponent)
}

// String counts the games and names the opponents: "all 12 games against a, b"; "" if there are
// none.
func (t tally) String() string {
	switch t.games {
	case 0:
		return ""
	case 1:
		return "the only game against " + t.opponents[0]
	}
	return fmt.Sprintf("all %d games against %s", t.games, textfmt.List(t.opponents, maxNamed))
}

// reason returns why a player is in no group, by the games that it won and lost.
func reason(won, lost string) (Cause, string) {
	switch {
	case won == "" && lost == "":
		return NoGames, "played only against itself"
	case lost == "":
		return WonAll, "won " + won
	case won == "":
		return LostAll, "lost " + lost
	}
	return OneSided, "won " + won + "; lost " + lost
}

// notes returns sentences on what was left out or assumed.
func (p *problem) notes(r *Ratings) (notes []string) {
	if len(r.Players) == 0 {
		notes = append(notes, "no player can be rated")
	} else if left := r.Games - r.Used; left > 0 {
		games := textfmt.Plural(r.Games, "game")
		notes = append(notes, fmt.Sprintf("left out of the fit: %d of %s, as one side won every "+
			"game between those players or groups", left, games))
	}
	if p.prior != (Prior{}) {
		notes = append(notes, p.prior.note())
		if slices.ContainsFunc(p.component, func(c int) bool { return c != p.component[0] }) {
			notes = append(notes, "some players never met, directly or through others; the prior "+
				"alone compares them")
		}
	}
	if r.estimate != nil {
		notes = append(notes, p.estimateNotes(r.estimate)...)
	}
	if note := p.shapeNote(); note != "" {
		notes = append(notes, note)
	}
	if len(r.Groups) > 1 {
		notes = append(notes, "ratings of different groups can't be compared")
	}
	if p.remark != "" {
		notes = append(notes, p.remark)
	}
	return append(notes, r.GameNotes()...)
}

// GameNotes returns those of the notes that speak of the games alone, and so hold where no ratings
// are shown.
func (r *Ratings) GameNotes() (notes []string) {
	if r.SelfGames > 0 {
		games := textfmt.Plural(r.SelfGames, "game")
		notes = append(notes, "left out: "+games+" of a player against itself")
	}
	return append(notes, r.Identical.Notes(r.Pairs)...)
}

// estimateNotes returns sentences on ratings that aren't what one expects.
func (p *problem) estimateNotes(e *estimate) (notes []string) {
	var few, open []string
	for i, name := range p.data.names {
		if e.barelyLinked(i) {
			few = append(few, name)
		}
		if e.sd(e.rating[i], -1) >= e.widest {
			open = append(open, name)
		}
	}
	if len(few) > 0 {
		notes = append(notes, "few games link these to the others, so they count little in the "+
			"mean that is 0: "+textfmt.List(few, maxNamed))
	}
	if s, isSample := e.covariance.(*sampled); isSample {
		notes = append(notes, s.note())
	}
	if len(open) > 0 {
		notes = append(notes, "the results contradict what is given and leave these ratings open, "+
			"whose intervals are cut: "+textfmt.List(open, maxNamed))
	}
	if wrong := p.contradicted(e); len(wrong) > 0 {
		notes = append(notes, "the games contradict these anchors, by the points beyond those "+
			"expected: "+textfmt.List(wrong, maxNamed))
	}
	return notes
}

// contradicted lists the anchors whose points differ from those expected by more than three
// standard deviations.
func (p *problem) contradicted(e *estimate) (list []string) {
	if len(p.given) < 2 { // one has the points that are expected
		return nil
	}
	surplus := make([]float64, len(p.elo))
	variance := make([]float64, len(p.elo))
	for k := range e.pairings {
		m := e.residual(k)
		s, v := m.surplus()
		surplus[m.a] += s
		surplus[m.b] -= s
		variance[m.a] += v
		variance[m.b] += v
	}
	for _, i := range p.given {
		if surplus[i]*surplus[i] > 9*variance[i] {
			list = append(list, fmt.Sprintf("%s %+.1f", p.data.names[i], surplus[i]))
		}
	}
	return list
}

// shapeNote returns a sentence on a prior that may not suit who met whom, by the number of
// opponents.
func (p *problem) shapeNote() string {
	players, pairings := len(p.data.names), len(p.data.met)
	if pairings == 0 {
		return ""
	}
	opponents := make([]int, players)
	for _, k := range p.data.met {
		opponents[k.a]++
		opponents[k.b]++
	}
	least, most := slices.Min(opponents), slices.Max(opponents)
	isChain := pairings == players-1 && most == 2
	if isChain && players > 3 {
		if p.options.FitPrior && !p.data.Adaptive {
			return "each player met only its neighbours: in a ladder, a fitted prior pulls the " +
				"ratings together and the intervals are too narrow; leave it out"
		}
		return ""
	}
	everyPair := players * (players - 1) / 2
	isPart := pairings >= players && pairings < everyPair
	asSwiss := isPart && most-least <= 1
	byDefault := p.options.Prior == nil && !p.prior.estimated()
	if asSwiss && byDefault && p.data.Unscheduled {
		return "each player met only some of the others: if the standings decided whom, as in a " +
			"Swiss tournament, the intervals are too narrow without a fitted prior"
	}
	return ""
}
