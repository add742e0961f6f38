package tournament

import (
	"cmp"
	"math/bits"
	"slices"

	"gyges/rules"
	"gyges/rules/base/settings"
	"gyges/tournament/record"
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
	// last in the table that has had none yet has a bye, which counts as a won match.
	// Equal points are ordered as the agents are listed. In the first round the top half
	// meets the bottom half, as in FIDE's Dutch system: of eight 1 and 5, 2 and 6.
	Swiss Format = "swiss"

	// Knockout has rounds; the loser of a match is eliminated. The first agents
	// listed are seeded highest: they meet the lowest, have a bye in the first round
	// where the number of agents isn't a power of 2, and go on after a tie.
	Knockout Format = "knockout"

	// SelfPlay is every agent against itself and every other one. It needs one
	// agent only.
	SelfPlay Format = "self-play"
)

// Choices lists the formats.
func (Format) Choices() []settings.Choice {
	return []settings.Choice{
		{Name: string(RoundRobin), Doc: "every two"},
		{Name: string(Gauntlet), Doc: "the first every other"},
		{Name: string(Ladder), Doc: "each the next one"},
		{Name: string(Swiss), Doc: "neighbours in the table"},
		{Name: string(Knockout), Doc: "seeded in the order given; the higher seed advances after a tie"},
		{Name: string(SelfPlay), Doc: "every two, and each one itself"},
	}
}

// Adaptive reports whether who meets whom follows from the results so far.
func (f Format) Adaptive() bool { return f == Swiss || f == Knockout }

// Stage is a part of a schedule whose pairings are known before it begins: a round of a Swiss tournament or of a
// knock-out, or the whole of another schedule.
type Stage struct {
	First   int64 // index of its first game pair
	Games   int64 // of each match
	Matches []Match
}

// Match is all games of two agents in a stage.
type Match struct {
	Agents [2]int   // by their places in the config
	Halves [2]int64 // half points of each
	Games  int64    // played so far
}

// Add counts a game in which the agent given had South.
func (m *Match) Add(south int, result string) {
	side := 0
	if m.Agents[0] != south {
		side = 1
	}
	m.Games++
	m.Halves[side] += int64(record.HalfPoints(result, rules.South))
	m.Halves[1-side] += int64(record.HalfPoints(result, rules.North))
}

// Winner returns which agent of the match goes on in a knock-out, 0 or 1: the one with more points, or after a
// tie the one that is listed first.
func (m *Match) Winner() int {
	if m.Halves[0] < m.Halves[1] || m.Halves[0] == m.Halves[1] && m.Agents[0] > m.Agents[1] {
		return 1
	}
	return 0
}

// Played returns how many games of the stage have been played, and how many it has in all.
func (s *Stage) Played() (games, all int64) {
	for i := range s.Matches {
		games += s.Matches[i].Games
	}
	return games, s.Games * int64(len(s.Matches))
}

// Byes returns which of n agents play no match. All matches must be known.
func (s *Stage) Byes(n int) []int {
	plays := make([]bool, n)
	for _, m := range s.Matches {
		plays[m.Agents[0]], plays[m.Agents[1]] = true, true
	}
	return slices.DeleteFunc(inOrder(n), func(agent int) bool { return plays[agent] })
}

// inOrder returns n agents as they are listed.
func inOrder(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Stages returns the stages of the run, with no agents in the matches and no games.
func (m *ManifestConfig) Stages() []Stage {
	return m.Schedule.stages(len(m.Agents), m.Rounds, int64(m.Pairs)*int64(len(m.Rules)))
}

// stages returns the stages of n agents that play a number of game pairs in each match.
func (f Format) stages(n, rounds int, pairs int64) []Stage {
	var list []Stage
	first := int64(0)
	for _, size := range f.stageSizes(n, rounds) {
		list = append(list, Stage{First: first, Games: 2 * pairs, Matches: make([]Match, size)})
		first += pairs * int64(size)
	}
	return list
}

// stageSizes returns the number of matches of each stage.
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

// stages returns the stages of the config, with no agents in the matches and no games.
func (c *Config) stages() []Stage {
	return c.Schedule.stages(len(c.Agents), c.swissRounds(), int64(c.Pairs)*int64(len(c.Rules)))
}

// pairings returns the pairings in a stage of a number of matches, after other stages.
func (c *Config) pairings(count int, before []Stage) [][2]int {
	var list [][2]int
	n := len(c.Agents)
	switch c.Schedule {
	case Gauntlet:
		for i := range count {
			list = append(list, [2]int{0, i + 1})
		}
	case Ladder:
		for i := range count {
			list = append(list, [2]int{i, i + 1})
		}
	case Swiss:
		if len(before) > 0 {
			return swissPairings(n, before)
		}
		for i := range count {
			list = append(list, [2]int{i, count + i})
		}
	case Knockout:
		in := survivors(n, before)
		for i := range count { // the best meet the worst, from the inside: the best may have a bye
			list = append(list, [2]int{in[len(in)-2*count+i], in[len(in)-1-i]})
		}
	default:
		next := 1
		if c.Schedule == SelfPlay {
			next = 0
		}
		for i := range n {
			for j := i + next; j < n; j++ {
				list = append(list, [2]int{i, j})
			}
		}
	}
	return list
}

// survivors returns those of n agents that have lost no match.
func survivors(n int, before []Stage) []int {
	out := make([]bool, n)
	for _, st := range before {
		for _, m := range st.Matches {
			out[m.Agents[1-m.Winner()]] = true
		}
	}
	return slices.DeleteFunc(inOrder(n), func(agent int) bool { return out[agent] })
}

// swissPairings pairs neighbours in the table of n agents after some rounds.
func swissPairings(n int, before []Stage) [][2]int {
	s := swissSearch{met: map[[2]int]bool{}, steps: swissSteps}
	points, byes := make([]int64, n), make([]bool, n)
	for _, st := range before {
		for _, m := range st.Matches {
			a, b := m.Agents[0], m.Agents[1]
			points[a], points[b] = points[a]+m.Halves[0], points[b]+m.Halves[1]
			s.met[[2]int{min(a, b), max(a, b)}] = true
		}
		for _, agent := range st.Byes(n) {
			points[agent] += 2 * st.Games
			byes[agent] = true
		}
	}
	order := inOrder(n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(points[b], points[a]) })
	if n%2 == 1 { // a bye for the last one without
		i := n - 1
		for i > 0 && byes[order[i]] {
			i--
		}
		order = slices.Delete(order, i, i+1)
	}
	if !s.pair(order) {
		s = swissSearch{steps: swissSteps} // agents may meet again
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
	met   map[[2]int]bool // who must not meet, the first listed first
	steps int
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
		if s.met[[2]int{min(a, b), max(a, b)}] {
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
