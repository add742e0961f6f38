package ratings

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// covariance is that of the estimates, H⁻¹ S H⁻¹: the inverse of the Hessian, the
// score covariance of the gradient, and the inverse again.
type covariance struct {
	frame
	solver  *solver
	inverse *mat.SymDense
	hessian *quad
	scores  *quad
}

// newCovariance inverts the Hessian. Without parameters there is nothing to invert.
func newCovariance(h *quad, s *solver) (*covariance, error) {
	c := &covariance{frame: h.frame, solver: s, hessian: h}
	if h.dim == 0 {
		return c, nil
	}
	c.inverse = mat.NewSymDense(h.dim, nil)
	return c, ignoreCondition(s.chol.InverseTo(c.inverse))
}

// at returns an element of the inverse Hessian; 0 where a rating is given.
func (c *covariance) at(i, j int) float64 {
	if i < 0 || j < 0 {
		return 0
	}
	return c.inverse.At(i, j)
}

// leverages are the leverages of the Hessian's links: of one of so many pairs.
func (c *covariance) leverages(pairs []float64) []leverage {
	leverages := make([]leverage, len(pairs))
	for k := range leverages {
		l := &c.hessian.links[k]
		u := c.at(l.i, l.i) + c.at(l.j, l.j) - 2*c.at(l.i, l.j)
		bound := func(v float64) float64 { return math.Max(0, math.Min(maxLeverage, v)) }
		leverages[k] = leverage{
			u: bound(l.sym3[0] / pairs[k] * u),
			v: bound(l.sym3[3] / pairs[k] * c.at(c.advantage, c.advantage)),
		}
	}
	return leverages
}

// product returns the product of the inverse Hessian with a contrast, a weighted sum
// of the parameters: its form in the score covariance is the contrast's variance.
func (c *covariance) product(contrast []float64) []float64 {
	y := make([]float64, c.dim)
	if c.dim > 0 {
		mat.NewVecDense(c.dim, y).MulVec(c.inverse, mat.NewVecDense(c.dim, contrast))
	}
	return y
}

// variance is that of a contrast.
func (c *covariance) variance(contrast []float64) float64 { return c.scores.form(c.product(contrast)) }

// reference is what a group's ratings are measured from: the weighted mean of these
// parameters; nothing where given ratings hold them.
type reference []share

// share is a parameter with its weight.
type share struct {
	i int
	w float64
}

func (g reference) add(contrast []float64, f float64) {
	for _, s := range g {
		contrast[s.i] += f * s.w
	}
}

func (g reference) of(x []float64) float64 {
	sum := 0.0
	for _, s := range g {
		sum += s.w * x[s.i]
	}
	return sum
}

// ratingVariances are the variances of parameters less their references; of[k] is
// the reference of param[k], and a negative parameter is a given rating.
func (c *covariance) ratingVariances(ctx context.Context, param []int, of []int, references []reference) ([]float64, error) {
	middle := make([][]float64, len(references))
	for g := range references {
		contrast := make([]float64, c.dim)
		references[g].add(contrast, 1)
		middle[g] = c.product(contrast)
	}
	variances := make([]float64, len(param))
	y := make([]float64, c.dim)
	for k, p := range param {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range y {
			y[i] = -middle[of[k]][i] + c.at(p, i)
		}
		variances[k] = c.scores.form(y)
	}
	return variances, nil
}

// difference is the variance of one parameter less another; a negative one is
// given and has none.
func (c *covariance) difference(i, j int) float64 {
	y := make([]float64, c.dim)
	for k := range y {
		y[k] = c.at(i, k) - c.at(j, k)
	}
	return c.scores.form(y)
}
