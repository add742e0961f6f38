package ratings

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

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
	cov := r.estimate.cov.joint(params)
	elo := make([]float64, n)
	for i, p := range rivals {
		elo[i] = p.Elo
	}
	strength := shrunk(elo, cov)
	root := lowerRoot(cov)
	rng := rand.New(rand.NewPCG(1, 1))
	draws := max(fewestDraws, min(bestDraws, int(bestWork)/(n*n)))
	normal, errors, sum := make([]float64, n), make([]float64, n), make([]float64, n)
	for range draws / 2 {
		for i := range normal {
			normal[i] = rng.NormFloat64()
		}
		for i, row := range root {
			errors[i] = floats.Dot(row, normal[:len(row)])
		}
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
		sd := math.Sqrt(math.Max(0, cov.At(0, 0)+cov.At(1, 1)-2*cov.At(0, 1)))
		b.Chances[0] = r.estimate.cov.superiority(elo[0]-elo[1], sd)
		b.Chances[1] = 1 - b.Chances[0]
	}
	return b
}

// shrunk returns ratings drawn together so far that their variance is the part of it that
// their errors don't explain.
func shrunk(elo []float64, cov *mat.Dense) []float64 {
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

// joint returns the covariance of ratings in Elo, by their parameters.
func (c *covariance) joint(params []int) *mat.Dense {
	rows, all := mat.NewDense(len(params), max(1, c.dim), nil), quadratic{parameters: c.parameters, terms: c.scores.terms}
	for i, p := range params {
		for k := range c.dim {
			rows.Set(i, k, c.element(p, k)*eloPerNat)
		}
	}
	var half, joint mat.Dense
	scores := all.dense()
	if c.products != nil {
		scores.AddSym(scores, c.products)
	}
	half.Mul(rows, scores)
	joint.Mul(&half, rows.T())
	return &joint
}

// lowerRoot returns a lower triangular matrix whose product with its transpose is a positive
// semidefinite one.
func lowerRoot(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, i+1)
		for j := range i {
			if pivot := rows[j][j]; pivot > 0 {
				rows[i][j] = (m.At(i, j) - floats.Dot(rows[i][:j], rows[j][:j])) / pivot
			}
		}
		const rounding = 1e-9
		if left := m.At(i, i) - floats.Dot(rows[i][:i], rows[i][:i]); left > rounding*m.At(i, i) {
			rows[i][i] = math.Sqrt(left)
		}
	}
	return rows
}
