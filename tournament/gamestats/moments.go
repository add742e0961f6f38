package gamestats

import (
	"math"

	"gyges/rules/base/interval"
)

// moments are the sums of independent units and of their cases, and of their squares and products, from which the ratio
// of the totals and its error follow. They are whole numbers, or halves, so that their order doesn't matter.
type moments struct {
	units                  int64 // with any case
	sum, cases             float64
	sumSum, sumCase, case2 float64
}

// add adds a unit: a sum over a number of cases.
func (m *moments) add(sum, cases float64) {
	if cases == 0 {
		return
	}
	m.units++
	m.sum += sum
	m.cases += cases
	m.sumSum += sum * sum
	m.sumCase += sum * cases
	m.case2 += cases * cases
}

// ratio returns the sum for each case, NaN without cases.
func (m *moments) ratio() float64 { return m.sum / m.cases }

// variance returns that of the ratio, linearised, by the residuals of the units; NaN for fewer than two units.
func (m *moments) variance() float64 {
	if m.units < 2 {
		return math.NaN()
	}
	r, n := m.ratio(), float64(m.units)
	squares := m.sumSum - 2*r*m.sumCase + r*r*m.case2
	if squares < 1e-12*(m.sumSum+r*r*m.case2) { // 0 but for rounding
		squares = 0
	}
	return squares / (m.cases * m.cases) * n / (n - 1)
}

// shareInterval returns Wilson's interval of a share, for the number of independent cases that has the share's
// variance; where all units gave the same, that is the number of units.
func (m *moments) shareInterval() (low, high float64) {
	r, v := m.ratio(), m.variance()
	n := r * (1 - r) / v
	if v == 0 {
		n = float64(m.units)
	}
	centre := (r + interval.Z95*interval.Z95/(2*n)) / (1 + interval.Z95*interval.Z95/n)
	half := interval.Z95 * math.Sqrt(r*(1-r)/n+interval.Z95*interval.Z95/(4*n*n)) / (1 + interval.Z95*interval.Z95/n)
	return max(0, centre-half), min(1, centre+half)
}
