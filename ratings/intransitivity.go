package ratings

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

const (
	maxCyclePlayers  = 50  // players up to which cycles are looked for
	cycleSimulations = 200 // tournaments simulated by the fit
	minCyclePlayers  = 3
	differenceGoal   = 1e-6 // last step of Newton's method, natural scale
)

// Intransitivity is how far the results contradict one rating for each player: the
// cyclic part of the pairings' results (Jiang, Lim, Yao and Ye 2011).
//
// Each pairing alone gives a difference of its two players, at the fitted advantage
// and draw parameter, with a drawn game added so that it is finite. The differences,
// weighted by their precision, are the sum of a gradient, which is differences of one
// number for each player, and of a cyclic part, which has none. Both probabilities are
// shares of simulated tournaments in which the ratings are right and everybody plays
// the same games.
type Intransitivity struct {
	// Share is the cyclic part's share of the variance of the pairings' differences, 0
	// to 1. What chance alone gives is subtracted from both.
	Share float64
	// P is the probability of a cyclic part as large or larger.
	P float64
	// Cycle are three players of whom by their own games the first is stronger than the
	// second, the second than the third and the third than the first; of all such cycles
	// that with the largest sum of differences over its standard deviation. Nil if there
	// is none.
	Cycle []string
	// Elo is the sum of the cycle's three differences, which is 0 for ratings.
	Elo float64
	// CycleP is the probability that any cycle is as strong as this one or stronger.
	CycleP float64
}

// Intransitivity returns how far the results contradict one rating for each player.
// It reports false where too little is known: unless 3 to 50 players are rated in one
// group, every two met, and pairings have eight games or more on average.
func (r *Ratings) Intransitivity() (Intransitivity, bool) {
	n := len(r.Players)
	if n < minCyclePlayers || n > maxCyclePlayers || len(r.Groups) != 1 {
		return Intransitivity{}, false
	}
	pairings := n * (n - 1) / 2
	if len(r.estimate.model.pairings) != pairings || r.Used < minGamesMet*pairings {
		return Intransitivity{}, false
	}
	f, ok := newFlow(r)
	if !ok {
		return Intransitivity{}, false
	}
	differences := make([]float64, pairings)
	for k := range differences {
		differences[k] = f.edges[k].difference(r.estimate.model.pairings[k].total().Points())
	}
	gradient, cyclic := f.split(differences)
	cycle, sum, strength := f.strongest(differences)

	rng := rand.New(rand.NewPCG(1, 1))
	noise, asCyclic, asStrong := 0.0, 1, 1
	simulated := make([]float64, pairings)
	for range cycleSimulations {
		for k := range simulated {
			p := &f.edges[k]
			deviation := p.sd * rng.NormFloat64()
			simulated[k] = p.difference(math.Max(0, math.Min(p.games(), p.expected+deviation)))
		}
		_, c := f.split(simulated)
		noise += c / cycleSimulations
		if c >= cyclic {
			asCyclic++
		}
		if _, _, s := f.strongest(simulated); s >= strength {
			asStrong++
		}
	}
	i := Intransitivity{P: float64(asCyclic) / (cycleSimulations + 1)}
	cyclic, gradient = max(0, cyclic-noise), max(0, gradient-float64(n-1))
	if cyclic > 0 {
		i.Share = cyclic / (cyclic + gradient)
	}
	if strength > 0 {
		i.CycleP = float64(asStrong) / (cycleSimulations + 1)
		i.Elo = sum * eloPerNat
		for _, player := range cycle {
			i.Cycle = append(i.Cycle, r.Players[player].Name)
		}
	}
	return i, true
}

// flow is the differences of all pairings of n players, by number, as the edges of a graph: it
// splits them into a gradient and a cyclic part (the Hodge decomposition).
type flow struct {
	n         int
	edges     []edge
	laplacian *mat.Cholesky // of the weights
}

// edge is the pairing of players a and b. Its difference is a less b.
type edge struct {
	a, b     int
	lost     [2]weights // all games by who had South, as if a had lost them
	model    drawModel
	adv, t   float64 // the advantage and the draw parameter
	fitted   float64 // difference
	sd       float64 // of the points of all games
	weight   float64 // the precision of the difference
	expected float64 // points
}

// newFlow returns the pairings of a fit, players by their places in the table. It
// reports false if a pairing has no variance.
func newFlow(r *Ratings) (*flow, bool) {
	e := r.estimate
	f := &flow{n: len(r.Players), laplacian: new(mat.Cholesky)}
	laplacian := mat.NewSymDense(f.n, nil)
	for i := range f.n {
		for j := i; j < f.n; j++ {
			laplacian.SetSym(i, j, 1) // makes it regular: the mean of the gradient's numbers is 0
		}
	}
	for k := range e.model.pairings {
		d := &e.model.pairings[k]
		p := edge{
			a: r.index[r.data.names[d.a]], b: r.index[r.data.names[d.b]], model: e.model.drawModel,
			adv: e.model.advantageAt(e.x), t: parameter(e.x, e.model.draw), sd: math.Sqrt(e.pointsVariance(k)),
			lost: [2]weights{{0: d.outcomes[0].sum()}, {2: d.outcomes[1].sum()}},
		}
		p.fitted = parameter(e.x, d.i) - parameter(e.x, d.j) + d.shift
		var slope float64
		p.expected, slope = p.points(p.fitted)
		if !(p.sd > 0 && slope > 0) {
			return nil, false
		}
		p.weight = slope * slope / (p.sd * p.sd)
		laplacian.SetSym(p.a, p.b, laplacian.At(p.a, p.b)-p.weight)
		laplacian.SetSym(p.a, p.a, laplacian.At(p.a, p.a)+p.weight)
		laplacian.SetSym(p.b, p.b, laplacian.At(p.b, p.b)+p.weight)
		f.edges = append(f.edges, p)
	}
	return f, f.laplacian.Factorize(laplacian)
}

// games is the number of games.
func (p *edge) games() float64 { return p.lost[0].sum() + p.lost[1].sum() }

// points returns the points expected of the first player at a difference, and their
// derivative: the gradient of the loss is how many points more were expected than scored.
func (p *edge) points(z float64) (points, slope float64) {
	for side, logit := range [...]float64{p.adv + z, p.adv - z} {
		gradient, curve := p.model.loss(p.lost[side], logit, p.t).bySide(side)
		points, slope = points+gradient[0], slope+curve[0]
	}
	return points, slope
}

// difference returns that at which these points are expected, with a drawn game
// added to all.
func (p *edge) difference(points float64) float64 {
	points = (points + 0.5) / (p.games() + 1) * p.games()
	z := p.fitted
	for range 100 {
		expected, slope := p.points(z)
		step := math.Max(-1, math.Min(1, (points-expected)/math.Max(slope, 1e-9)))
		if z += step; math.Abs(step) < differenceGoal {
			break
		}
	}
	return z
}

// split returns the sums of squares of the gradient and the cyclic part of the
// differences, each square by the pairing's weight.
func (f *flow) split(differences []float64) (gradient, cyclic float64) {
	divergence := make([]float64, f.n)
	for k, d := range differences {
		p := &f.edges[k]
		divergence[p.a] += p.weight * d
		divergence[p.b] -= p.weight * d
	}
	numbers := make([]float64, f.n)
	if solve(f.laplacian, numbers, divergence) != nil {
		return 0, 0
	}
	for k, d := range differences {
		p := &f.edges[k]
		g := numbers[p.a] - numbers[p.b]
		gradient += p.weight * g * g
		cyclic += p.weight * (d - g) * (d - g)
	}
	return gradient, cyclic
}

// strongest returns the strongest cycle of three, the sum of its differences, and its strength: that sum in standard
// deviations; 0 if there is no cycle.
func (f *flow) strongest(differences []float64) (cycle [3]int, sum, strength float64) {
	var d, variance [maxCyclePlayers][maxCyclePlayers]float64
	for k, p := range f.edges {
		d[p.a][p.b], d[p.b][p.a] = differences[k], -differences[k]
		variance[p.a][p.b], variance[p.b][p.a] = 1/p.weight, 1/p.weight
	}
	for i := range f.n {
		for j := i + 1; j < f.n; j++ {
			for k := j + 1; k < f.n; k++ {
				for _, c := range [...][3]int{{i, j, k}, {i, k, j}} {
					x, y, z := d[c[0]][c[1]], d[c[1]][c[2]], d[c[2]][c[0]]
					if min(x, y, z) <= differenceGoal { // one may be a difference of none
						continue
					}
					v := variance[i][j] + variance[j][k] + variance[k][i]
					if s := (x + y + z) / math.Sqrt(v); s > strength {
						cycle, sum, strength = c, x+y+z, s
					}
				}
			}
		}
	}
	return cycle, sum, strength
}
