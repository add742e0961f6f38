package ratings

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// simulated is the number of simulated gradients that the errors of very
	// many players come from; it leaves them a standard error of some three percent.
	simulated = 256
	// simulatedPart of them are drawn one after the other, with random numbers of
	// their own.
	simulatedPart = 16
	// simulationSeed starts their random numbers, the same for every fit.
	simulationSeed = 1
)

// covariance is that of the estimates, never written out: the inverse of the
// Hessian, the spread of the gradient, and the inverse again.
type covariance struct {
	frame
	system system
	spread *quad
	// inverse of the Hessian; nil where there are too many parameters for it.
	inverse *mat.SymDense
	hessian *quad
}

func newCovariance(h *quad, s system) (*covariance, error) {
	c := &covariance{frame: h.frame, system: s, hessian: h}
	if f, ok := s.(*factorized); ok {
		c.inverse = mat.NewSymDense(h.dim, nil)
		if err := solved(f.chol.InverseTo(c.inverse)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// levers are the leverages of the Hessian's links: of one of so many pairs. With
// very many parameters they are taken from the diagonal alone, which is the
// most a player's games can weigh.
func (c *covariance) levers(pairs []float64) []lever {
	levers := make([]lever, len(pairs))
	inverse := c.entry()
	for k := range levers {
		l := &c.hessian.links[k]
		u := inverse(l.i, l.i) + inverse(l.j, l.j) - 2*inverse(l.i, l.j)
		bound := func(v float64) float64 { return math.Max(0, math.Min(maxLeverage, v)) }
		levers[k] = lever{
			u: bound(l.sym3[0] / pairs[k] * u),
			v: bound(l.sym3[3] / pairs[k] * inverse(c.advantage, c.advantage)),
		}
	}
	return levers
}

// entry reads the inverse Hessian, or what the diagonal says of it.
func (c *covariance) entry() func(i, j int) float64 {
	if c.inverse != nil {
		return func(i, j int) float64 {
			if i < 0 || j < 0 {
				return 0
			}
			return c.inverse.At(i, j)
		}
	}
	diagonal := make([]float64, c.dim)
	c.hessian.diagonal(diagonal)
	return func(i, j int) float64 {
		if i < 0 || i != j {
			return 0
		}
		return 1 / diagonal[i]
	}
}

// reach solves for a contrast, a weighted sum of the parameters: the answer's
// form in the spread is the contrast's variance.
func (c *covariance) reach(ctx context.Context, contrast []float64) ([]float64, error) {
	y := make([]float64, c.dim)
	if c.inverse != nil {
		mat.NewVecDense(c.dim, y).MulVec(c.inverse, mat.NewVecDense(c.dim, contrast))
		return y, nil
	}
	return y, c.system.solve(ctx, y, contrast)
}

// variance is that of a contrast.
func (c *covariance) variance(ctx context.Context, contrast []float64) (float64, error) {
	y, err := c.reach(ctx, contrast)
	if err != nil {
		return 0, err
	}
	return c.spread.form(y), nil
}

// gauge is what a group's ratings are measured from: the weighted mean of these
// parameters; nothing where given ratings hold them.
type gauge []share

// share is a parameter with its weight.
type share struct {
	i int
	w float64
}

func (g gauge) add(contrast []float64, f float64) {
	for _, s := range g {
		contrast[s.i] += f * s.w
	}
}

func (g gauge) of(x []float64) float64 {
	sum := 0.0
	for _, s := range g {
		sum += s.w * x[s.i]
	}
	return sum
}

// ratingVariances are the variances of parameters less their gauges; of[k] is
// the gauge of param[k], and a negative parameter is a given rating.
func (c *covariance) ratingVariances(ctx context.Context, param []int, of []int, gauges []gauge) ([]float64, error) {
	if c.inverse == nil {
		return c.simulate(ctx, param, of, gauges)
	}
	middle := make([][]float64, len(gauges))
	for g := range gauges {
		contrast := make([]float64, c.dim)
		gauges[g].add(contrast, 1)
		var err error
		if middle[g], err = c.reach(ctx, contrast); err != nil {
			return nil, err
		}
	}
	variances := make([]float64, len(param))
	y := make([]float64, c.dim)
	for k, p := range param {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range y {
			y[i] = -middle[of[k]][i]
			if p >= 0 {
				y[i] += c.inverse.At(p, i)
			}
		}
		variances[k] = c.spread.form(y)
	}
	return variances, nil
}

// simulate estimates the same variances from gradients drawn at random with the
// spread as their covariance. Each is solved for, which gives one simulated
// error of all ratings at once. A player's own gradient over its own curvature
// is near to that error and its variance is known, so only the rest has to be
// estimated (a control variate).
func (c *covariance) simulate(ctx context.Context, param []int, of []int, gauges []gauge) ([]float64, error) {
	own, known := make([]float64, c.dim), make([]float64, c.dim)
	c.hessian.diagonal(own)
	c.spread.diagonal(known)
	for i := range known {
		known[i] /= own[i] * own[i]
	}
	draws := newSampler(c.spread)
	parts := make([]*moments, simulated/simulatedPart)
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k := range parts {
		parts[k] = newMoments(len(param))
		group.Go(func() error {
			rng := rand.New(rand.NewPCG(simulationSeed, uint64(k)))
			return c.simulatePart(inner, rng, draws, parts[k], own, param, of, gauges)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	total := newMoments(len(param))
	for _, m := range parts { // in order, whatever ended first
		floats.Add(total.all, m.all)
	}
	variances := make([]float64, len(param))
	for k, p := range param {
		if p >= 0 {
			variances[k] = total.mean(k, known[p])
		}
	}
	return variances, nil
}

// simulatePart draws some of the gradients, and adds what they say to total.
func (c *covariance) simulatePart(ctx context.Context, rng *rand.Rand, draws *sampler, total *moments, own []float64, param, of []int, gauges []gauge) error {
	near := newIterative(c.hessian)
	near.goal = cgNear
	gradient, y, middle := make([]float64, c.dim), make([]float64, c.dim), make([]float64, len(gauges))
	for range simulatedPart {
		draws.draw(rng, gradient)
		c.settle(gradient)
		if err := near.solve(ctx, y, gradient); err != nil {
			return err
		}
		for g := range gauges {
			middle[g] = gauges[g].of(y)
		}
		for k, p := range param {
			e, guess := at(y, p)-middle[of[k]], 0.0
			if p >= 0 {
				guess = gradient[p] / own[p]
			}
			total.add(k, e*e, guess*guess)
		}
	}
	return nil
}

// settle takes out of a gradient what lies along the pinned directions, which
// say nothing of differences: rounding alone puts something there.
func (c *covariance) settle(gradient []float64) {
	for _, p := range c.hessian.pins {
		mean := p.sum(gradient) / float64(len(p.members))
		for _, i := range p.members {
			gradient[i] -= mean
		}
	}
}

// moments gathers, for each k, the sums that the mean of x takes with y as a
// control variate of known mean.
type moments struct{ x, y, xy, yy, all []float64 }

func newMoments(n int) *moments {
	m := make([]float64, 4*n)
	return &moments{m[:n], m[n : 2*n], m[2*n : 3*n], m[3*n:], m}
}

func (m *moments) add(k int, x, y float64) {
	m.x[k] += x
	m.y[k] += y
	m.xy[k] += x * y
	m.yy[k] += y * y
}

func (m *moments) mean(k int, known float64) float64 {
	const n = float64(simulated)
	x, y := m.x[k]/n, m.y[k]/n
	covar, vary := m.xy[k]/n-x*y, m.yy[k]/n-y*y
	if vary <= 0 {
		return x
	}
	return math.Max(x/4, x-covar/vary*(y-known))
}

// difference is the variance of one parameter less another; a negative one is
// given and has none.
func (c *covariance) difference(ctx context.Context, i, j int) (float64, error) {
	if c.inverse != nil {
		y := make([]float64, c.dim)
		for k := range y {
			if i >= 0 {
				y[k] += c.inverse.At(i, k)
			}
			if j >= 0 {
				y[k] -= c.inverse.At(j, k)
			}
		}
		return c.spread.form(y), nil
	}
	contrast := make([]float64, c.dim)
	put(contrast, i, 1)
	put(contrast, j, -1)
	if floats.Norm(contrast, 1) == 0 {
		return 0, nil
	}
	return c.variance(ctx, contrast)
}
