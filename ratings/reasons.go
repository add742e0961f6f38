package ratings

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/rules/base/textfmt"
)

// maxNamed is how many opponents a reason names before it counts the rest.
const maxNamed = 3

// describe fills in the groups and the unrated players with their reasons.
func (f *fit) describe(r *Ratings) {
	for g, members := range f.partition.groups {
		r.Groups = append(r.Groups, Group{Players: len(members), Apart: f.apart(g)})
	}
	r.Games, r.Pairs, r.SelfGames = f.data.Games(), f.data.Pairs(), f.data.SelfGames()
	r.Identical = f.data.Identical
	for _, k := range f.inside {
		r.Groups[f.partition.group[k.a]].Games += k.games()
		r.Used += k.games()
	}
	for _, a := range f.options.Anchors {
		i, _ := slices.BinarySearch(f.data.names, a.Name)
		g := &r.Groups[f.partition.group[i]]
		g.Anchors = append(g.Anchors, a)
	}
	opponents := f.opponents()
	for i, g := range f.partition.group {
		if g >= 0 {
			continue
		}
		u := Player{Name: f.data.names[i], Faults: f.data.faults[i], Count: f.counts[i]}
		u.Cause, u.Reason = f.reason(opponents[i])
		r.Unrated = append(r.Unrated, u)
	}
	slices.SortFunc(r.Unrated, func(a, b Player) int {
		return cmp.Or(cmp.Compare(b.Score(), a.Score()), cmp.Compare(a.Name, b.Name))
	})
}

// apart returns why group g isn't rated together with the first.
func (f *fit) apart(g int) string {
	if g == 0 {
		return ""
	}
	if f.partition.component[f.partition.groups[g][0]] != f.partition.component[f.partition.groups[0][0]] {
		return "never met group 1, directly or through others"
	}
	for _, k := range f.data.met {
		c, a, b := k.total(), f.partition.group[k.a], f.partition.group[k.b]
		if b == g {
			c, a, b = c.flip(), b, a
		}
		switch {
		case a != g || b != 0:
		case c.Wins > 0:
			return "won every game against group 1"
		default:
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
func (f *fit) opponents() map[int][]opponent {
	list := make(map[int][]opponent)
	add := func(i, other int, c Count) {
		if f.partition.group[i] < 0 {
			list[i] = append(list[i], opponent{other, c})
		}
	}
	for _, k := range f.data.met {
		add(k.a, k.b, k.total())
		add(k.b, k.a, k.total().flip())
	}
	return list // by number, as the pairings are sorted
}

// nameGroups names each group after its strongest players.
func (f *fit) nameGroups(r *Ratings) {
	names := r.Names()
	for g, group := range r.Groups {
		r.Groups[g].Name = textfmt.List(names[:group.Players], maxNamed)
		names = names[group.Players:]
	}
}

// reason returns why a player of no group is in none. Such a player's games
// against any one opponent all went the same way: had both scored, they would be
// in one group.
func (f *fit) reason(met []opponent) (Cause, string) {
	lost := slices.DeleteFunc(slices.Clone(met), func(o opponent) bool { return o.Wins > 0 })
	won := slices.DeleteFunc(slices.Clone(met), func(o opponent) bool { return o.Wins == 0 })
	switch {
	case len(met) == 0:
		return NoGames, "played only against itself"
	case len(lost) == 0:
		return WonAll, "won " + f.against(won)
	case len(won) == 0:
		return LostAll, "lost " + f.against(lost)
	}
	return OneSided, "won " + f.against(won) + "; lost " + f.against(lost)
}

// against counts the games and names the opponents: "all 12 games against a, b".
func (f *fit) against(list []opponent) string {
	games := 0
	var names []string
	for _, o := range list {
		games += o.Games()
		names = append(names, f.data.names[o.player])
	}
	text := textfmt.List(names, maxNamed)
	if games == 1 {
		return "the only game against " + text
	}
	return fmt.Sprintf("all %d games against %s", games, text)
}

// notes returns sentences on what was left out or assumed.
func (f *fit) notes(r *Ratings) []string {
	var notes []string
	if len(r.Players) == 0 {
		notes = append(notes, "no player can be rated")
	}
	if left := r.Games - r.Used; left > 0 && len(r.Players) > 0 {
		notes = append(notes, fmt.Sprintf(
			"left out of the fit: %d of %s, as one side won every game between those players or groups",
			left, textfmt.Plural(r.Games, "game")))
	}
	if f.prior != (Prior{}) {
		notes = append(notes, f.prior.note())
		if slices.ContainsFunc(f.partition.component, func(k int) bool { return k != f.partition.component[0] }) {
			notes = append(notes, "some players never met, directly or through others; the prior alone compares them")
		}
	}
	notes = append(notes, f.shapeNotes()...)
	if len(r.Groups) > 1 {
		notes = append(notes, "ratings of different groups can't be compared")
	}
	if f.remark != "" {
		notes = append(notes, f.remark)
	}
	if r.SelfGames > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s of a player against itself", textfmt.Plural(r.SelfGames, "game")))
	}
	return append(notes, r.Identical.Notes(r.Pairs)...)
}

// shapeNotes returns sentences on a prior that may not suit who met whom: of players who each
// have about as many opponents, but not all, as in a Swiss tournament, and of a chain.
func (f *fit) shapeNotes() []string {
	if len(f.data.met) == 0 {
		return nil
	}
	players, pairings := len(f.data.names), len(f.data.met)
	opponents := make([]int, players)
	for _, k := range f.data.met {
		opponents[k.a]++
		opponents[k.b]++
	}
	least, most := slices.Min(opponents), slices.Max(opponents)
	chain := players > 3 && pairings == players-1 && most == 2
	switch incomplete := most-least <= 1 && pairings >= players && pairings < players*(players-1)/2; {
	case incomplete && f.data.Unscheduled && f.options.Prior == nil && !f.prior.estimated():
		return []string{"each player met only some of the others: if the standings decided whom, as in a Swiss " +
			"tournament, the intervals are too narrow; give --prior fit"}
	case chain && f.options.FitPrior && !f.data.Adaptive:
		return []string{"each player met only its neighbours: in a ladder, --prior fit pulls the ratings together and " +
			"the intervals are too narrow; leave it out"}
	}
	return nil
}
