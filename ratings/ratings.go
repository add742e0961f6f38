package ratings

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// z95 is the number of standard errors in half a 95 % interval.
const z95 = 1.959963984540054

// Ratings is the outcome of a fit. No number in it is infinite or NaN.
type Ratings struct {
	// Players are those with a rating, by group and then from the strongest
	// down; equal ones by name.
	Players []Player
	// Groups are the sets of players rated with each other, the largest first.
	// Ratings of different groups can't be compared.
	Groups []Group
	// Unrated are the players without a finite rating, from the highest score
	// down.
	Unrated []Unrated
	// Advantage is South's first-move advantage.
	Advantage Advantage
	// Games is the number of games between two players, Used the number of
	// those that entered the fit, SelfGames that of the games left out because
	// both sides had one name.
	Games, Used, SelfGames int
	// Notes are sentences on what was left out or could not be had.
	Notes []string

	meetings *meetings
	index    map[string]int // into Players
	// cov is the covariance in Elo², in the order of Players, the advantage
	// last if it was fitted; nil without rated players.
	cov *mat.SymDense
}

// Player is a player with a rating. Its Count is over all its games, as it saw
// them.
type Player struct {
	Name  string
	Elo   float64
	Error float64 // half the 95 % interval in Elo; 0 for an anchor
	Group int     // index into Groups
	Count
}

// Group is a set of players rated with each other.
type Group struct {
	Players int // how many
	Games   int // games between them
	// Anchor is the player whose rating was given, nil if the mean of the group
	// is zero.
	Anchor *Anchor
	// Apart says why the group isn't rated together with the first one; empty
	// for the first.
	Apart string
}

// Unrated is a player for whom no finite rating exists. Its Count is over all
// its games, as it saw them.
type Unrated struct {
	Name   string
	Cause  Cause
	Reason string // a clause that names opponents: "won all 12 games against a, b"
	Count
}

// Cause is the kind of reason for which a player has no rating.
type Cause string

// The causes.
const (
	WonAll   Cause = "won-all"   // won every game
	LostAll  Cause = "lost-all"  // lost every game
	OneSided Cause = "one-sided" // won all games against some opponents, lost all against the others
	NoGames  Cause = "no-games"  // met nobody but itself
)

// Advantage is South's first-move advantage.
type Advantage struct {
	Elo    float64
	Error  float64 // half the 95 % interval in Elo; 0 if it wasn't fitted
	Fitted bool    // estimated from the games rather than given or unknown
}

// Player finds a rated player by name.
func (r *Ratings) Player(name string) (Player, bool) {
	i, ok := r.index[name]
	if !ok {
		return Player{}, false
	}
	return r.Players[i], true
}

// Difference is how much stronger one player is than another.
type Difference struct {
	Elo   float64 // positive if the first is rated higher
	Error float64 // half the 95 % interval in Elo
	// LOS is the likelihood of superiority: the probability, 0 to 1, that the
	// first player is the stronger one, by the normal approximation.
	LOS float64
}

// Difference compares two players by the covariance of their ratings. It is an
// error if they are one player, or not rated in one group.
func (r *Ratings) Difference(a, b string) (Difference, error) {
	i, okA := r.index[a]
	j, okB := r.index[b]
	switch {
	case !okA:
		return Difference{}, fmt.Errorf("compare %q with %q: %q has no rating", a, b, a)
	case !okB:
		return Difference{}, fmt.Errorf("compare %q with %q: %q has no rating", a, b, b)
	case i == j:
		return Difference{}, fmt.Errorf("compare %q with itself: expected two players", a)
	case r.Players[i].Group != r.Players[j].Group:
		return Difference{}, fmt.Errorf("compare %q with %q: they are rated in different groups", a, b)
	}
	elo := r.Players[i].Elo - r.Players[j].Elo
	sd := math.Sqrt(r.cov.At(i, i) + r.cov.At(j, j) - 2*r.cov.At(i, j))
	return Difference{Elo: elo, Error: z95 * sd, LOS: math.Erfc(-elo/sd/math.Sqrt2) / 2}, nil
}

// names lists all players in the order of the tables: rated, then unrated.
func (r *Ratings) names() []string {
	list := make([]string, 0, len(r.Players)+len(r.Unrated))
	for _, p := range r.Players {
		list = append(list, p.Name)
	}
	for _, u := range r.Unrated {
		list = append(list, u.Name)
	}
	return list
}
