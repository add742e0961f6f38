package ratings

import (
	"cmp"
	"slices"

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
// node points at those it scored against; priors point both ways. A player whose
// component has no other is in no group, unless its rating is given.
func newPartition(met []meeting, n *nodes) *partition {
	scored, games := simple.NewDirectedGraph(), newUnion(n.count)
	for i := range n.count {
		scored.AddNode(simple.Node(i))
	}
	link := func(from, to int) {
		if from != to {
			scored.SetEdge(scored.NewEdge(simple.Node(from), simple.Node(to)))
		}
	}
	for _, k := range met {
		c, a, b := k.total(), n.of[k.a], n.of[k.b]
		games.join(a, b, 0)
		if c.Wins+c.Draws > 0 {
			link(a, b)
		}
		if c.Losses+c.Draws > 0 {
			link(b, a)
		}
	}
	for _, pair := range n.tied() {
		link(pair[0], pair[1])
		link(pair[1], pair[0])
	}
	strong := make([]int, n.count) // component by node
	components := topo.TarjanSCC(scored)
	for c, list := range components {
		for _, node := range list {
			strong[node.ID()] = c
		}
	}
	players := make([][]int, len(components))
	p := &partition{group: make([]int, len(n.of)), component: make([]int, len(n.of))}
	for i, node := range n.of {
		players[strong[node]] = append(players[strong[node]], i)
		p.group[i] = -1
		p.component[i], _ = games.find(node)
	}
	anchored := func(player int) bool { return n.given >= 0 && strong[n.of[player]] == strong[n.given] }
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

// whole reports whether all players that met others are rated together.
func (p *partition) whole(met []meeting) bool {
	return len(p.inside(met)) == len(met) && len(p.groups) == 1
}

// inside returns the meetings whose players are of one group.
func (p *partition) inside(met []meeting) []meeting {
	var in []meeting
	for _, k := range met {
		if g := p.group[k.a]; g >= 0 && g == p.group[k.b] {
			in = append(in, k)
		}
	}
	return in
}

// advantageUnbounded reports whether the likelihood grows without bound as the
// advantage grows, and as it falls, given the meetings inside groups. The advantage
// has a finite estimate exactly if neither is so.
//
// A direction (advantage ±1, ratings f) is unbounded if no result contradicts it: for
// each win of South f[south] ± 1 ≥ f[north], for each loss the reverse, for each draw
// both; and f is the same for nodes with a prior between them. If both directions are
// unbounded, the advantage is no more than a shift of the ratings: who had South was
// determined by who met whom.
func advantageUnbounded(n *nodes, met []meeting) (up, down bool) {
	var list []difference
	for _, k := range met {
		for side, p := range []cell{{n.of[k.a], n.of[k.b]}, {n.of[k.b], n.of[k.a]}} {
			c := k.count(side)
			if c.Wins+c.Draws > 0 {
				list = append(list, difference{p.south, p.north, 1})
			}
			if c.Losses+c.Draws > 0 {
				list = append(list, difference{p.north, p.south, -1})
			}
		}
	}
	for _, pair := range n.tied() {
		list = append(list, difference{pair[0], pair[1], 0}, difference{pair[1], pair[0], 0})
	}
	up = satisfiable(n.count, list)
	for i := range list {
		list[i].bound = -list[i].bound
	}
	return up, satisfiable(n.count, list)
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
