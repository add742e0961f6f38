package ratings

import (
	"fmt"
	"math"
)

// freeRatings are the ratings that anchors and offsets leave to be fitted: players at fixed
// differences share one, and so do all whose rating is given. Players are numbers.
type freeRatings struct {
	byPlayer []int     // free rating by player
	offset   []float64 // by player: the rating less the free rating, natural scale
	count    int
	// given is the number of the given ratings, which is zero; opponent that of the
	// imaginary opponent whom all players meet under a prior. Either is -1 without.
	given, opponent int
}

// newFreeRatings applies the anchors and offsets. It is an error if they contradict each
// other.
func newFreeRatings(names []string, o Options) (*freeRatings, error) {
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
		root, offset := u.find(number[a.Name])
		elo := a.Elo/eloPerNat - offset
		if old, ok := given[root]; ok && math.Abs(old-elo) > 1e-9 {
			return nil, fmt.Errorf("anchor %.60q at %g: contradicts another anchor, by the offset between them", a.Name, a.Elo)
		}
		given[root] = elo
	}
	r := &freeRatings{given: -1, opponent: -1, byPlayer: make([]int, len(names)), offset: make([]float64, len(names))}
	if len(o.Anchors) > 0 {
		r.given = r.add()
	}
	free := make(map[int]int) // by root
	for i := range names {
		root, offset := u.find(i)
		if elo, ok := given[root]; ok {
			r.byPlayer[i], r.offset[i] = r.given, elo+offset
			continue
		}
		if _, ok := free[root]; !ok {
			free[root] = r.add()
		}
		r.byPlayer[i], r.offset[i] = free[root], offset
	}
	return r, nil
}

func (r *freeRatings) add() int {
	r.count++
	return r.count - 1
}

// virtual returns the free ratings of the players who met the imaginary opponent.
func (r *freeRatings) virtual() []int {
	if r.opponent < 0 {
		return nil
	}
	return r.byPlayer
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
