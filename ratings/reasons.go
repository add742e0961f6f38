package ratings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxNamed is how many opponents a reason names before it counts the rest.
const maxNamed = 3

func (f *fit) remark(format string, args ...any) {
	f.remarks = append(f.remarks, fmt.Sprintf(format, args...))
}

// describe fills in the groups and the unrated players with their reasons.
func (f *fit) describe(r *Ratings) {
	for g, members := range f.parts.groups {
		r.Groups = append(r.Groups, Group{Players: len(members), Apart: f.apart(g)})
	}
	for _, p := range f.inside {
		r.Groups[f.parts.group[p.south]].Games += p.Games()
		r.Used += p.Games()
	}
	opponents := f.opponents()
	for _, i := range f.parts.alone {
		u := Unrated{Name: f.meetings.names[i], Count: f.records[i]}
		u.Cause, u.Reason = f.reason(opponents[i])
		r.Unrated = append(r.Unrated, u)
	}
	slices.SortFunc(r.Unrated, func(a, b Unrated) int {
		return cmp.Or(cmp.Compare(b.Score(), a.Score()), cmp.Compare(a.Name, b.Name))
	})
}

// apart says why group g isn't rated together with the first.
func (f *fit) apart(g int) string {
	if g == 0 {
		return ""
	}
	if f.parts.island[f.parts.groups[g][0]] != f.parts.island[f.parts.groups[0][0]] {
		return "never met group 1, directly or through others"
	}
	for _, p := range f.meetings.pairs {
		s, n := f.parts.group[p.south], f.parts.group[p.north]
		switch {
		case s == g && n == 0 && p.Wins > 0, s == 0 && n == g && p.Losses > 0:
			return "won every game against group 1"
		case s == g && n == 0, s == 0 && n == g:
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
	for k, c := range f.meetings.totals() {
		if f.parts.group[k.south] < 0 {
			list[k.south] = append(list[k.south], opponent{k.north, c})
		}
	}
	for _, l := range list {
		slices.SortFunc(l, func(a, b opponent) int { return a.player - b.player })
	}
	return list
}

// reason says why a player of no group is in none. Such a player's games
// against any one opponent all went the same way: had both scored, they would be
// in one group.
func (f *fit) reason(met []opponent) (Cause, string) {
	var won, lost []opponent
	for _, o := range met {
		if o.Wins > 0 {
			won = append(won, o)
		} else {
			lost = append(lost, o)
		}
	}
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
	var named []string
	for k, o := range list {
		games += o.Games()
		if k < maxNamed {
			named = append(named, visible(f.meetings.names[o.player]))
		}
	}
	text := strings.Join(named, ", ")
	if more := len(list) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if games == 1 {
		return "the only game against " + text
	}
	return fmt.Sprintf("all %d games against %s", games, text)
}

func countGames(n int) string {
	if n == 1 {
		return "1 game"
	}
	return fmt.Sprintf("%d games", n)
}

// notes gathers what the reader of the table has to know.
func (f *fit) notes(r *Ratings) []string {
	var notes []string
	if len(r.Players) == 0 {
		notes = append(notes, "no player can be rated")
	}
	if left := r.Games - r.Used; left > 0 && len(r.Players) > 0 {
		notes = append(notes, fmt.Sprintf("left out of the fit: %d of %s, as one side won every game between those players or groups", left, countGames(r.Games)))
	}
	if len(r.Groups) > 1 {
		notes = append(notes, "ratings of different groups can't be compared")
	}
	notes = append(notes, f.remarks...)
	if r.SelfGames > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s of a player against itself", countGames(r.SelfGames)))
	}
	return notes
}
