package ratings

import (
	"cmp"
	"slices"
)

// partition divides the players into groups that are rated together. Players are numbers.
type partition struct {
	groups    [][]int // by group, its players, ascending; the largest group first
	group     []int   // by player: index into groups, or -1
	component []int   // by player: players who met, directly or through others, have the same one
}

// newPartition makes groups of the strongly connected components of the graph in which each player
// points at the players it scored against, and those with given ratings at each other. A component
// of one player is no group, unless the player's rating is given. If together is set, one group has
// all.
func newPartition(d *Data, given []int, together bool) *partition {
	n := len(d.names)
	list := steps(d.met, given)
	p := &partition{group: slices.Repeat([]int{-1}, n), component: components(n, list, true)}
	strong := make([]int, n)
	if !together {
		strong = components(n, list, false)
	}
	players := make([][]int, n) // by strong component
	for i, c := range strong {
		players[c] = append(players[c], i)
	}
	anchored := -1
	if len(given) > 0 {
		anchored = strong[given[0]]
	}
	for c, members := range players {
		if len(members) > 1 || c == anchored {
			p.groups = append(p.groups, members)
		}
	}
	slices.SortFunc(p.groups, func(a, b []int) int { return cmp.Or(len(b)-len(a), a[0]-b[0]) })
	for g, members := range p.groups {
		for _, i := range members {
			p.group[i] = g
		}
	}
	return p
}

// step is from a player to one that it scored against, with South (1) or with North (-1), or that
// it is tied to (0).
type step struct{ from, to, side int32 }

// steps lists the steps of the results, and those both ways between the first of the tied players
// and the others: they are comparable whatever the results.
func steps(met []pairing, tied []int) (list []step) {
	for i := range met {
		for side := range 2 {
			south, north := met[i].southNorth(side)
			c := met[i].count(side)
			if c.Wins+c.Draws > 0 {
				list = append(list, step{south, north, 1})
			}
			if c.Losses+c.Draws > 0 {
				list = append(list, step{north, south, -1})
			}
		}
	}
	for _, player := range tied {
		i, first := int32(player), int32(tied[0])
		list = append(list, step{first, i, 0}, step{i, first, 0})
	}
	return list
}

// components returns the number of the strongly connected component of each of n players; of the
// connected component if steps lead both ways. It isn't gonum's topo.TarjanSCC, which takes sixty
// times as long: over a second for 10,000 players and half a million pairings.
func components(n int, list []step, bothWays bool) []int {
	s := componentSearch{
		to:        make([][]int32, n),
		order:     make([]int, n),
		earliest:  make([]int, n),
		component: slices.Repeat([]int{-1}, n),
	}
	for _, step := range list {
		s.to[step.from] = append(s.to[step.from], step.to)
		if bothWays {
			s.to[step.to] = append(s.to[step.to], step.from)
		}
	}
	for i := range n {
		if s.order[i] == 0 {
			s.visit(i)
		}
	}
	return s.component
}

// componentSearch is the depth-first search of Tarjan (Depth-first search and linear graph
// algorithms, 1972). Slices are by player.
type componentSearch struct {
	to        [][]int32 // whom steps lead to
	order     []int     // in which players are visited, from 1; 0: not yet
	earliest  []int     // the least order of an open player that was found to be reachable
	component []int     // -1 while it isn't known
	open      []int     // the players visited whose component isn't known, in their order
	visited   int
	found     int // components
}

// visit visits a player and all that can be reached from it and weren't visited before.
func (s *componentSearch) visit(player int) {
	s.visited++
	s.order[player] = s.visited
	s.earliest[player] = s.visited
	s.open = append(s.open, player)
	for _, next := range s.to[player] {
		if s.order[next] == 0 {
			s.visit(int(next))
			s.earliest[player] = min(s.earliest[player], s.earliest[next])
		} else if s.component[next] < 0 {
			s.earliest[player] = min(s.earliest[player], s.order[next])
		}
	}
	if s.earliest[player] < s.order[player] {
		return
	}
	// The player reaches none before it: its component is those that came after it and are open.
	for s.component[player] < 0 {
		last := len(s.open) - 1
		s.component[s.open[last]] = s.found
		s.open = s.open[:last]
	}
	s.found++
}

// inside returns the pairings whose players are of one group.
func (p *partition) inside(met []pairing) []pairing {
	outside := func(k pairing) bool {
		a, b := p.group[k.a], p.group[k.b]
		return a != b || a < 0
	}
	if !slices.ContainsFunc(met, outside) {
		return met
	}
	return slices.DeleteFunc(slices.Clone(met), outside)
}

// advantageUnbounded reports whether the likelihood of pairings inside groups of n players grows
// without bound as the advantage grows, and as it falls. The advantage has a finite estimate
// exactly if neither is so.
//
// A direction (advantage ±1, ratings f) is unbounded if no result contradicts it: for each win
// of South f[south] ± 1 ≥ f[north], for each loss the reverse, for each draw both; and f is the
// same for players that are tied. If both directions are unbounded, the advantage is a shift of
// the ratings: who had South was determined by who met whom.
func advantageUnbounded(n int, inside []pairing, tied []int) (up, down bool) {
	list := steps(inside, tied)
	return satisfiable(n, list, 1), satisfiable(n, list, -1)
}

// satisfiable reports whether integers f meet f[to] ≤ f[from] + side·sign for all steps, by the
// method of Bellman and Ford from f = 0. They don't exactly if there is a cycle of constraints with
// a negative sum; then the steps that the bounds come from have a cycle, sooner or later.
func satisfiable(n int, list []step, sign int32) bool {
	f := make([]int32, n)
	cause := slices.Repeat([]int32{-1}, n) // by player: the other end of the step that f comes from
	for changed := true; changed; {
		changed = false
		for _, s := range list {
			bound := f[s.from] + s.side*sign
			if bound < f[s.to] {
				f[s.to] = bound
				cause[s.to] = s.from
				changed = true
			}
		}
		if cyclic(cause) {
			return false
		}
	}
	return true
}

// cyclic reports whether a way from one number to the next, up to -1, has no end.
func cyclic(next []int32) bool {
	reached := make([]int, len(next)) // the start of the way that reached it first, from 1; 0: none
	for start := range next {
		i := int32(start)
		for i >= 0 && reached[i] == 0 {
			reached[i] = start + 1
			i = next[i]
		}
		if i >= 0 && reached[i] == start+1 {
			return true
		}
	}
	return false
}
