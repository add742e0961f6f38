package ratings

import (
	"fmt"
	"math"
	"slices"
)

// Ratings is the outcome of a fit. No number in it is infinite or NaN.
type Ratings struct {
	// Players are those with a rating, by group and then from the strongest down; equal ones by
	// name.
	Players []Player
	// Groups are the sets of players rated with each other, the largest first, whose ratings
	// can't be compared.
	Groups []Group
	// Unrated are the players without a finite rating, from the highest score down; with a prior
	// there are none.
	Unrated []Player
	// Advantage is South's first-move advantage.
	Advantage Advantage
	// Prior is what was known of the ratings before the games, beside anchors.
	Prior     Prior
	Games     int // between two players
	Used      int // games that entered the fit
	Pairs     int // game pairs
	SelfGames int // games left out because both sides had one name
	// Identical are the pairs that are one game, and what was left out as it repeats earlier games.
	Identical Identical
	// Notes are sentences on what was left out or could not be had.
	Notes []string

	data     *Data     // sorted
	place    []int     // by player's number: in Players, or -1
	estimate *estimate // nil without rated players
}

// Player is a player with a rating, or with the reason why it has none. Its Count is over all its
// games.
type Player struct {
	Name   string
	Elo    float64
	Error  float64 // half the 95 % interval in Elo; 0 for an anchor
	Group  int     // index into Groups
	Cause  Cause   // why there is no rating; "" with one
	Reason string  // the same as a clause that names opponents: "won all 12 games against a, b"
	Faults Faults
	Count
}

// Group is a set of players rated with each other.
type Group struct {
	Name    string // its strongest players and the number of the rest
	Players int    // how many
	Games   int    // games between them
	// Anchors are the players whose ratings were given; without any the mean of the group is
	// zero, in which a player whom few games link to the others counts less.
	Anchors []Anchor
	// Apart says why the group isn't rated together with the first one; empty for the first.
	Apart string
}

// Cause is the kind of reason for which a player has no rating.
type Cause string

// The causes.
const (
	WonAll   Cause = "won-all"   // won every game
	LostAll  Cause = "lost-all"  // lost every game
	OneSided Cause = "one-sided" // won all games against some, lost all against the others
	NoGames  Cause = "no-games"  // no opponent but itself
)

// Advantage is South's first-move advantage.
type Advantage struct {
	Elo    float64
	Error  float64 // half the 95 % interval in Elo; 0 if it wasn't fitted
	Fitted bool    // estimated from the games rather than given or unknown
}

// Player finds a rated player by name.
func (r *Ratings) Player(name string) (Player, bool) {
	p, _ := r.find(name)
	if p == nil {
		return Player{}, false
	}
	return *p, true
}

// find returns a rated player with its number; nil if there is none of that name.
func (r *Ratings) find(name string) (p *Player, number int) {
	number, known := r.data.number(name)
	if !known || r.place[number] < 0 {
		return nil, number
	}
	return &r.Players[r.place[number]], number
}

// Pairings returns the ordered pairings that met, by South's and then North's name, also those left
// out of the fit.
func (r *Ratings) Pairings() []Pairing { return r.data.Pairings() }

// check makes sure that no number is infinite or NaN.
func (r *Ratings) check() error {
	a := r.Advantage
	advantage := Player{Name: "first-move advantage", Elo: a.Elo, Error: a.Error}
	for _, p := range append(slices.Clone(r.Players), advantage) {
		sum := p.Elo + p.Error
		if math.IsInf(sum, 0) || math.IsNaN(sum) {
			return fmt.Errorf("%w: the rating of %.60q came out as %g ± %g", errStopped, p.Name,
				p.Elo, p.Error)
		}
	}
	return nil
}
