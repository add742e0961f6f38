package ratings

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gyges/ratings/sprt"
)

// Precision says how well players are rated.
type Precision struct {
	// Error is half the widest 95 % interval, in Elo: of the difference of two players as
	// [sprt.Pairs.Estimate] has it, of the ratings of several. It is infinite while the results
	// alone don't rate all of them together.
	Error float64
	// Pairs is how many game pairs the player has who has the fewest.
	Pairs int
}

// fewestPairs are those of a player below which the variance between pairs is too uncertain to end
// a run by: intervals of results that were looked at again and again until they were narrow would
// hold the truth too rarely.
const fewestPairs = 50

// leastError is what all pairs give if they are alike, up to rounding: then their variance isn't
// known.
const leastError = 1e-3 // Elo

// MeasurePrecision returns how well players, two or more, are rated by the results between them,
// without a prior.
func MeasurePrecision(ctx context.Context, d *Data, players []string) Precision {
	d = d.among(players)
	if len(players) == 2 {
		pairs := d.PairsOf(players[0])
		half := pairs.Estimate().Elo.Half()
		if math.IsNaN(half) {
			half = math.Inf(1)
		}
		return Precision{half, int(pairs.N())}
	}
	p, none := Precision{Pairs: math.MaxInt}, Precision{Error: math.Inf(1)}
	r, err := Fit(ctx, d, Options{Prior: new(float64)})
	if err != nil {
		return none
	}
	for _, name := range players {
		player, ok := r.Player(name)
		if !ok || player.Group != 0 || player.Error < leastError {
			return none
		}
		p = p.Worse(Precision{player.Error, player.Games() / 2})
	}
	return p
}

// Worse returns the larger error and the smaller number of pairs of two.
func (p Precision) Worse(q Precision) Precision {
	return Precision{max(p.Error, q.Error), min(p.Pairs, q.Pairs)}
}

// Within reports whether every interval is within ± that many Elo, and known well enough to end a
// run.
func (p Precision) Within(elo float64) bool { return p.Error <= elo && p.Pairs >= fewestPairs }

// Growth returns by which factor the number of games must grow, so that every interval is likely
// within ± that many Elo: an interval narrows with the square root of the games. It is infinite
// where that isn't known.
func (p Precision) Growth(elo float64) float64 {
	return max(p.Error/elo*p.Error/elo, fewestPairs/float64(p.Pairs))
}

// Text says how far the intervals of a run are from ± that many Elo, or that the run has ended
// there.
func (p Precision) Text(elo float64, ended bool) string {
	widest := fmt.Sprintf("± %.1f Elo", p.Error)
	if math.IsInf(p.Error, 1) {
		widest = "without bounds"
	}
	switch {
	case !ended:
		return fmt.Sprintf("not within ± %g Elo: the widest 95 %% interval is %s", elo,
			widest)
	case p.Error > elo:
		return fmt.Sprintf("stopped: every 95 %% interval of players that aren't suspended "+
			"is within ± %g Elo", elo)
	}
	return fmt.Sprintf("stopped: every 95 %% interval is within ± %g Elo, the widest %s", elo,
		widest)
}

// NextLook returns after how many rounds the precision is measured next: after each of the first,
// then each time they have grown by a twentieth. The fewer the looks, the less the end depends on
// the results.
func NextLook(rounds int64) int64 { return rounds + max(1, rounds/20) }

// among returns the results of some players against each other.
func (d *Data) among(players []string) *Data {
	sub := new(Data)
	for _, games := range d.met {
		a, b := d.names[games.a], d.names[games.b]
		if slices.Contains(players, a) && slices.Contains(players, b) {
			games.a = int32(sub.id(a))
			games.b = int32(sub.id(b))
			sub.add(games)
		}
	}
	return sub
}

// PairsOf counts all pairs by the points of a player. There is one other player at most.
func (d *Data) PairsOf(player string) (pairs sprt.Pairs) {
	for _, p := range d.met {
		if d.names[p.b] == player {
			p = p.swapped()
		}
		pairs = p.pentanomial()
	}
	return pairs
}
