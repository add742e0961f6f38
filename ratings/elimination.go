package ratings

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// elimination is the preconditioner of an iteration. The players of few opponents are eliminated
// one after the other, as by Cholesky factors, and what then is left of the others is taken for
// diagonal. Equations of a chain, a ladder or a tree are so solved in a few steps, where the
// diagonal alone takes as many steps as the longest chain has players. Among players of many
// opponents nobody is eliminated, and the preconditioner is the diagonal.
type elimination struct {
	diagonal []float64
	pivots   []float64    // by parameter
	steps    []eliminated // in their order
	// links are by parameter: the weights of its links to others, see [link]; nil for a parameter
	// that isn't listed, as it has too many or is eliminated.
	links []map[int]float64
}

// eliminated is a parameter with its factors: the share of it that others take up.
type eliminated struct {
	parameter int
	others    []int // ascending
	shares    []float64
}

const (
	// maxEliminated is how many others a parameter may be linked to when it is eliminated: the
	// time is its square.
	maxEliminated = 16
	// maxListed is how many it may be linked to before others are.
	maxListed = 64
	// leastPivot is the smallest share of the diagonal that is left over when others are
	// eliminated: less is rounding.
	leastPivot = 1e-13
)

// eliminate returns the preconditioner of second derivatives with the given diagonal.
func eliminate(diagonal []float64, links []link, constraints []constraint) *elimination {
	e := &elimination{
		diagonal: diagonal,
		pivots:   slices.Clone(diagonal),
		links:    make([]map[int]float64, len(diagonal)),
	}
	linked := make([]int, len(diagonal))
	for _, l := range links {
		linked[l.i]++
		linked[l.j]++
	}
	for i, n := range linked {
		if n > 0 && n <= maxListed {
			e.links[i] = make(map[int]float64, n)
		}
	}
	for _, l := range links {
		e.link(l.i, l.j, l.weight)
	}
	for i := range constraints {
		e.ground(&constraints[i], linked)
	}
	// Parameters with the fewest links go first. Who has fewer by that is looked at again.
	for most := range maxEliminated + 1 {
		waiting := make([]int, len(e.links))
		for i := range waiting {
			waiting[i] = i
		}
		for len(waiting) > 0 {
			i := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			if e.links[i] != nil && len(e.links[i]) <= most {
				waiting = append(waiting, e.eliminate(i)...)
			}
		}
	}
	return e
}

// ground takes a constraint on a group's weighted sum for a constraint on one rating, the one that
// is linked to most others: either keeps the ratings of the group from moving all together. It
// leaves a group whose rating with the most links isn't listed.
func (e *elimination) ground(c *constraint, linked []int) {
	most := slices.MaxFunc(c.members, func(i, j int) int { return linked[i] - linked[j] })
	if e.links[most] == nil {
		return
	}
	sum := 0.0
	for k, i := range c.members {
		e.reduce(i, c.weight*c.shares[k]*c.shares[k])
		sum += c.shares[k]
	}
	e.pivots[most] += c.weight * sum * sum
}

// reduce takes something off a pivot, but not what may be rounding alone.
func (e *elimination) reduce(i int, by float64) {
	e.pivots[i] = math.Max(e.pivots[i]-by, leastPivot*e.diagonal[i])
}

// link adds to what links two parameters, where it is listed.
func (e *elimination) link(i, j int, weight float64) {
	if e.links[i] != nil {
		e.links[i][j] += weight
	}
	if e.links[j] != nil {
		e.links[j][i] += weight
	}
}

// eliminate eliminates a parameter and returns those that it was linked to.
func (e *elimination) eliminate(i int) []int {
	links := e.links[i]
	e.links[i] = nil
	step := eliminated{parameter: i, others: slices.Sorted(maps.Keys(links))}
	for _, j := range step.others {
		if e.links[j] != nil {
			delete(e.links[j], i)
		}
		share := links[j] / e.pivots[i]
		e.reduce(j, share*links[j])
		for k, other := range step.others[:len(step.shares)] {
			e.link(other, j, step.shares[k]*links[j])
		}
		step.shares = append(step.shares, share)
	}
	e.steps = append(e.steps, step)
	return step.others
}

// solve overwrites n columns of right sides, by rows, with their solutions.
func (e *elimination) solve(z []float64, n int) {
	for _, s := range e.steps {
		for k, other := range s.others {
			floats.AddScaled(row(z, other, n), s.shares[k], row(z, s.parameter, n))
		}
	}
	for i, pivot := range e.pivots {
		floats.Scale(1/pivot, row(z, i, n))
	}
	for _, s := range slices.Backward(e.steps) {
		for k, other := range s.others {
			floats.AddScaled(row(z, s.parameter, n), s.shares[k], row(z, other, n))
		}
	}
}
