package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharing is a round-robin in which each opening is played by all pairings. An opening is worth something to South, and
// something to each agent whichever side it has.
func sharing(players, openings int, span, worth, knack float64) world {
	w := world{
		name:     fmt.Sprintf("%d players over %g, %d openings worth %g, to agents %g", players, span, openings, worth, knack),
		strength: spaced(players, span), advantage: 40, drawModel: halfPoints{0.3}, opening: math.Hypot(worth, knack*math.Sqrt2),
	}
	w.rounds = func(rng *rand.Rand, _ *world, d *Data) {
		names := w.names()
		for o := range openings {
			south, own := worth*rng.NormFloat64(), map[string]float64{}
			for _, name := range names {
				own[name] = knack * rng.NormFloat64()
			}
			for i, a := range names {
				for _, b := range names[i+1:] {
					r, s := w.result(rng, a, b, south+own[a]-own[b]), w.result(rng, b, a, south+own[b]-own[a])
					d.AddPair(a, b, r, s)
					d.InOpening(uint64(o), a, b, r, s)
				}
			}
		}
	}
	return w
}

func BenchmarkClusters(b *testing.B) {
	for b.Loop() {
		for _, players := range []int{3, 6, 10} {
			for _, openings := range []int{5, 10, 20, 50} {
				for _, s := range [][2]float64{{0, 0}, {300, 0}, {300, 100}} {
					w := sharing(players, openings, 200, s[0], s[1])
					fmt.Printf("%-60s", w.name)
					for _, w.options.Intervals = range []Intervals{ByPair, ByOpening} {
						t := w.try(b, 200, 5)
						fmt.Printf("  %-8s %5.1f %5.1f %5.1f", w.options.Intervals, t.rating.percent(), t.difference.percent(), t.advantage.percent())
					}
					fmt.Println()
				}
			}
		}
	}
}

var _ = require.NoError
