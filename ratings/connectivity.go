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
// free rating points at those it scored against; the prior points both ways. A player whose
// component has no other is in no group, unless its rating is given.
func newPartition(met []pairing, free *freeRatings) *partition {
	scored, games := simple.NewDirectedGraph(), simple.NewUndirectedGraph()
	for i := range free.count {
		scored.AddNode(simple.Node(i))
		games.AddNode(simple.Node(i))
	}
	link := func(from, to int) {
		if from != to {
			scored.SetEdge(scored.NewEdge(simple.Node(from), simple.Node(to)))
		}
	}
	for _, k := range met {
		c, a, b := k.total(), free.byPlayer[k.a], free.byPlayer[k.b]
		if a != b {
			games.SetEdge(games.NewEdge(simple.Node(a), simple.Node(b)))
		}
		if c.Wins+c.Draws > 0 {
			link(a, b)
		}
		if c.Losses+c.Draws > 0 {
			link(b, a)
		}
	}
	for _, r := range free.virtual() {
		link(r, free.opponent)
		link(free.opponent, r)
	}
	strong := components(topo.TarjanSCC(scored), free.count)
	connected := components(topo.ConnectedComponents(games), free.count)
	players := make([][]int, free.count) // by component
	p := &partition{group: make([]int, len(free.byPlayer)), component: make([]int, len(free.byPlayer))}
	for i, r := range free.byPlayer {
		players[strong[r]] = append(players[strong[r]], i)
		p.group[i] = -1
		p.component[i] = connected[r]
	}
	anchored := func(player int) bool { return free.given >= 0 && strong[free.byPlayer[player]] == strong[free.given] }
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
// both; and f is the same for ratings with a prior between them. If both directions are
// unbounded, the advantage is no more than a shift of the ratings: who had South was
// determined by who met whom.
func advantageUnbounded(free *freeRatings, met []pairing) (up, down bool) {
	var list []difference
	for _, k := range met {
		for side := range 2 {
			i, j := k.southNorth(side)
			south, north, c := free.byPlayer[i], free.byPlayer[j], k.count(side)
			if c.Wins+c.Draws > 0 {
				list = append(list, difference{south, north, 1})
			}
			if c.Losses+c.Draws > 0 {
				list = append(list, difference{north, south, -1})
			}
		}
	}
	for _, r := range free.virtual() {
		list = append(list, difference{r, free.opponent, 0}, difference{free.opponent, r, 0})
	}
	up = satisfiable(free.count, list)
	for i := range list {
		list[i].bound = -list[i].bound
	}
	return up, satisfiable(free.count, list)
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
