package ratings

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// partition divides the players into groups that are rated together. Players are
// numbers.
type partition struct {
	groups    [][]int // by group, its players, ascending; the largest group first
	group     []int   // by player: index into groups, or -1
	component []int   // by player: those who met, directly or through others, have the same
	anchored  []bool  // by group: anchors set its scale
}

// newPartition finds the strongly connected components of the graph in which each
// player points at those it scored against. Players with anchors point at each other; under a
// prior everybody and the imaginary opponent, the last node, do. A player whose
// component has no other is in no group, unless its rating is given.
func (f *fit) newPartition() *partition {
	scored, games := simple.NewDirectedGraph(), simple.NewUndirectedGraph()
	n := len(f.elo)
	for i := range n + 1 {
		scored.AddNode(simple.Node(i))
		games.AddNode(simple.Node(i))
	}
	link := func(from, to int) { scored.SetEdge(scored.NewEdge(simple.Node(from), simple.Node(to))) }
	meet := func(a, b int) { games.SetEdge(games.NewEdge(simple.Node(a), simple.Node(b))) }
	for _, k := range f.data.met {
		meet(k.a, k.b)
		c := k.total()
		if c.Wins+c.Draws > 0 {
			link(k.a, k.b)
		}
		if c.Losses+c.Draws > 0 {
			link(k.b, k.a)
		}
	}
	for _, t := range f.ties() {
		link(t[0], t[1])
		link(t[1], t[0])
		if t[1] < n {
			meet(t[0], t[1])
		}
	}
	strong := components(topo.TarjanSCC(scored), n+1)
	p := &partition{group: slices.Repeat([]int{-1}, n), component: components(topo.ConnectedComponents(games), n+1)[:n]}
	players := make([][]int, n+1) // by component
	for i, c := range strong[:n] {
		players[c] = append(players[c], i)
	}
	anchored := func(player int) bool { return len(f.given) > 0 && strong[player] == strong[f.given[0]] }
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

// ties returns the players that are comparable whatever the results: those with anchors, each with the first of
// them, and under a prior each player with the imaginary opponent, whose number comes after theirs.
func (f *fit) ties() (list [][2]int) {
	for k, i := range f.given {
		if k > 0 {
			list = append(list, [2]int{f.given[0], i})
		}
	}
	if f.prior != (Prior{}) {
		for i := range f.elo {
			list = append(list, [2]int{i, len(f.elo)})
		}
	}
	return list
}

// components returns the number of each node's component, of n nodes.
func components(list [][]graph.Node, n int) []int {
	numbers := make([]int, n)
	for c, nodes := range list {
		for _, node := range nodes {
			numbers[node.ID()] = c
		}
	}
	return numbers
}

// inside returns the pairings whose players are of one group.
func (p *partition) inside(met []pairing) []pairing {
	var in []pairing
	for _, k := range met {
		if g := p.group[k.a]; g >= 0 && g == p.group[k.b] {
			in = append(in, k)
		}
	}
	return in
}

// advantageUnbounded reports whether the likelihood grows without bound as the
// advantage grows, and as it falls, given the pairings inside groups. The advantage
// has a finite estimate exactly if neither is so.
//
// A direction (advantage ±1, ratings f) is unbounded if no result contradicts it: for
// each win of South f[south] ± 1 ≥ f[north], for each loss the reverse, for each draw
// both; and f is the same for players that are tied. If both directions are
// unbounded, the advantage is no more than a shift of the ratings: who had South was
// determined by who met whom.
func (f *fit) advantageUnbounded() (up, down bool) {
	var list []difference
	for _, k := range f.inside {
		for side := range 2 {
			south, north := k.southNorth(side)
			c := k.count(side)
			if c.Wins+c.Draws > 0 {
				list = append(list, difference{south, north, 1})
			}
			if c.Losses+c.Draws > 0 {
				list = append(list, difference{north, south, -1})
			}
		}
	}
	for _, t := range f.ties() {
		list = append(list, difference{t[0], t[1], 0}, difference{t[1], t[0], 0})
	}
	up = satisfiable(len(f.elo)+1, list)
	for i := range list {
		list[i].bound = -list[i].bound
	}
	return up, satisfiable(len(f.elo)+1, list)
}

// difference is the constraint f[to] ≤ f[from] + bound, with a bound of -1, 0 or 1.
type difference struct{ from, to, bound int }

// satisfiable reports whether integers f meet all difference constraints, by the
// method of Bellman and Ford from f = 0. They don't exactly if there is a cycle of
// constraints with a negative sum, which some f then follows below the least sum that
// a path without a cycle can have.
func satisfiable(n int, list []difference) bool {
	f := make([]int, n)
	for changed := true; changed; {
		changed = false
		for _, c := range list {
			if bound := f[c.from] + c.bound; bound < f[c.to] {
				if bound <= -n {
					return false
				}
				f[c.to], changed = bound, true
			}
		}
	}
	return true
}
