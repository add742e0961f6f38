package ratings

import (
	"cmp"
	"iter"
	"slices"
)

// partition divides the players into groups that are rated together. Players are numbers.
type partition struct {
	groups    [][]int // by group, its players, ascending; the largest group first
	group     []int   // by player: index into groups, or -1
	component []int   // by player: those who met, directly or through others, have the same
	anchored  []bool  // by group: anchors set its scale
}

// newPartition finds the strongly connected components of the graph in which each player points at those it scored
// against. Tied players, among them those whose rating is given, point at each other. A player whose component has no
// other is in no group, unless its rating is given.
func newPartition(d *Data, given, tied []int) *partition {
	n := len(d.names)
	strong := components(n, steps(d.met, tied), false)
	p := &partition{group: slices.Repeat([]int{-1}, n), component: components(n, steps(d.met, given), true)}
	players := make([][]int, n) // by component
	for i, c := range strong {
		players[c] = append(players[c], i)
	}
	anchored := func(player int) bool { return len(given) > 0 && strong[player] == strong[given[0]] }
	for _, list := range players {
		if len(list) > 1 || len(list) == 1 && anchored(list[0]) {
			p.groups = append(p.groups, list)
		}
	}
	slices.SortFunc(p.groups, func(a, b []int) int { return cmp.Or(len(b)-len(a), a[0]-b[0]) })
	for g, list := range p.groups {
		p.anchored = append(p.anchored, anchored(list[0]))
		for _, i := range list {
			p.group[i] = g
		}
	}
	return p
}

// step is from a player to one that it scored against, with South (1) or with North (-1), or that it is tied to (0).
type step struct{ from, to, side int }

// steps yields those of the results, and those between players who are tied: comparable whatever the results.
func steps(met []pairing, tied []int) iter.Seq[step] {
	return func(yield func(step) bool) {
		for i := range met {
			k := &met[i]
			for side := range 2 {
				south, north := k.southNorth(side)
				c := k.count(side)
				if c.Wins+c.Draws > 0 && !yield(step{south, north, 1}) || c.Losses+c.Draws > 0 && !yield(step{north, south, -1}) {
					return
				}
			}
		}
		for _, i := range tied {
			if !yield(step{tied[0], i, 0}) || !yield(step{i, tied[0], 0}) {
				return
			}
		}
	}
}

// components returns the number of the strongly connected component of each of n players (Tarjan 1972); of the
// connected one if steps lead both ways.
func components(n int, list iter.Seq[step], both bool) []int {
	first, total := make([]int, n+1), 0 // by player: its part of to
	each := func(f func(from, to int)) {
		for s := range list {
			f(s.from, s.to)
			if both {
				f(s.to, s.from)
			}
		}
	}
	each(func(from, _ int) { first[from]++ })
	for i, count := range first {
		total += count
		first[i] = total
	}
	to := make([]int32, total)
	each(func(from, end int) {
		first[from]--
		to[first[from]] = int32(end)
	})
	numbers, order, low, next := slices.Repeat([]int{-1}, n), make([]int, n), make([]int, n), slices.Clone(first)
	var path, open []int // players on the way from a root, and those of no component yet
	for root, seen, component := 0, 0, 0; root < n; root++ {
		if order[root] == 0 {
			path = append(path, root)
		}
		for len(path) > 0 {
			i := path[len(path)-1]
			if order[i] == 0 {
				seen++
				order[i], low[i], open = seen, seen, append(open, i)
			}
			if next[i] < first[i+1] {
				j := int(to[next[i]])
				if next[i]++; order[j] == 0 {
					path = append(path, j)
				} else if numbers[j] < 0 {
					low[i] = min(low[i], order[j])
				}
				continue
			}
			if path = path[:len(path)-1]; len(path) > 0 {
				low[path[len(path)-1]] = min(low[path[len(path)-1]], low[i])
			}
			if low[i] == order[i] {
				k := slices.Index(open, i)
				for _, j := range open[k:] {
					numbers[j] = component
				}
				open, component = open[:k], component+1
			}
		}
	}
	return numbers
}

// inside returns the pairings whose players are of one group.
func (p *partition) inside(met []pairing) []pairing {
	out := func(k pairing) bool { return p.group[k.a] < 0 || p.group[k.a] != p.group[k.b] }
	if !slices.ContainsFunc(met, out) {
		return met
	}
	return slices.DeleteFunc(slices.Clone(met), out)
}

// advantageUnbounded reports whether the likelihood of pairings inside groups of n players grows without bound as the
// advantage grows, and as it falls. The advantage has a finite estimate exactly if neither is so.
//
// A direction (advantage ±1, ratings f) is unbounded if no result contradicts it: for each win of South f[south] ± 1 ≥
// f[north], for each loss the reverse, for each draw both; and f is the same for players that are tied. If both
// directions are unbounded, the advantage is a shift of the ratings: who had South was determined by who met whom.
func advantageUnbounded(n int, inside []pairing, tied []int) (up, down bool) {
	list := steps(inside, tied)
	return satisfiable(n, list, 1), satisfiable(n, list, -1)
}

// satisfiable reports whether integers f meet f[to] ≤ f[from] + side·sign for all steps, by the method of Bellman and
// Ford from f = 0. They don't exactly if there is a cycle of constraints with a negative sum; then the steps that the
// bounds come from have a cycle, sooner or later.
func satisfiable(n int, list iter.Seq[step], sign int) bool {
	f, cause := make([]int, n), slices.Repeat([]int{-1}, n)
	for changed := true; changed; {
		changed = false
		for s := range list {
			if bound := f[s.from] + s.side*sign; bound < f[s.to] {
				f[s.to], cause[s.to], changed = bound, s.from, true
			}
		}
		if cyclic(cause) {
			return false
		}
	}
	return true
}

// cyclic reports whether a way from one number to the next, up to -1, has no end.
func cyclic(next []int) bool {
	seen := make([]int, len(next)) // from where it was reached first, from 1
	for start := range next {
		i := start
		for ; i >= 0 && seen[i] == 0; i = next[i] {
			seen[i] = start + 1
		}
		if i >= 0 && seen[i] == start+1 {
			return true
		}
	}
	return false
}
