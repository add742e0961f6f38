package tournament

import (
	"fmt"
	"time"

	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

type plan struct {
	*schedule.Schedule
	config *Config
	opener *schedule.Opener // of games that are verified; nil: the openings aren't known
}

func newPlan(c *Config) *plan {
	return &plan{schedule.New(c.Schedule.Format(), c.Size()), c, schedule.NewOpener(c.Openings, c.Seed)}
}

// job returns the i-th pair, 0 <= i < Len, with both games. It must be known.
func (p *plan) job(i int64) Job {
	players, ruleSet, round := p.Pair(i)
	return Job{Pair: i, Round: round, Rules: ruleSet, Agents: players, Wanted: [2]bool{true, true}}
}

func (p *plan) add(g *record.Record) error {
	seated := p.seated(g.Game)
	return p.Add(g.Game/2, seated[rules.South], seated[rules.North], record.HalfPoints(g.Result, rules.South))
}

// seated returns the agents of game g of the whole schedule, by side.
func (p *plan) seated(g int64) [2]int {
	a, _, _ := p.Pair(g / 2)
	return [2]int{a[g%2], a[1-g%2]}
}

// Verifier returns what verifies games of a run, in order: by its schedule if this program played it, else alone.
func Verifier(m *Manifest) func(*record.Record) error {
	if m == nil || m.Config.Unknown != nil {
		return game.Verify
	}
	if m.Program != newManifest(m.Status, m.Inputs, m.Start).Program || len(m.Earlier) > 0 {
		return game.Verify
	}
	var wrong problems.List
	if m.Config.checkPlan(&wrong); len(wrong) > 0 {
		return game.Verify
	}
	p := newPlan(&m.Config)
	if m.Config.Openings.Policy == schedule.FileOpenings { // they aren't in the manifest
		p.opener = nil
	}
	return func(g *record.Record) (err error) {
		select {
		case <-p.Known(g.Game / 2):
			if err = p.verify(g); err == nil {
				err = p.add(g)
			}
			return err
		default: // games before it are missing
			return game.Verify(g)
		}
	}
}

// verify returns an error unless a game of the run's file is what the schedule has in its place, as far as it shows.
func (p *plan) verify(g *record.Record) error {
	i := g.Game / 2
	if i >= p.Len() {
		return fmt.Errorf("game %d: expected %d games at most", g.Game, 2*p.Len())
	}
	t, err := p.config.taskOf(p.job(i), g, p.opener)
	if err != nil {
		return fmt.Errorf("game %d: %w", g.Game, err)
	}
	return t.Verify(g)
}

// checkJob returns an error unless a job, which may come from outside, is one of the config's.
func (c *Config) checkJob(j Job) error {
	ok := j.Pair >= 0 && j.Round >= 0 && 0 <= j.Rules && j.Rules < len(c.Rules)
	for _, a := range j.Agents {
		ok = ok && 0 <= a && a < len(c.Agents)
	}
	if !ok {
		return fmt.Errorf("pair %d: expected a round, one of %d rule sets and two of %d agents, found %d, %d, %v",
			j.Pair, len(c.Rules), len(c.Agents), j.Round, j.Rules, j.Agents)
	}
	return nil
}

// seat returns which agent plays a side in game 0 or 1 of a pair, and the seed it gets.
func (c *Config) seat(j Job, n int, side rules.Side) (agent int, seed uint64) {
	labels := [2]string{c.Agents[j.Agents[0]].Label(), c.Agents[j.Agents[1]].Label()}
	return j.Agents[(n+int(side))%2], schedule.Seed(c.Seed, c.Rules[j.Rules].String(), labels, j.Round, n, side)
}

// task returns game n, 0 or 1, of a pair, without its agents.
func (c *Config) task(j Job, n int, opening rules.Position) game.Task {
	t := game.Task{
		Number: 2*j.Pair + int64(n), Pair: j.Pair,
		Rules: c.Rules[j.Rules], Opening: opening, Settings: c.Settings,
	}
	for side := range t.Seats {
		i, seed := c.seat(j, n, rules.Side(side))
		clock, _ := game.ParseClock(c.Agents[i].Get("clock")) // both have been checked
		moveTime, _ := time.ParseDuration(c.Agents[i].Get("movetime"))
		t.Seats[side] = game.Seat{Name: c.Agents[i].String(), Seed: seed, Clock: clock, MoveTime: moveTime}
	}
	return t
}

// taskOf returns the game of a record of a pair, or which pair it must have. Without an opener it begins as the record.
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
