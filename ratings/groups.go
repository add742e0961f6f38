package ratings

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
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
	results := steps(d.met)
	strong := components(n, slices.Concat(results, ties(tied)))
	meetings := slices.Concat(results, ties(given))
	for _, s := range meetings {
		meetings = append(meetings, step{from: s.to, to: s.from})
	}
	p := &partition{group: slices.Repeat([]int{-1}, n), component: components(n, meetings)}
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

// steps returns those of the results.
func steps(met []pairing) (list []step) {
	for _, k := range met {
		for side := range 2 {
			south, north := k.southNorth(side)
			c := k.count(side)
			if c.Wins+c.Draws > 0 {
				list = append(list, step{south, north, 1})
			}
			if c.Losses+c.Draws > 0 {
				list = append(list, step{north, south, -1})
			}
		}
	}
	return list
}

// ties returns the steps between players that are comparable whatever the results.
func ties(players []int) (list []step) {
	for _, i := range players {
		list = append(list, step{players[0], i, 0}, step{i, players[0], 0})
	}
	return list
}

// components returns the number of the strongly connected component of each of n players.
func components(n int, list []step) []int {
	g := simple.NewDirectedGraph()
	for i := range n {
		g.AddNode(simple.Node(i))
	}
	for _, s := range list {
		if s.from != s.to {
			g.SetEdge(g.NewEdge(simple.Node(s.from), simple.Node(s.to)))
		}
	}
	numbers := make([]int, n)
	for c, nodes := range topo.TarjanSCC(g) {
		for _, node := range nodes {
			numbers[node.ID()] = c
		}
	}
	return numbers
}

// inside returns the pairings whose players are of one group.
func (p *partition) inside(met []pairing) (in []pairing) {
	for _, k := range met {
		if g := p.group[k.a]; g >= 0 && g == p.group[k.b] {
			in = append(in, k)
		}
	}
	return in
}

// advantageUnbounded reports whether the likelihood of pairings inside groups of n players grows without bound as the
// advantage grows, and as it falls. The advantage has a finite estimate exactly if neither is so.
//
// A direction (advantage ±1, ratings f) is unbounded if no result contradicts it: for each win of South f[south] ± 1 ≥
// f[north], for each loss the reverse, for each draw both; and f is the same for players that are tied. If both
// directions are unbounded, the advantage is a shift of the ratings: who had South was determined by who met whom.
func advantageUnbounded(n int, inside []pairing, tied []int) (up, down bool) {
	list := slices.Concat(steps(inside), ties(tied))
	return satisfiable(n, list, 1), satisfiable(n, list, -1)
}

// satisfiable reports whether integers f meet f[to] ≤ f[from] + side·sign for all steps, by the method of Bellman and
// Ford from f = 0. They don't exactly if there is a cycle of constraints with a negative sum, which some f then follows
// below the least sum that a path without a cycle can have.
func satisfiable(n int, list []step, sign int) bool {
	f := make([]int, n)
	for changed := true; changed; {
		changed = false
		for _, s := range list {
			if bound := f[s.from] + s.side*sign; bound < f[s.to] {
				if bound <= -n {
					return false
				}
				f[s.to], changed = bound, true
			}
		}
	}
	return true
}
