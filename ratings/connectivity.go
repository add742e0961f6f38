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
	groups [][]int // two or more players each, ascending; the largest group first
	alone  []int   // players of no group, ascending
	group  []int   // by player: index into groups, or -1
	island []int   // by player: who met, directly or through others, has the same
}

// partition splits the players by the strongly connected components of the
// graph in which each points at those it scored against.
func (m *meetings) partition() *partition {
	scored, met := simple.NewDirectedGraph(), simple.NewUndirectedGraph()
	for i := range m.names {
		scored.AddNode(simple.Node(i))
		met.AddNode(simple.Node(i))
	}
	for _, p := range m.pairs {
		s, n := simple.Node(p.south), simple.Node(p.north)
		met.SetEdge(met.NewEdge(s, n))
		if p.Wins+p.Draws > 0 {
			scored.SetEdge(scored.NewEdge(s, n))
		}
		if p.Losses+p.Draws > 0 {
			scored.SetEdge(scored.NewEdge(n, s))
		}
	}
	s := &partition{group: make([]int, len(m.names)), island: make([]int, len(m.names))}
	for _, members := range sorted(topo.TarjanSCC(scored)) {
		if len(members) == 1 {
			s.group[members[0]] = -1
			s.alone = append(s.alone, members[0])
			continue
		}
		for _, i := range members {
			s.group[i] = len(s.groups)
		}
		s.groups = append(s.groups, members)
	}
	for k, members := range sorted(topo.ConnectedComponents(met)) {
		for _, i := range members {
			s.island[i] = k
		}
	}
	return s
}

// sorted puts components in an order that doesn't depend on gonum's maps: the
// largest first, then by the first member.
func sorted(components [][]graph.Node) [][]int {
	list := make([][]int, len(components))
	for k, nodes := range components {
		for _, n := range nodes {
			list[k] = append(list[k], int(n.ID()))
		}
		slices.Sort(list[k])
	}
	slices.SortFunc(list, func(a, b []int) int {
		return cmp.Or(len(b)-len(a), a[0]-b[0])
	})
	return list
}

// inside lists the pairings whose players are of one group.
func (s *partition) inside(pairs []meeting) []meeting {
	var in []meeting
	for _, p := range pairs {
		if g := s.group[p.south]; g >= 0 && g == s.group[p.north] {
			in = append(in, p)
		}
	}
	return in
}

// limits says in which direction the likelihood grows for ever as the
// advantage moves.
type limits struct {
	up, down bool
}

// advantageLimits tells whether the advantage has a finite estimate, given the
// pairings inside groups. It has one exactly if neither direction is open.
//
// A direction (advantage ±1, ratings f) is open if no result speaks against it:
// for each win of South f[south] ± 1 ≥ f[north], for each loss the reverse, for
// each draw both. Such difference constraints have a solution unless some
// cycle of winners and losers has a negative sum of ±1 for South's wins and ∓1
// for North's. If both directions are open, the advantage is no more than a
// shift of the ratings: who had South was settled by who met whom.
func advantageLimits(players int, pairs []meeting) limits {
	var edges []constraint
	for _, p := range pairs {
		if p.Wins+p.Draws > 0 {
			edges = append(edges, constraint{p.south, p.north, 1})
		}
		if p.Losses+p.Draws > 0 {
			edges = append(edges, constraint{p.north, p.south, -1})
		}
	}
	up := satisfiable(players, edges)
	for i := range edges {
		edges[i].bound = -edges[i].bound
	}
	return limits{up: up, down: satisfiable(players, edges)}
}

// constraint is f[to] ≤ f[from] + bound.
type constraint struct{ from, to, bound int }

// satisfiable tells whether integers f meet all constraints, by the method of
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

// cyclic tells whether following parents from some node never ends.
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
