package standings

import (
	"cmp"

	"gyges/ratings/table"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// schedule is the stages of a run's Swiss tournament or knock-out, with the matches that its records have.
type schedule struct {
	format tournament.Format
	agents []string           // specs; of a knock-out the highest seed first
	stages []tournament.Stage // none in other formats
	misfit bool               // a record contradicts the manifest
	index  map[string]int     // in agents

	// Of a round-robin:
	met           map[[2]int]roundResult // by agent and opponent; nil in other formats
	ruleSets      int
	played, games int64 // and all of the schedule
	ended         bool  // at an error, before all are played
}

// newSchedule returns the schedule of a run of which no game is counted.
func newSchedule(m *tournament.ManifestConfig) *schedule {
	s := &schedule{format: m.Schedule, agents: m.Agents, index: map[string]int{}}
	for i, spec := range s.agents {
		s.index[spec] = i
	}
	s.newRoundRobin(m)
	const most = 1_000_000 // agents by rounds; the manifest may come from anywhere
	n, rounds := int64(len(m.Agents)), max(int64(m.Rounds), 1)
	if !m.Schedule.Adaptive() || n < 2 || rounds >= max(n, 2) || n*rounds > most || m.Pairs < 1 || m.Pairs > most ||
		len(m.Rules) == 0 {
		return s
	}
	s.stages = m.Stages()
	return s
}

// add counts a game, also one that was not played since a player was suspended: the
// pairing counts it too.
func (s *schedule) add(pair int64, south, north, result string) {
	if s.met != nil {
		s.addMet(south, north, result)
		return
	}
	k := len(s.stages) - 1
	for k >= 0 && s.stages[k].First > pair {
		k--
	}
	if k < 0 {
		return
	}
	a, okA := s.index[south]
	b, okB := s.index[north]
	r := &s.stages[k]
	m := &r.Matches[(pair-r.First)%int64(len(r.Matches))]
	if m.Games == 0 {
		m.Agents = [2]int{a, b}
	}
	theirs := m.Agents == [2]int{a, b} || m.Agents == [2]int{b, a}
	if !okA || !okB || a == b || !theirs || pair < 0 || m.Games == r.Games {
		s.misfit = true
		return
	}
	m.Add(a, result)
}

// begun returns the number of rounds of which a game was played.
func (s *schedule) begun() int {
	n := 0
	for k := range s.stages {
		if games, _ := s.stages[k].Played(); games > 0 {
			n = k + 1
		}
	}
	return n
}

// name returns how tables call an agent.
func (s *schedule) name(labels map[string]string, agent int) string {
	return cmp.Or(labels[s.agents[agent]], s.agents[agent])
}

// sheets returns the tables of the schedule; none without games or if they don't fit.
func (s *schedule) sheets(labels map[string]string) []table.Schedule {
	switch {
	case s.met != nil && !s.misfit && s.played > 0:
		return []table.Schedule{s.roundRobin(labels)}
	case s.begun() == 0 || s.misfit:
		return nil
	case s.format == tournament.Swiss:
		return s.swiss(labels)
	}
	return []table.Schedule{s.knockout(labels)}
}

// points formats half points.
func points(halves int64) string { return textfmt.Decimal(float64(halves) / 2) }
