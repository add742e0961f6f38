package tournament

import "gyges/rules"

// schedule is the round-robin a config stands for, as a function from an index
// to a game pair: a million pairs take no memory. Its order is round by round,
// in a round rule set by rule set, and in a rule set pairing by pairing, so that
// whatever has been played so far is balanced.
type schedule struct {
	config     *Config
	pairings   [][2]int // indices of agents, first < second
	agentHash  []uint64
	rulesHash  []uint64
	agentNames []string
}

// pair is one opening played twice.
type pair struct {
	index    int64
	round    int64 // also the number of the opening under its rules
	rules    *rules.Rules
	rulesNum int    // index of the rules
	agents   [2]int // indices of agents; the first is South in the first game
}

func newSchedule(c *Config) *schedule {
	s := &schedule{config: c}
	for i, spec := range c.Agents {
		s.agentNames = append(s.agentNames, spec.String())
		s.agentHash = append(s.agentHash, hashText(spec.String()))
		for j := i + 1; j < len(c.Agents); j++ {
			s.pairings = append(s.pairings, [2]int{i, j})
		}
	}
	for _, r := range c.Rules {
		s.rulesHash = append(s.rulesHash, hashText(r.String()))
	}
	return s
}

// len returns the number of pairs.
func (s *schedule) len() int64 { return s.config.Games() / 2 }

// pair returns the i-th pair, 0 <= i < len.
func (s *schedule) pair(i int64) pair {
	pairings, ruleSets := int64(len(s.pairings)), int64(len(s.config.Rules))
	r := int(i / pairings % ruleSets)
	return pair{
		index:    i,
		round:    i / pairings / ruleSets,
		rules:    s.config.Rules[r],
		rulesNum: r,
		agents:   s.pairings[i%pairings],
	}
}

// seat returns which agent of a pair plays a side in its game 0 or 1, and the
// seed it gets.
func (s *schedule) seat(p pair, game int, side rules.Side) (agent int, seed uint64) {
	agent = p.agents[(game+int(side))%2]
	seed = deriveSeed(s.config.Seed, forGame, s.rulesHash[p.rulesNum],
		s.agentHash[p.agents[0]], s.agentHash[p.agents[1]], uint64(p.round), uint64(game), uint64(side))
	return agent, seed
}
