package ratings

import (
	"fmt"
	"math"
)

// layout says what is known of the ratings beforehand: which move together, at
// a fixed distance, and which are given. Players are numbers.
type layout struct {
	// node is, by player, the node of the graph of results that it belongs to:
	// players at fixed distances share one, and so do all whose rating is given.
	node  []int
	nodes int // how many
	// ground is the node of given ratings, which loose anchors hang on; prior is
	// that of the imaginary opponent. Either is -1 without.
	ground, prior int
	// offset is, by player, the rating less the node's, on the natural scale. The
	// ground's own rating is zero.
	offset []float64
	loose  []tie // loose anchors, between nodes
	drifts []tie
}

// tie is a normal prior: the rating of node i less that of node j has this
// mean, and weight is one over its variance; natural scale.
type tie struct {
	i, j         int
	mean, weight float64
}

// newLayout sorts anchors and offsets out. It is an error if they contradict
// each other.
func newLayout(m *meetings, o Options) (*layout, error) {
	number := make(map[string]int, len(m.names))
	for i, name := range m.names {
		number[name] = i
	}
	c := newClusters(len(m.names))
	for _, f := range o.Offsets {
		if !c.join(number[f.Name], number[f.Than], f.Elo/eloPerNat) {
			return nil, fmt.Errorf("offset of %.60q from %.60q by %g: contradicts the other offsets", f.Name, f.Than, f.Elo)
		}
	}
	given := make(map[int]float64) // rating of the cluster's root
	for _, a := range o.Anchors {
		if a.SD > 0 {
			continue
		}
		root, off := c.find(number[a.Name])
		at := a.Elo/eloPerNat - off
		if old, ok := given[root]; ok && math.Abs(old-at) > 1e-9 {
			return nil, fmt.Errorf("anchor %.60q at %g: contradicts another anchor, by the offset between them", a.Name, a.Elo)
		}
		given[root] = at
	}
	l := &layout{ground: -1, prior: -1, node: make([]int, len(m.names)), offset: make([]float64, len(m.names))}
	l.number(c, given)
	if l.ground < 0 && len(o.Anchors) > 0 {
		l.ground = l.next()
	}
	if o.Prior > 0 {
		l.prior = l.next()
	}
	for _, a := range o.Anchors {
		if a.SD > 0 {
			i := number[a.Name]
			l.loose = append(l.loose, tie{l.node[i], l.ground, a.Elo/eloPerNat - l.offset[i], weight(a.SD)})
		}
	}
	for _, d := range o.drifts {
		i, j := number[d.name], number[d.from]
		l.drifts = append(l.drifts, tie{l.node[i], l.node[j], l.offset[j] - l.offset[i], weight(d.sd)})
	}
	return l, nil
}

// weight is one over the variance of a standard deviation in Elo.
func weight(sd float64) float64 { return (eloPerNat / sd) * (eloPerNat / sd) }

func (l *layout) next() int {
	l.nodes++
	return l.nodes - 1
}

// number gives each cluster a node, all with a given rating the same.
func (l *layout) number(c *clusters, given map[int]float64) {
	nodes := make(map[int]int)
	for i := range l.node {
		root, off := c.find(i)
		if at, ok := given[root]; ok {
			if l.ground < 0 {
				l.ground = l.next()
			}
			l.node[i], l.offset[i] = l.ground, at+off
			continue
		}
		if _, ok := nodes[root]; !ok {
			nodes[root] = l.next()
		}
		l.node[i], l.offset[i] = nodes[root], off
	}
}

// clusters are sets of players at fixed distances, as a union-find structure.
type clusters struct {
	parent []int
	offset []float64 // rating less the parent's
}

func newClusters(n int) *clusters {
	c := &clusters{make([]int, n), make([]float64, n)}
	for i := range c.parent {
		c.parent[i] = i
	}
	return c
}

// find returns i's root, and its rating less the root's.
func (c *clusters) find(i int) (root int, offset float64) {
	if c.parent[i] == i {
		return i, 0
	}
	root, above := c.find(c.parent[i])
	c.parent[i], c.offset[i] = root, c.offset[i]+above
	return root, c.offset[i]
}

// join puts i at this distance above j. It reports false if they have another
// one already.
func (c *clusters) join(i, j int, distance float64) bool {
	ri, oi := c.find(i)
	rj, oj := c.find(j)
	if ri == rj {
		return math.Abs(oi-oj-distance) < 1e-9
	}
	c.parent[ri], c.offset[ri] = rj, oj+distance-oi
	return true
}
