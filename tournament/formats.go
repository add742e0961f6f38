package tournament

import (
	"cmp"
	"math/bits"
	"slices"
)

// Format is the pairing system.
type Format string

// The formats. The zero value means RoundRobin.
const (
	RoundRobin Format = "round-robin" // every two agents
	Gauntlet   Format = "gauntlet"    // the first agent meets every other one
	Ladder     Format = "ladder"      // each agent meets the next one listed

	// Swiss has rounds in which agents with equally many points meet, and no two
	// a second time as long as that is possible. With an odd number of agents the
	// last in the table that has had none yet has a bye, for as many points as a
	// match is worth. Equal points are ordered as the agents are listed.
	Swiss Format = "swiss"

	// Knockout has rounds; the loser of a match is eliminated. The first agents
	// listed are seeded highest: they meet the lowest, have a bye in the first round
	// where the number of agents isn't a power of 2, and go on after a tie.
	Knockout Format = "knockout"

	// SelfPlay is every agent against itself and every other one. It needs one
	// agent only.
	SelfPlay Format = "self-play"
)

// Adaptive reports whether who meets whom follows from the results so far.
func (f Format) Adaptive() bool { return f == Swiss || f == Knockout }

// stageSizes returns the number of pairings of each stage.
func (c *Config) stageSizes() []int { return c.Schedule.stageSizes(len(c.Agents), c.swissRounds()) }

// StageSizes returns the number of pairings of each stage of the run.
func (c *ManifestConfig) StageSizes() []int { return c.Schedule.stageSizes(len(c.Agents), c.Rounds) }

func (f Format) stageSizes(n, rounds int) []int {
	switch f {
	case Gauntlet, Ladder:
		return []int{n - 1}
	case Swiss:
		return slices.Repeat([]int{n / 2}, rounds)
	case Knockout:
		half := 1 << (bits.Len(uint(max(n-1, 1))) - 1) // the largest power of 2 below n
		sizes := []int{n - half}
		for half /= 2; half > 0; half /= 2 {
			sizes = append(sizes, half)
		}
		return sizes
	case SelfPlay:
		return []int{n * (n + 1) / 2}
	default:
		return []int{n * (n - 1) / 2}
	}
}

// swissRounds returns the rounds of a Swiss tournament; where the config names
// none, as many as a knock-out would have.
func (c *Config) swissRounds() int {
	return cmp.Or(c.Rounds, bits.Len(uint(max(len(c.Agents)-1, 0))))
}

// table is what pairings need of the stages before.
type table struct {
	points []int64 // half points of each agent
	before []int64 // those that it had before the present stage
	met    map[[2]int]bool
	byes   []bool // has had a bye
	out    []bool // has lost a knockout match
}

func newTable(n int) table {
	return table{make([]int64, n), make([]int64, n), map[[2]int]bool{}, make([]bool, n), make([]bool, n)}
}

// endStage records which agents met, lost or had a bye, which is worth so many half
// points.
func (t *table) endStage(pairings [][2]int, worth int64) {
	played := make([]bool, len(t.points))
	for _, p := range pairings {
		a, b := p[0], p[1]
		played[a], played[b] = true, true
		t.met[[2]int{min(a, b), max(a, b)}] = true
		gainA, gainB := t.points[a]-t.before[a], t.points[b]-t.before[b]
		if gainA > gainB || gainA == gainB && a < b {
			t.out[b] = true
		} else {
			t.out[a] = true
		}
	}
	for i := range played {
		if !played[i] {
			t.byes[i] = true
			t.points[i] += worth
		}
	}
	copy(t.before, t.points)
}

// pairings makes so many pairings for the next stage.
func (t *table) pairings(f Format, count int) [][2]int {
	switch f {
	case Gauntlet, Ladder:
		var list [][2]int
		for i := range count {
			first := 0
			if f == Ladder {
				first = i
			}
			list = append(list, [2]int{first, i + 1})
		}
		return list
	case Swiss:
		return t.swiss()
	case Knockout:
		return t.knockout(count)
	case SelfPlay:
		return t.everyTwo(0)
	default:
		return t.everyTwo(1)
	}
}

// everyTwo pairs each agent with those from so many places behind it on.
func (t *table) everyTwo(behind int) [][2]int {
	var list [][2]int
	for i := range t.points {
		for j := i + behind; j < len(t.points); j++ {
			list = append(list, [2]int{i, j})
		}
	}
	return list
}

// knockout pairs the best with the worst of those still in, from the inside:
// the best few may have a bye.
func (t *table) knockout(count int) [][2]int {
	var in []int
	for i, out := range t.out {
		if !out {
			in = append(in, i)
		}
	}
	var list [][2]int
	for i := range count {
		list = append(list, [2]int{in[len(in)-2*count+i], in[len(in)-1-i]})
	}
	return list
}

// swiss pairs neighbours in the table.
func (t *table) swiss() [][2]int {
	order := make([]int, len(t.points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.points[b], t.points[a]) })
	if len(order)%2 == 1 {
		i := len(order) - 1
		for i > 0 && t.byes[order[i]] {
			i--
		}
		order = slices.Delete(order, i, i+1)
	}
	s := swissSearch{table: t, steps: swissSteps}
	if !s.pair(order) {
		s = swissSearch{table: t, steps: swissSteps, again: true}
		s.pair(order)
	}
	slices.Reverse(s.list)
	return s.list
}

// swissSteps bounds the search for pairings without a second meeting. It ends
// quickly unless nearly all have met.
const swissSteps = 100_000

// swissSearch pairs the first of an order with the nearest it can, so that the
// rest can be paired too.
type swissSearch struct {
	table *table
	steps int
	again bool // agents may meet again
	list  [][2]int
}

// pair appends the pairings of order to the list, the last first.
func (s *swissSearch) pair(order []int) bool {
	if len(order) == 0 {
		return true
	}
	a := order[0]
	for i := 1; i < len(order); i++ {
		if s.steps--; s.steps < 0 {
			return false
		}
		b := order[i]
		if s.table.met[[2]int{min(a, b), max(a, b)}] && !s.again {
			continue
		}
		rest := slices.Delete(slices.Clone(order[1:]), i-1, i)
		if s.pair(rest) {
			s.list = append(s.list, [2]int{a, b})
			return true
		}
	}
	return false
}
