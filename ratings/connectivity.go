package ratings

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// partition says who can be rated with whom. Players are numbers.
type partition struct {
	groups [][]int // by group, its players, ascending; the largest group first
	alone  []int   // players of no group, ascending
	group  []int   // by player: index into groups, or -1
	island []int   // by player: who met, directly or through others, has the same
	held   []bool  // by group: given ratings or loose anchors hold its scale
}

// partition splits the players by the strongly connected components of the
// graph in which each node points at those it scored against. What ties ratings
// beforehand counts as scoring both ways.
func (m *meetings) partition(l *layout) *partition {
	scored, met := simple.NewDirectedGraph(), simple.NewUndirectedGraph()
	for i := range l.nodes {
		scored.AddNode(simple.Node(i))
		met.AddNode(simple.Node(i))
	}
	link := func(from, to int) {
		if from != to {
			scored.SetEdge(scored.NewEdge(simple.Node(from), simple.Node(to)))
		}
	}
	for _, k := range m.met {
		c, a, b := k.total(), l.node[k.a], l.node[k.b]
		if a != b {
			met.SetEdge(met.NewEdge(simple.Node(a), simple.Node(b)))
		}
		if c.Wins+c.Draws > 0 {
			link(a, b)
		}
		if c.Losses+c.Draws > 0 {
			link(b, a)
		}
	}
	for _, t := range l.bonds() {
		link(t.i, t.j)
		link(t.j, t.i)
	}
	return newPartition(l, topo.TarjanSCC(scored), topo.ConnectedComponents(met))
}

// bonds are the nodes whose distance can't grow for ever, whatever the results.
func (l *layout) bonds() []tie {
	bonds := slices.Concat(l.loose, l.drifts)
	if l.prior >= 0 {
		for i := range l.nodes {
			if i != l.prior && i != l.ground {
				bonds = append(bonds, tie{i: i, j: l.prior})
			}
		}
		if l.ground >= 0 && slices.Contains(l.node, l.ground) {
			bonds = append(bonds, tie{i: l.ground, j: l.prior})
		}
	}
	return bonds
}

// newPartition turns components of nodes into groups of players. A player whose
// node nobody shares is in no group, unless its rating is given.
func newPartition(l *layout, strong, weak [][]graph.Node) *partition {
	players := make([][]int, l.nodes)
	for i, node := range l.node {
		players[node] = append(players[node], i)
	}
	s := &partition{group: make([]int, len(l.node)), island: make([]int, len(l.node))}
	ground := -1 // a member of the group with the ground in it
	for _, c := range strong {
		members, held := gather(c, players, l.ground)
		switch {
		case len(members) == 0:
		case len(members) == 1 && !held:
			s.alone = append(s.alone, members[0])
		default:
			s.groups = append(s.groups, members)
			if held {
				ground = members[0]
			}
		}
	}
	slices.SortFunc(s.groups, func(a, b []int) int { return cmp.Or(len(b)-len(a), a[0]-b[0]) })
	slices.Sort(s.alone)
	for _, i := range s.alone {
		s.group[i] = -1
	}
	for g, members := range s.groups {
		s.held = append(s.held, ground >= 0 && slices.Contains(members, ground))
		for _, i := range members {
			s.group[i] = g
		}
	}
	for k, c := range weak {
		members, _ := gather(c, players, -1)
		for _, i := range members {
			s.island[i] = k
		}
	}
	return s
}

// gather lists the players of the nodes, ascending, and reports whether the
// ground is one of the nodes.
func gather(nodes []graph.Node, players [][]int, ground int) (members []int, held bool) {
	for _, n := range nodes {
		members = append(members, players[n.ID()]...)
		held = held || int(n.ID()) == ground
	}
	slices.Sort(members)
	return members, held
}

// inside lists the meetings whose players are of one group.
func (s *partition) inside(met []meeting) []meeting {
	var in []meeting
	for _, k := range met {
		if g := s.group[k.a]; g >= 0 && g == s.group[k.b] {
			in = append(in, k)
		}
	}
	return in
}

// limits says in which direction the likelihood grows for ever as the
// advantage moves.
type limits struct {
	up, down bool
}

// advantageLimits reports whether the advantage has a finite estimate, given the
// meetings inside groups. It has one exactly if neither direction is open.
//
// A direction (advantage ±1, ratings f) is open if no result speaks against it:
// for each win of South f[south] ± 1 ≥ f[north], for each loss the reverse, for
// each draw both; and f is the same for nodes with a bond. Such difference
// constraints have a solution unless some cycle of winners and losers has a
// negative sum of ±1 for South's wins and ∓1 for North's. If both directions are
// open, the advantage is no more than a shift of the ratings: who had South was
// settled by who met whom.
func advantageLimits(l *layout, met []meeting) limits {
	var edges []constraint
	for _, k := range met {
		for side, p := range []cell{{l.node[k.a], l.node[k.b]}, {l.node[k.b], l.node[k.a]}} {
			c := k.count(side)
			if c.Wins+c.Draws > 0 {
				edges = append(edges, constraint{p.south, p.north, 1})
			}
			if c.Losses+c.Draws > 0 {
				edges = append(edges, constraint{p.north, p.south, -1})
			}
		}
	}
	for _, b := range l.bonds() {
		edges = append(edges, constraint{b.i, b.j, 0}, constraint{b.j, b.i, 0})
	}
	up := satisfiable(l.nodes, edges)
	for i := range edges {
		edges[i].bound = -edges[i].bound
	}
	return limits{up: up, down: satisfiable(l.nodes, edges)}
}

// constraint is f[to] ≤ f[from] + bound.
type constraint struct{ from, to, bound int }

// satisfiable reports whether integers f meet all constraints, by the method of
// Bellman and Ford. A negative cycle shows up in the parents soon after it is
// first run through, so looking there after each round ends most impossible
// cases after a few rounds.
func satisfiable(n int, edges []constraint) bool {
	f := make([]int, n)
	parent := make([]int, n)
	for i := range parent {
		parent[i] = -1
	}
	for {
		changed := false
		for _, e := range edges {
			if f[e.from]+e.bound < f[e.to] {
				f[e.to] = f[e.from] + e.bound
				parent[e.to] = e.from
				changed = true
			}
		}
		if !changed {
			return true
		}
		if cyclic(parent) {
			return false
		}
	}
}

// cyclic reports whether following parents from some node never ends.
func cyclic(parent []int) bool {
	const (
		fresh = iota
		open
		done
	)
	state := make([]int8, len(parent))
	for i := range parent {
		j := i
		for ; j >= 0 && state[j] == fresh; j = parent[j] {
			state[j] = open
		}
		if j >= 0 && state[j] == open {
			return true
		}
		for j = i; j >= 0 && state[j] == open; j = parent[j] {
			state[j] = done
		}
	}
	return false
}
