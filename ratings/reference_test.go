package ratings

import (
	"context"
	"math"
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

// slowFit maximizes the likelihood by a textbook Newton iteration: ratings relative to player 0, half
// steps while the gradient grows. It returns ratings with mean zero and the advantage, and the covariance
// of the advantage and of the ratings 1, 2, … relative to player 0, all in Elo.
func slowFit(n int, scores []score) (elo []float64, advantage float64, cov *mat.Dense) {
	x := mat.NewVecDense(n, nil) // 0 is the advantage, i player i less player 0
	derivatives := func(x *mat.VecDense) (*mat.VecDense, *mat.SymDense) {
		g, h := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for _, s := range scores {
			w := difference(n, s.south, s.north)
			w.SetVec(0, 1)
			p := 1 / (1 + math.Exp(-mat.Dot(w, x)))
			g.AddScaledVec(g, s.points-s.games*p, w)
			h.SymRankOne(h, s.games*p*(1-p), w)
		}
		return g, h
	}
	for moved := true; moved; {
		moved = false
		g, h := derivatives(x)
		var step, next mat.VecDense
		if err := step.SolveVec(h, g); err != nil {
			panic(err)
		}
		for part := 1.0; part > 1e-6 && !moved; part /= 2 {
			next.AddScaledVec(x, part, &step)
			after, _ := derivatives(&next)
			moved = mat.Norm(after, math.Inf(1)) < mat.Norm(g, math.Inf(1))
		}
		if moved {
			x.CloneFromVec(&next)
		}
	}
	const unit = 400 / math.Ln10
	advantage = x.AtVec(0) * unit
	x.SetVec(0, 0)
	mean := mat.Sum(x) / float64(n)
	for i := range n {
		elo = append(elo, (x.AtVec(i)-mean)*unit)
	}
	_, h := derivatives(mat.NewVecDense(n, append([]float64{advantage / unit}, x.RawVector().Data[1:]...)))
	cov = new(mat.Dense)
	if err := cov.Inverse(h); err != nil {
		panic(err)
	}
	cov.Scale(unit*unit, cov)
	return elo, advantage, cov
}

// difference has 1 for player i and -1 for player j, but nothing for player 0.
func difference(n, i, j int) *mat.VecDense {
	w := mat.NewVecDense(n, nil)
	w.SetVec(i, 1)
	w.SetVec(j, w.AtVec(j)-1)
	w.SetVec(0, 0)
	return w
}

// slowError is half the 95 % interval of a sum of parameters with the given weights.
func slowError(cov *mat.Dense, weights *mat.VecDense) float64 {
	return 1.959964 * math.Sqrt(mat.Inner(weights, cov, weights))
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
		require.InEpsilon(t, 1.959964*math.Sqrt(cov.At(0, 0)), r.Advantage.Error, 1e-6)
		shares := r.estimate.constraints[0].shares[:n]
		floats.Scale(1/floats.Sum(shares), shares)
		zero, mean := floats.Dot(shares, elo), 0.0
		for i, name := range d.Players() {
			p, ok := r.Player(name)
			require.True(t, ok)
			require.InDelta(t, elo[i]-zero, p.Elo, 1e-6, name)
			mean += shares[i] * p.Elo
			weights := difference(n, i, 0)
			for j := 1; j < n; j++ {
				weights.SetVec(j, weights.AtVec(j)-shares[j])
			}
			require.InEpsilon(t, slowError(cov, weights), p.Error, 1e-6, name)
			if i > 0 {
				diff, ok := r.Difference(name, "a")
				require.True(t, ok)
				require.InDelta(t, elo[i]-elo[0], diff.Elo, 1e-6)
				require.InEpsilon(t, slowError(cov, difference(n, i, 0)), diff.Error, 1e-6)
			}
		}
		require.InDelta(t, 0, mean, 1e-6)
	})
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
