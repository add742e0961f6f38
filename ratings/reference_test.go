package ratings

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// score is a game count with the players' numbers, for the slow methods below, which share nothing
// with the package.
type score struct {
	south, north int
	points       float64
	games        float64
}

// slowFit maximizes the likelihood by a textbook Newton iteration: ratings relative to player 0,
// half steps while the gradient grows. It returns ratings with mean zero and the advantage, and the
// covariance of the ratings 1, 2, … relative to player 0 with the advantage last, all in Elo.
func slowFit(n int, scores []score) (elo []float64, advantage float64, cov [][]float64) {
	x := make([]float64, n) // x[0] holds the advantage, x[i] player i less player 0
	rating := func(x []float64, i int) float64 {
		if i == 0 {
			return 0
		}
		return x[i]
	}
	derivatives := func(x []float64) (g []float64, h [][]float64, size float64) {
		g, h = make([]float64, n), square(n)
		for _, s := range scores {
			p := 1 / (1 + math.Exp(-(rating(x, s.south) + x[0] - rating(x, s.north))))
			w := make([]float64, n)
			w[0] = 1
			if s.south > 0 {
				w[s.south]++
			}
			if s.north > 0 {
				w[s.north]--
			}
			for i := range w {
				g[i] += w[i] * (s.points - s.games*p)
				for j := range w {
					h[i][j] += w[i] * w[j] * s.games * p * (1 - p)
				}
			}
		}
		for _, v := range g {
			size = math.Max(size, math.Abs(v))
		}
		return g, h, size
	}
	for moved := true; moved; {
		moved = false
		g, h, size := derivatives(x)
		inverse := invert(h)
		for step := 1.0; step > 1e-6; step /= 2 {
			next := make([]float64, n)
			for i := range next {
				next[i] = x[i]
				for j := range g {
					next[i] += step * inverse[i][j] * g[j]
				}
			}
			if _, _, s := derivatives(next); s < size {
				x, moved = next, true
				break
			}
		}
	}
	_, h, _ := derivatives(x)
	cov = invert(h)
	mean := 0.0
	for i := 1; i < n; i++ {
		mean += x[i] / float64(n)
	}
	const unit = 400 / math.Ln10
	elo = make([]float64, n)
	for i := range elo {
		elo[i] = (rating(x, i) - mean) * unit
		for j := range cov {
			cov[i][j] *= unit * unit
		}
	}
	return elo, x[0] * unit, cov
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// invert is the inverse by LU factors.
func invert(a [][]float64) [][]float64 {
	n, inverse := len(a), square(len(a))
	m := mat.NewDense(n, n, slices.Concat(a...))
	if err := m.Inverse(m); err != nil {
		panic(err)
	}
	for i := range inverse {
		mat.Row(inverse[i], i, m)
	}
	return inverse
}

// slowError is half the 95 % interval of a sum of parameters with the given weights.
func slowError(cov [][]float64, weights []float64) float64 {
	v := 0.0
	for i := range weights {
		for j := range weights {
			v += weights[i] * weights[j] * cov[i][j]
		}
	}
	return 1.959964 * math.Sqrt(v)
}

// ratable draws games among n players that always have finite ratings and a
// finite advantage: neighbours have beaten each other on both sides.
func ratable(t *rapid.T, n int) (*Data, []score) {
	d := &Data{}
	name := func(i int) string { return string(rune('a' + i)) }
	counts := make(map[[2]int]Count)
	for i := 1; i < n; i++ {
		counts[[2]int{i - 1, i}] = Count{Wins: 1, Losses: 1}
		counts[[2]int{i, i - 1}] = Count{Wins: 1, Losses: 1}
	}
	few := rapid.IntRange(0, 12)
	for s := range n {
		for o := range n {
			if s != o && rapid.Bool().Draw(t, "met") {
				k := [2]int{s, o}
				counts[k] = counts[k].Plus(Count{few.Draw(t, "wins"), few.Draw(t, "draws"), few.Draw(t, "losses")})
			}
		}
	}
	var scores []score
	for s := range n {
		for o := range n {
			if c, ok := counts[[2]int{s, o}]; ok {
				play(d, name(s), name(o), c.Wins, c.Draws, c.Losses)
				scores = append(scores, score{s, o, c.Points(), float64(c.Games())})
			}
		}
	}
	return d, scores
}

func TestFitAgreesWithSlowNewton(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "players")
		d, scores := ratable(t, n)
		elo, advantage, cov := slowFit(n, scores)
		r, err := Fit(context.Background(), d, Options{})
		require.NoError(t, err)
		r.takeLikelihood(t)
		require.Len(t, r.Players, n)
		require.True(t, r.Advantage.Fitted)
		require.InDelta(t, advantage, r.Advantage.Elo, 1e-6)
		require.InEpsilon(t, slowError(cov, unit(n, 0)), r.Advantage.Error, 1e-6)
		shares := r.estimate.constraints[0].shares[:n]
		floats.Scale(1/floats.Sum(shares), shares)
		zero, mean := floats.Dot(shares, elo), 0.0
		for i, name := range d.Players() {
			p, ok := r.Player(name)
			require.True(t, ok)
			require.InDelta(t, elo[i]-zero, p.Elo, 1e-6, name)
			mean += shares[i] * p.Elo
			weights := unit(n, i)
			weights[0] = 0 // the advantage's place; player 0 is the reference
			for j := 1; j < n; j++ {
				weights[j] -= shares[j]
			}
			require.InEpsilon(t, slowError(cov, weights), p.Error, 1e-6, name)
			if i > 0 {
				diff, ok := r.Difference(name, "a")
				require.True(t, ok)
				require.InDelta(t, elo[i]-elo[0], diff.Elo, 1e-6)
				require.InEpsilon(t, slowError(cov, unit(n, i)), diff.Error, 1e-6)
			}
		}
		require.InDelta(t, 0, mean, 1e-6)
	})
}

func unit(n, i int) []float64 {
	w := make([]float64, n)
	w[i] = 1
	return w
}

func TestGradientAndHessianAgreeWithDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "players")
		d, _ := ratable(t, n)
		o := Options{Prior: ptr(rapid.Float64Range(0, 3).Draw(t, "prior"))}
		if rapid.Bool().Draw(t, "anchor") {
			o.Anchors = []Anchor{{Name: "a", Elo: 50}}
		}
		p := newProblem(d.sorted(), o)
		if rapid.Bool().Draw(t, "normal") {
			p.prior.Draws, p.precision = 0, 0.7
		}
		p.advantage = Advantage{Elo: rapid.Float64Range(-170, 170).Draw(t, "advantage"),
			Fitted: rapid.Bool().Draw(t, "fitted")}
		m := p.likelihood()
		if m.dim == 0 { // all is given
			return
		}
		if rapid.Bool().Draw(t, "ridge") {
			m.ridge = 0.3
		}
		x := make([]float64, m.dim)
		for i := range x {
			x[i] = rapid.Float64Range(-3, 3).Draw(t, "x")
		}
		const h = 1e-5
		at := m.at(x)
		hess := at.hessian()
		for i, v := range x {
			x[i] = v + h
			up := m.at(x)
			x[i] = v - h
			down := m.at(x)
			x[i] = v
			require.InDelta(t, (up.value-down.value)/(2*h), at.gradient[i], 1e-4)
			for j := range x {
				require.InDelta(t, (up.gradient[j]-down.gradient[j])/(2*h), hess.At(i, j), 1e-4)
			}
		}
	})
}
