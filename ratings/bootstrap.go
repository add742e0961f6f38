package ratings

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// maxBootstrapped bounds the memory of a bootstrap: players times resamples.
const maxBootstrapped = 50_000_000

// bootstrap resamples the game pairs, and the games that are in none, and fits
// each resample. It is Bayesian (Rubin 1981): instead of being drawn so many
// times, each pair gets a weight from the exponential distribution with mean
// one. To first order that spreads the estimates as much; but no resample leaves
// a player without the one point that keeps its rating finite.
//
// Each resample has its own random numbers, so the outcome doesn't depend on how
// many run at once.
func (f *fit) bootstrap(ctx context.Context, r *Ratings) error {
	n := f.options.Bootstrap
	if n == 0 {
		return nil
	}
	if n*len(r.Players) > maxBootstrapped {
		return fmt.Errorf("bootstrap: %d resamples of %d players: expected at most %d ratings in all",
			n, len(r.Players), maxBootstrapped)
	}
	e := r.estimate
	elos, advantages := make([][]float64, n), make([]float64, n)
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			x, err := e.resample(inner, rand.New(rand.NewPCG(f.options.Seed, uint64(i))))
			if err != nil {
				return fmt.Errorf("bootstrap: %w", err)
			}
			advantages[i] = at(x, e.model.advantage) * eloPerNat
			for _, p := range e.rated {
				elos[i] = append(elos[i], p.elo(x))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.Resamples = n
	column := make([]float64, n)
	for k := range r.Players {
		for i := range elos {
			column[i] = elos[i][k]
		}
		r.Players[k].Bootstrap = halfWidth(column)
	}
	if r.Advantage.Fitted {
		r.Advantage.Bootstrap = halfWidth(advantages)
	}
	return nil
}

// halfWidth is half the distance between the 2.5 % and the 97.5 % quantile.
func halfWidth(values []float64) float64 {
	slices.Sort(values)
	return (stat.Quantile(0.975, stat.Empirical, values, nil) - stat.Quantile(0.025, stat.Empirical, values, nil)) / 2
}

// resample fits the same games with random weights.
func (e *estimate) resample(ctx context.Context, rng *rand.Rand) ([]float64, error) {
	m := *e.model
	m.pairings = slices.Clone(e.model.pairings)
	for k := range m.pairings {
		m.pairings[k].games = e.met[k].reweigh(rng)
	}
	x, ok, err := e.near(ctx, &m)
	if !ok && err == nil {
		x, _, _, err = m.maximize(ctx, slices.Clone(e.x))
	}
	return x, err
}

const (
	nearGoal = 1e-4 // of the last step towards a resample's maximum, Elo
	nearMost = 40   // steps
)

// near goes from the estimate to the maximum of a likelihood much like it by
// steps with the estimate's own Hessian, which has been factorized before. It
// reports false if they don't lead there.
func (e *estimate) near(ctx context.Context, m *model) (x []float64, ok bool, err error) {
	x = slices.Clone(e.x)
	gradient, step := make([]float64, m.dim), make([]float64, m.dim)
	for range nearMost {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		m.setGradient(gradient, x)
		if err := solve(e.cov.factors, step, gradient); err != nil {
			return nil, false, err
		}
		floats.Sub(x, step)
		size := floats.Norm(step, math.Inf(1)) * eloPerNat
		if !(size < maxElo) {
			return nil, false, nil
		}
		if size < nearGoal {
			return x, true, nil
		}
	}
	return nil, false, nil
}

// reweigh gives each pair, and each single game, a weight from the exponential
// distribution. Those with the same results add up to a gamma distribution.
func (m *meeting) reweigh(rng *rand.Rand) [2]weights {
	var games [2]weights
	gamma := func(c int) float64 {
		if c == 0 {
			return 0
		}
		return distuv.Gamma{Alpha: float64(c), Beta: 1, Src: rng}.Rand()
	}
	for i, row := range m.pairs {
		for j, c := range row {
			w := gamma(c)
			games[0][i] += w
			games[1][j] += w
		}
	}
	for side, counts := range m.single {
		for o, c := range counts {
			games[side][o] += gamma(c)
		}
	}
	return games
}
