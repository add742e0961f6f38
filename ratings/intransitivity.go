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
	cycle, strength := f.strongest(differences)

	rng := rand.New(rand.NewPCG(1, 1))
	noise, asCyclic, asStrong := 0.0, 1, 1
	simulated := make([]float64, pairings)
	for range cycleSimulations {
		var deviations [][3]float64
		if c := r.estimate.cov; c.openings != nil {
			deviations = c.play(pairings, rng)
		}
		for k := range simulated {
			p := &f.edges[k]
			deviation := p.sd * rng.NormFloat64()
			if deviations != nil {
				deviation = deviations[k][0]
			}
			simulated[k] = p.difference(math.Max(0, math.Min(p.games[0]+p.games[1], p.expected+deviation)))
		}
		_, c := f.split(simulated)
		noise += c / cycleSimulations
		if c >= cyclic {
			asCyclic++
		}
		if _, s := f.strongest(simulated); s >= strength {
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
		for place, player := range cycle {
			i.Cycle = append(i.Cycle, r.Players[player].Name)
			d, _ := f.between(differences, player, cycle[(place+1)%len(cycle)])
			i.Elo += d * eloPerNat
		}
	}
	return i, true
}

// flow is the differences of all pairings of n players, by number, as the edges of a graph: it
// splits them into a gradient and a cyclic part (the Hodge decomposition).
type flow struct {
	n         int
	edges     []edge
	edgeOf    []int         // by player·n + player
	laplacian *mat.Cholesky // of the weights
}

// edge is the pairing of players a and b. Its difference is a less b.
type edge struct {
	a, b     int
	games    [2]float64 // by who had South
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
	f := &flow{n: len(r.Players), edgeOf: make([]int, len(r.Players)*len(r.Players))}
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
			games: [2]float64{d.outcomes[0].sum(), d.outcomes[1].sum()},
		}
		p.fitted = parameter(e.x, d.i) - parameter(e.x, d.j) + d.shift
		var slope float64
		p.expected, slope = p.points(p.fitted)
		if !(p.sd > 0 && slope > 0) {
			return nil, false
		}
		p.weight = slope * slope / (p.sd * p.sd)
		f.edgeOf[p.a*f.n+p.b], f.edgeOf[p.b*f.n+p.a] = k, k
		laplacian.SetSym(p.a, p.b, laplacian.At(p.a, p.b)-p.weight)
		laplacian.SetSym(p.a, p.a, laplacian.At(p.a, p.a)+p.weight)
		laplacian.SetSym(p.b, p.b, laplacian.At(p.b, p.b)+p.weight)
		f.edges = append(f.edges, p)
	}
	f.laplacian = new(mat.Cholesky)
	return f, f.laplacian.Factorize(laplacian)
}

// points returns the points expected of the first player at a difference, and their
// derivative.
func (p *edge) points(z float64) (points, slope float64) {
	if !p.model.parametric() { // faster, with the same values
		first, second := logistic(p.adv+z), logistic(z-p.adv)
		return p.games[0]*first + p.games[1]*second, p.games[0]*first*(1-first) + p.games[1]*second*(1-second)
	}
	const step = 1e-4
	score := func(z float64) float64 {
		first, second := p.model.chances(p.adv+z, p.t), p.model.chances(p.adv-z, p.t)
		return p.games[0]*(first[2]+first[1]/2) + p.games[1]*(second[0]+second[1]/2)
	}
	return score(z), (score(z+step) - score(z-step)) / (2 * step)
}

// difference returns that at which these points are expected, with a drawn game
// added to all.
func (p *edge) difference(points float64) float64 {
	games := p.games[0] + p.games[1]
	points = (points + 0.5) / (games + 1) * games
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

// between returns the difference of player i less j, and its variance.
func (f *flow) between(differences []float64, i, j int) (difference, variance float64) {
	k := f.edgeOf[i*f.n+j]
	p := &f.edges[k]
	if p.a == i {
		return differences[k], 1 / p.weight
	}
	return -differences[k], 1 / p.weight
}

// strongest returns the strongest cycle of three and its strength, the sum of its
// differences in standard deviations; 0 if there is no cycle.
func (f *flow) strongest(differences []float64) (cycle [3]int, strength float64) {
	for i := range f.n {
		for j := i + 1; j < f.n; j++ {
			ij, vij := f.between(differences, i, j)
			for k := j + 1; k < f.n; k++ {
				jk, vjk := f.between(differences, j, k)
				if (ij > 0) != (jk > 0) {
					continue
				}
				ki, vki := f.between(differences, k, i)
				if (ki > 0) != (ij > 0) || ij == 0 || jk == 0 || ki == 0 {
					continue
				}
				if s := math.Abs(ij+jk+ki) / math.Sqrt(vij+vjk+vki); s > strength {
					cycle, strength = [3]int{i, j, k}, s
					if ij < 0 {
						cycle = [3]int{i, k, j}
					}
				}
			}
		}
	}
	return cycle, strength
}
