package ratings

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// world is a tournament whose truth is known: who meets whom how often, and how the results come
// about.
type world struct {
	name      string
	strength  map[string]float64 // Elo, mean zero
	advantage float64            // Elo
	draws     drawShare
	opening   float64 // standard deviation of what a pair's opening is worth to South, Elo
	rounds    func(rng *rand.Rand, w *world, d *Data)
	options   Options
}

// result draws South's result, with the opening's worth.
func (w *world) result(rng *rand.Rand, south, north string, opening float64) Result {
	z := (w.strength[south] - w.strength[north] + w.advantage + opening) / eloPerNat
	p := w.draws.chances(z)
	switch u := rng.Float64(); {
	case u < p[0]:
		return Loss
	case u < p[0]+p[1]:
		return Draw
	}
	return Win
}

// spaced is n players, evenly spaced from half to minus half the range.
func spaced(n int, span float64) map[string]float64 {
	s := make(map[string]float64)
	for i := range n {
		s[string(rune('a'+i))] = span * (0.5 - float64(i)/float64(n-1))
	}
	return s
}

func (w *world) names() []string { return slices.Sorted(maps.Keys(w.strength)) }

// roundRobin has every two players meet in a number of pairs.
func roundRobin(pairs int) func(*rand.Rand, *world, *Data) {
	return func(rng *rand.Rand, w *world, d *Data) {
		names := w.names()
		for i, a := range names {
			for _, b := range names[i+1:] {
				w.match(rng, d, a, b, pairs)
			}
		}
	}
}

// roundRobinOfGames is the same in a number of single games with each side.
func roundRobinOfGames(games int) func(*rand.Rand, *world, *Data) {
	return func(rng *rand.Rand, w *world, d *Data) {
		names := w.names()
		for _, a := range names {
			for _, b := range names {
				for range games {
					if a != b {
						d.AddGames(a, b, w.result(rng, a, b, 0), 1)
					}
				}
			}
		}
	}
}

// gauntlet has a player, by its place, meet each other in a number of pairs.
func gauntlet(place, pairs int) func(*rand.Rand, *world, *Data) {
	return func(rng *rand.Rand, w *world, d *Data) {
		names := w.names()
		for i, b := range names {
			if i != place {
				w.match(rng, d, names[place], b, pairs)
			}
		}
	}
}

// ladder has each player meet the next in a number of pairs.
func ladder(pairs int) func(*rand.Rand, *world, *Data) {
	return func(rng *rand.Rand, w *world, d *Data) {
		names := w.names()
		for i, b := range names[1:] {
			w.match(rng, d, names[i], b, pairs)
		}
	}
}

// withoutManifest plays the same, and who met whom is not known to follow from the results.
func withoutManifest(rounds func(*rand.Rand, *world, *Data)) func(*rand.Rand, *world, *Data) {
	return func(rng *rand.Rand, w *world, d *Data) {
		rounds(rng, w, d)
		d.Adaptive = false
	}
}

// knockout plays rounds in a number of pairs; the loser of a match is eliminated, and after
// a tie the one seeded lower. Seeds are drawn by lot.
func knockout(pairs int) func(*rand.Rand, *world, *Data) {
	return func(rng *rand.Rand, w *world, d *Data) {
		d.Adaptive = true
		in := w.names()
		rng.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		for len(in) > 1 {
			next := in[:(len(in)+1)/2]
			for i := range len(in) / 2 {
				a, b := in[i], in[len(in)-1-i]
				if w.match(rng, d, a, b, pairs) < 0 {
					next[i] = b
				}
			}
			in = next
		}
	}
}

// match plays a number of pairs and returns the first player's points less half of all.
func (w *world) match(rng *rand.Rand, d *Data, a, b string, pairs int) float64 {
	sum := 0.0
	for range pairs {
		worth := w.opening * rng.NormFloat64()
		r, s := w.result(rng, a, b, worth), w.result(rng, b, a, worth)
		d.AddPairs(a, b, r, s, 1)
		sum += float64(r-s) / 2
	}
	return sum
}

// swiss plays a number of rounds, in each of which each player from the top meets the
// next in the standings that he hasn't met yet, in a number of pairs.
func swiss(rounds, pairs int) func(*rand.Rand, *world, *Data) {
	return func(rng *rand.Rand, w *world, d *Data) {
		d.Adaptive = true
		names := w.names()
		rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		points, met := make(map[string]float64), make(map[string]bool)
		for range rounds {
			slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(points[b], points[a]) })
			left := slices.Clone(names)
			for len(left) > 1 {
				a := left[0]
				i := 1 + max(0, slices.IndexFunc(left[1:], func(b string) bool { return !met[a+b] }))
				b := left[i]
				left = slices.Delete(left, i, i+1)[1:]
				met[a+b], met[b+a] = true, true
				gain := w.match(rng, d, a, b, pairs)
				points[a] += gain
				points[b] -= gain
			}
		}
	}
}

// play plays the whole tournament.
func (w *world) play(rng *rand.Rand) *Data {
	d := &Data{}
	w.rounds(rng, w, d)
	return d
}
