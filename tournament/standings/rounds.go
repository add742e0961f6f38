package standings

import (
	"cmp"

	"gyges/agents"
	"gyges/ratings/table"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// schedule is what a run's manifest says on who meets whom and, of a Swiss tournament or
// a knock-out, the matches counted from the records. It goes through JSON.
type schedule struct {
	Name   string
	Format tournament.Format
	Agents []string // specs; of a knock-out the highest seed first
	Worth  int64    // games of a match
	Rounds []round
	Misfit bool // a record contradicts the manifest

	index map[string]int // in Agents
}

// round is a stage of the schedule.
type round struct {
	First   int64 // index of its first pair
	Matches []match
}

// match is all games of two agents in a round.
type match struct {
	Agents [2]int
	Halves [2]int64 // half points of each
	Games  int64    // played so far
}

// newSchedule returns the schedule of a run of which no game is counted.
func newSchedule(m *tournament.ManifestConfig) *schedule {
	s := &schedule{Name: m.Name, Format: m.Schedule, Agents: m.Agents}
	const most = 1_000_000 // agents by rounds; the manifest may come from anywhere
	n := int64(len(m.Agents))
	rounds := max(int64(m.Rounds), 1)
	switch {
	case m.Schedule != tournament.Swiss && m.Schedule != tournament.Knockout:
		return s
	case n < 2 || rounds >= max(n, 2) || n*rounds > most || m.Pairs < 1 || m.Pairs > most || len(m.Rules) == 0:
		return s
	}
	pairs, first := int64(m.Pairs)*int64(len(m.Rules)), int64(0)
	s.Worth = 2 * pairs
	for _, size := range m.StageSizes() {
		s.Rounds = append(s.Rounds, round{First: first, Matches: make([]match, size)})
		first += pairs * int64(size)
	}
	return s
}

// add counts a game, also one that was not played since a player was suspended: the
// pairing counts it too.
func (s *schedule) add(pair int64, south, north, result string) {
	k := len(s.Rounds) - 1
	for k >= 0 && s.Rounds[k].First > pair {
		k--
	}
	if k < 0 {
		return
	}
	if s.index == nil {
		s.index = map[string]int{}
		for i, spec := range s.Agents {
			s.index[spec] = i
		}
	}
	a, okA := s.index[south]
	b, okB := s.index[north]
	r := &s.Rounds[k]
	m := &r.Matches[(pair-r.First)%int64(len(r.Matches))]
	if m.Games == 0 {
		m.Agents = [2]int{a, b}
	}
	side := 0 // of South in the match
	if m.Agents[0] != a {
		side = 1
	}
	if !okA || !okB || a == b || pair < 0 || m.Agents[side] != a || m.Agents[1-side] != b || m.Games == s.Worth {
		s.Misfit = true
		return
	}
	m.Games++
	m.Halves[side] += int64(record.HalfPoints(result, rules.South))
	m.Halves[1-side] += int64(record.HalfPoints(result, rules.North))
}

// played returns the games of a round, and how many it has in all.
func (s *schedule) played(k int) (games, all int64) {
	for _, m := range s.Rounds[k].Matches {
		games += m.Games
	}
	return games, s.Worth * int64(len(s.Rounds[k].Matches))
}

// begun returns the number of rounds of which a game was played.
func (s *schedule) begun() int {
	n := 0
	for k := range s.Rounds {
		if games, _ := s.played(k); games > 0 {
			n = k + 1
		}
	}
	return n
}

// name returns how tables call an agent.
func (s *schedule) name(labels map[string]string, agent int) string {
	return cmp.Or(labels[s.Agents[agent]], s.Agents[agent])
}

// sheets returns the tables of the schedule; none without games or if they don't fit.
func (s *schedule) sheets(labels map[string]string) []table.Schedule {
	switch {
	case s.begun() == 0 || s.Misfit:
		return nil
	case s.Format == tournament.Swiss:
		return s.swiss(labels)
	}
	return []table.Schedule{s.knockout(labels)}
}

// pair is half points for and against.
type pair [2]int64

func (p pair) String() string { return points(p[0]) + "-" + points(p[1]) }

// points formats half points.
func points(halves int64) string { return textfmt.Decimal(float64(halves) / 2) }

// challenger returns the label of the first player of a gauntlet; "" in other formats.
func (s *schedule) challenger() string {
	if s.Format != tournament.Gauntlet || len(s.Agents) == 0 {
		return ""
	}
	return agents.LabelOf(s.Agents[0])
}
