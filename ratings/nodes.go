package ratings

import (
	"fmt"
	"math"
)

// nodes are the free ratings that the anchors, offsets and the prior leave: players
// at fixed differences share a node, and so do all whose rating is given. Players are
// numbers.
type nodes struct {
	of     []int     // node by player
	offset []float64 // by player: the rating less the node's, natural scale
	count  int
	// given is the node of given ratings, which is zero and which loose anchors refer
	// to; opponent is that of the prior's imaginary opponent. Either is -1 without.
	given, opponent int
	virtual         []int   // the players who met the imaginary opponent
	normal          []prior // loose anchors and drifts, between nodes
}

// newNodes applies the anchors and offsets. It is an error if they contradict each
// other.
func newNodes(names []string, o Options) (*nodes, error) {
	number := make(map[string]int, len(names))
	for i, name := range names {
		number[name] = i
	}
	u := newUnion(len(names))
	for _, f := range o.Offsets {
		if !u.join(number[f.Name], number[f.Than], f.Elo/eloPerNat) {
			return nil, fmt.Errorf("offset of %.60q from %.60q by %g: contradicts the other offsets", f.Name, f.Than, f.Elo)
		}
	}
	given := make(map[int]float64) // rating of the set's root
	for _, a := range o.Anchors {
		if a.SD > 0 {
			continue
		}
		root, off := u.find(number[a.Name])
		at := a.Elo/eloPerNat - off
		if old, ok := given[root]; ok && math.Abs(old-at) > 1e-9 {
			return nil, fmt.Errorf("anchor %.60q at %g: contradicts another anchor, by the offset between them", a.Name, a.Elo)
		}
		given[root] = at
	}
	n := &nodes{given: -1, opponent: -1, of: make([]int, len(names)), offset: make([]float64, len(names))}
	if len(o.Anchors) > 0 {
		n.given = n.add()
	}
	node := make(map[int]int) // by root
	for i := range names {
		root, off := u.find(i)
		if at, ok := given[root]; ok {
			n.of[i], n.offset[i] = n.given, at+off
			continue
		}
		if _, ok := node[root]; !ok {
			node[root] = n.add()
		}
		n.of[i], n.offset[i] = node[root], off
	}
	for _, a := range o.Anchors {
		if a.SD > 0 {
			i := number[a.Name]
			n.normal = append(n.normal,
				prior{i: n.of[i], j: n.given, shift: n.offset[i] - a.Elo/eloPerNat, precision: precision(a.SD)})
		}
	}
	for _, d := range o.drifts {
		i, j := number[d.name], number[d.from]
		n.normal = append(n.normal,
			prior{i: n.of[i], j: n.of[j], shift: n.offset[i] - n.offset[j], precision: precision(d.sd)})
	}
	return n, nil
}

// addOpponent adds the imaginary opponent, whom all players meet. Of a player that is
// rated at several steps of time, only the first of these meets it.
func (n *nodes) addOpponent(names []string, drifts []drift) {
	later := make(map[string]bool)
	for _, d := range drifts {
		later[d.name] = true
	}
	n.opponent = n.add()
	for i, name := range names {
		if !later[name] {
			n.virtual = append(n.virtual, i)
		}
	}
}

// precision is one over the variance of a standard deviation in Elo.
func precision(sd float64) float64 { return (eloPerNat / sd) * (eloPerNat / sd) }

func (n *nodes) add() int {
	n.count++
	return n.count - 1
}

// tied returns the pairs of nodes whose difference has a prior.
func (n *nodes) tied() [][2]int {
	var list [][2]int
	for _, p := range n.normal {
		list = append(list, [2]int{p.i, p.j})
	}
	for _, i := range n.virtual {
		list = append(list, [2]int{n.of[i], n.opponent})
	}
	return list
}

// union is a union-find structure of sets whose members have fixed differences.
type union struct {
	parent []int
	offset []float64 // rating less the parent's
}

func newUnion(n int) *union {
	u := &union{make([]int, n), make([]float64, n)}
	for i := range u.parent {
		u.parent[i] = i
	}
	return u
}

// find returns i's root, and its rating less the root's.
func (u *union) find(i int) (root int, offset float64) {
	if u.parent[i] == i {
		return i, 0
	}
	root, above := u.find(u.parent[i])
	u.parent[i], u.offset[i] = root, u.offset[i]+above
	return root, u.offset[i]
}

// join puts i at this difference above j. It returns false if they have another one
// already.
func (u *union) join(i, j int, difference float64) bool {
	ri, oi := u.find(i)
	rj, oj := u.find(j)
	if ri == rj {
		return math.Abs(oi-oj-difference) < 1e-9
	}
	u.parent[ri], u.offset[ri] = rj, oj+difference-oi
	return true
}
