package texel

import "math"

// games numbers the games that the positions of a sample are from. A position of
// no known game is a game of its own.
type games struct {
	of     [][]int32 // block by block, of each position
	counts []float64 // positions of each game, as often as they occurred
}

func newGames(d *Data) *games {
	g := &games{of: make([][]int32, len(d.blocks))}
	known := map[uint32]int32{}
	for k, b := range d.blocks {
		g.of[k] = make([]int32, b.rows())
		for i, game := range b.game {
			n, ok := known[game]
			if !ok || game == 0 {
				n = int32(len(g.counts))
				known[game] = n
				g.counts = append(g.counts, 0)
			}
			g.of[k][i] = n
			g.counts[n] += float64(b.count[i])
		}
	}
	return g
}

// gradients returns the sum of the gradient's parts of each game's positions, one
// game after the other.
func (l *loss) gradients(g *games, v []float64) []float64 {
	n := l.data.features
	sums := make([]float64, n*len(g.counts))
	for k, b := range l.data.blocks {
		for i := range b.rows() {
			p, _ := logistic(l.logit(b, k, i, v))
			residual := float64(b.count[i]) * (p - float64(l.targets[k][i]))
			sum := sums[n*int(g.of[k][i]):]
			columns, values := b.row(i)
			for m, j := range columns {
				sum[j] += residual * float64(values[m])
			}
		}
	}
	return sums
}

// lossDifference returns the loss of other at the point at minus that of l at v, and
// half of its 95 % interval. Positions of one game are a cluster.
func (l *loss) lossDifference(g *games, v []float64, other *loss, lossAt []float64) (mean, margin float64) {
	differences := make([][]float64, len(l.data.blocks))
	l.data.each(func(k int, b *block) {
		differences[k] = make([]float64, b.rows())
		for i := range differences[k] {
			differences[k][i] = float64(b.count[i]) * (other.lossAt(b, k, i, lossAt) - l.lossAt(b, k, i, v))
		}
	})
	sums := make([]float64, len(g.counts))
	for k := range differences {
		for i, x := range differences[k] {
			sums[g.of[k][i]] += x
		}
	}
	for _, x := range sums {
		mean += x
	}
	mean /= l.data.count
	square := 0.0
	for n, x := range sums {
		d := x - mean*g.counts[n]
		square += d * d
	}
	return mean, z95 * math.Sqrt(square) / l.data.count
}

// lossAt returns the loss of one position.
func (l *loss) lossAt(b *block, k, i int, v []float64) float64 {
	x := l.logit(b, k, i, v)
	_, softplus := logistic(x)
	return softplus - float64(l.targets[k][i])*x
}
