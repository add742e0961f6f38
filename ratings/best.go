package ratings

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"

	"gyges/rules/base/interval"
)

// Best is who may be the strongest player of a group, by the joint normal distribution of the
// ratings.
type Best struct {
	// Chances are the probabilities that a player is the strongest, in the order of the group's
	// players in Ratings.Players. Their sum is 1.
	Chances []float64
	// Bias is by how much the highest rating is expected to be too high, in Elo, as it is the
	// highest of several that err. It is 0 with an estimated prior, which allows for that.
	Bias float64
}

const (
	bestDraws = 20000 // fewer if many players may be the strongest, but at least fewestDraws
	bestWork  = 2e8   // draws by the square of the players
	// fewestDraws gives probabilities a standard error of up to 1.6 points; 20,000 give 0.35.
	fewestDraws = 1000
	// hopeless is the number of standard errors, of a player and of the first, below the first
	// from which a player is not taken for a possible strongest.
	hopeless = 5
)

// Best returns who may be the strongest player of a group, by its index. It is found by draws
// from the ratings' joint distribution with a fixed seed.
func (r *Ratings) Best(group int) Best {
	var players, rivals []Player
	var places, params []int // of the rivals
	for i, p := range r.Players {
		if p.Group != group {
			continue
		}
		players = append(players, p)
		if first := players[0]; (first.Elo-p.Elo)*interval.Z95 <= hopeless*(first.Error+p.Error) {
			rivals, places = append(rivals, p), append(places, len(players)-1)
			params = append(params, r.estimate.rated[i].param)
		}
	}
	b := Best{Chances: make([]float64, len(players))}
	n := len(rivals)
	if n < 2 {
		b.Chances[0] = 1
		return b
	}
	cov, elo := mat.NewSymDense(n, nil), make([]float64, n)
	for i, p := range params {
		elo[i] = rivals[i].Elo
		for j, q := range params[:i+1] {
			cov.SetSym(i, j, r.estimate.cov.at(p, q)*eloPerNat*eloPerNat)
		}
	}
	strength, normal := shrunk(elo, cov), errorsOf(cov)
	draws := max(fewestDraws, min(bestDraws, int(bestWork)/(n*n)))
	errors, sum := make([]float64, n), make([]float64, n)
	for range draws / 2 {
		normal.Rand(errors)
		for range 2 { // a draw and its opposite
			b.Chances[places[floats.MaxIdx(floats.AddTo(sum, elo, errors))]] += 0.5 / float64(draws/2)
			b.Bias += errors[floats.MaxIdx(floats.AddTo(sum, strength, errors))] / 2 / float64(draws/2)
			floats.Scale(-1, errors)
		}
	}
	if r.Prior.estimated() {
		b.Bias = 0
	}
	if len(players) == 2 { // exactly
		b.Chances[0] = superiority(elo[0]-elo[1], r.estimate.cov.sd(params[0], params[1])*eloPerNat)
		b.Chances[1] = 1 - b.Chances[0]
	}
	return b
}

// shrunk returns ratings drawn together so far that their variance is the part of it that
// their errors don't explain.
func shrunk(elo []float64, cov *mat.SymDense) []float64 {
	mean, variance := stat.MeanVariance(elo, nil)
	n := float64(len(elo))
	noise := (mat.Trace(cov) - mat.Sum(cov)/n) / (n - 1)
	list := make([]float64, len(elo))
	for i, v := range elo {
		list[i] = mean
		if variance > noise {
			list[i] += (v - mean) * math.Sqrt(1-noise/variance)
		}
	}
	return list
}

// errorsOf returns the normal distribution of errors with a covariance, which is singular where the mean of the ratings
// is given: so little is added to the variances that it no longer is.
func errorsOf(cov *mat.SymDense) *distmv.Normal {
	n := cov.SymmetricDim()
	more := math.Max(1e-12*mat.Norm(cov, 1), 1e-300)
	for {
		for i := range n {
			cov.SetSym(i, i, cov.At(i, i)+more)
		}
		if normal, ok := distmv.NewNormal(make([]float64, n), cov, rand.NewPCG(1, 1)); ok {
			return normal
		}
		more *= 10
	}
}
