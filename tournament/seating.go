package tournament

import (
	"fmt"

	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// checkJob returns an error unless a job, which may come from outside, is one of the config's.
func (c *Config) checkJob(j Job) error {
	ruleSets, players := len(c.Rules), len(c.Agents)
	switch {
	case j.Pair < 0, j.Round < 0:
	case !problems.Within(j.Rules, 0, ruleSets-1):
	case !problems.Within(j.Agents[0], 0, players-1):
	case !problems.Within(j.Agents[1], 0, players-1):
	default:
		return nil
	}
	return fmt.Errorf("pair %d: expected a round, one of %d rule sets and two of %d agents, "+
		"found %d, %d, %v", j.Pair, ruleSets, players, j.Round, j.Rules, j.Agents)
}

// seed returns the seed of a side in game 0 or 1 of a pair.
func (c *Config) seed(j Job, n int, side rules.Side) uint64 {
	var labels [2]string
	for i, agent := range j.Agents {
		labels[i] = c.Agents[agent].Label()
	}
	return schedule.Seed(c.Seed, c.Rules[j.Rules].String(), labels, j.Round, n, side)
}

// task returns game n, 0 or 1, of a pair, without its agents.
func (c *Config) task(j Job, n int, opening rules.Position) game.Task {
	t := game.Task{
		Number:   2*j.Pair + int64(n),
		Pair:     j.Pair,
		Rules:    c.Rules[j.Rules],
		Opening:  opening,
		Settings: c.Settings,
	}
	for side, agent := range j.seated(n) {
		spec := c.Agents[agent]
		t.Seats[side] = game.SeatOf(spec)
		t.Seats[side].Seed = c.seed(j, n, rules.Side(side))
	}
	return t
}

// taskOf returns the game that a record must have by its pair. Without an opener it begins as the
// record does.
func (c *Config) taskOf(j Job, g *record.Record, o *schedule.Opener) (t game.Task, err error) {
	if err := c.checkJob(j); err != nil {
		return t, err
	}
	r := c.Rules[j.Rules]
	var opening rules.Position
	if o == nil {
		opening, err = r.ParsePosition(g.Opening)
	} else {
		opening, _, err = o.Opening(r, j.Round)
	}
	return c.task(j, int(g.Game%2), opening), err
}
