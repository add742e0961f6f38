package tournament

import (
	"fmt"

	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// plan is the schedule of a run of a config, by which its games are handed out and verified.
type plan struct {
	*schedule.Schedule
	config *Config
	opener *schedule.Opener // of games that are verified; nil: the openings aren't known
}

func newPlan(c *Config) *plan {
	return &plan{schedule.New(c.Schedule.Format(), c.Size()), c,
		schedule.NewOpener(c.Openings, c.Seed)}
}

// job returns the i-th pair, 0 <= i < Len, with both games. It must be known.
func (p *plan) job(i int64) Job {
	players, ruleSet, round := p.Pair(i)
	return Job{Pair: i, Round: round, Rules: ruleSet, Agents: players, Wanted: [2]bool{true, true}}
}

// seated returns the agents of a game of the whole schedule, by side.
func (p *plan) seated(game int64) [2]int { return p.job(game / 2).seated(int(game % 2)) }

// add adds the result of a game to the schedule, whose later pairings may depend on it.
func (p *plan) add(g *record.Record) error {
	seated := p.seated(g.Game)
	halves := record.HalfPoints(g.Result, rules.South)
	return p.Add(g.Game/2, seated[rules.South], seated[rules.North], halves)
}

// verify returns an error unless a record is the game that the schedule has by its number, and what
// moves and settings show. Its pair must be known.
func (p *plan) verify(g *record.Record) error {
	if g.Game/2 >= p.Len() {
		return fmt.Errorf("game %d: expected %d games at most", g.Game, 2*p.Len())
	}
	task, err := p.config.taskOf(p.job(g.Game/2), g, p.opener)
	if err != nil {
		return fmt.Errorf("game %d: %w", g.Game, err)
	}
	return task.Verify(g)
}

// Verifier returns what verifies games of a run, in order: by its schedule if this program played
// it, else alone.
func Verifier(m *Manifest) func(*record.Record) error {
	if m == nil || !m.isOwn() {
		return game.Verify
	}
	p := newPlan(&m.Config)
	if m.Config.Openings.Policy == schedule.FileOpenings { // they aren't in the manifest
		p.opener = nil
	}
	return func(g *record.Record) error {
		select {
		case <-p.Known(g.Game / 2):
		default: // games before it are missing
			return game.Verify(g)
		}
		if err := p.verify(g); err != nil {
			return err
		}
		return p.add(g)
	}
}

// isOwn reports whether this program played all of the run and knows all of its settings.
func (m *Manifest) isOwn() bool {
	this := newManifest(m.Status, m.Inputs, m.Start).Program
	playedElsewhere := m.Program != this || len(m.Earlier) > 0
	if playedElsewhere || m.Config.Unknown != nil {
		return false
	}
	var wrong problems.List
	m.Config.checkPlan(&wrong)
	return len(wrong) == 0
}
