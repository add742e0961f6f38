package ratings

// freeRatings are the ratings that anchors leave to be fitted: each player has one, but for those whose rating is
// given, which share one. Players are numbers.
type freeRatings struct {
	byPlayer []int     // free rating by player
	elo      []float64 // by player: a given rating, natural scale; otherwise 0
	count    int
	// given is the number of the given ratings, which is zero; opponent that of the
	// imaginary opponent whom all players meet under a prior. Either is -1 without.
	given, opponent int
}

// newFreeRatings applies the anchors.
func newFreeRatings(names []string, anchors []Anchor) *freeRatings {
	given := make(map[string]float64, len(anchors))
	for _, a := range anchors {
		given[a.Name] = a.Elo / eloPerNat
	}
	r := &freeRatings{given: -1, opponent: -1, byPlayer: make([]int, len(names)), elo: make([]float64, len(names))}
	if len(anchors) > 0 {
		r.given = r.add()
	}
	for i, name := range names {
		if elo, ok := given[name]; ok {
			r.byPlayer[i], r.elo[i] = r.given, elo
		} else {
			r.byPlayer[i] = r.add()
		}
	}
	return r
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
