package tournament

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// SetAgain sets Again to the players of these names or specs.
func (c *Config) SetAgain(names []string) error {
	c.Again = nil
	for _, name := range names {
		i := slices.IndexFunc(c.Agents, func(s agents.Spec) bool {
			return s.Label() == name || s.String() == name
		})
		if i < 0 {
			return fmt.Errorf("expected one of the players %s, found %.100q",
				textfmt.List(lists.Map(c.Agents, agents.Spec.Label), 20), name)
		}
		c.Again = append(c.Again, i)
	}
	if len(names) == 0 {
		return nil
	}
	if format := c.Schedule.Format().About(); format.Adaptive {
		return fmt.Errorf("expected none with the schedule %s, whose pairings follow the results",
			format.Name)
	}
	if c.Extend {
		return errors.New("expected none beside --extend: first the one, then the other")
	}
	return nil
}

// setAside takes the games of the players in Again out of the run in the folder, so that they are
// played when it goes on: into replaced-N.jsonl, which no command reads by itself. Until
// games.jsonl is replaced, in one step, the run is as it was, and afterwards it lacks these games
// alone.
func setAside(c *Config, m Manifest) error {
	p := newPlan(c)
	st, err := openStore(p, &m, func(*record.Record) {})
	if err != nil {
		return err
	}
	if st.isNew {
		err := fmt.Errorf("%s: expected the folder of a run some of whose games are to be "+
			"played anew, found none", c.Out)
		return errors.Join(err, st.discard())
	}
	err = st.begin(p)
	if err == nil {
		err = st.closeGap()
	}
	if err == nil {
		err = st.takeOut(c)
	}
	return errors.Join(err, st.Close(), st.lock.Close())
}

// closeGap writes the games that wait to games.jsonl, behind a gap, and removes aheadFile.
func (st *store) closeGap() error {
	for _, game := range slices.Sorted(maps.Keys(st.ahead.games)) {
		g, err := st.ahead.read(game)
		if err != nil {
			return err
		}
		if err := st.writer.Write(g.Record); err != nil {
			return err
		}
	}
	if err := st.writer.Flush(); err != nil {
		return err
	}
	if err := st.Sync(); err != nil {
		return err
	}
	return st.ahead.remove()
}

// takeOut moves the games of the players in Again to a file of their own.
func (st *store) takeOut(c *Config) error {
	path := freePath(filepath.Join(c.Out, "replaced-"), 1, ".jsonl")
	replaced, err := files.Create(path)
	if err != nil {
		return err
	}
	rest, err := files.Create(st.Name())
	if err != nil {
		return errors.Join(err, replaced.Discard())
	}
	taken, err := st.split(c, replaced, rest)
	if err == nil && taken > 0 {
		err = replaced.Commit()
		if err == nil {
			err = rest.Commit()
		}
	}
	return errors.Join(err, replaced.Discard(), rest.Discard())
}

// split writes the games of the players in Again to one file, the others to another, and returns
// how many it took.
func (st *store) split(c *Config, replaced, rest io.Writer) (taken int64, err error) {
	anew, others := record.NewWriter(replaced), record.NewWriter(rest)
	for g, err := range st.records(0, st.writer.Size()) {
		if err != nil {
			return 0, err
		}
		to := others
		if c.isAgain(g) {
			to = anew
		}
		if err := to.Write(g); err != nil {
			return 0, err
		}
	}
	err = errors.Join(anew.Flush(), others.Flush())
	return anew.Written(), err
}

// isAgain reports whether a player in Again plays a game.
func (c *Config) isAgain(g *record.Record) bool {
	for _, i := range c.Again {
		switch c.Agents[i].String() {
		case g.South.Agent, g.North.Agent:
			return true
		}
	}
	return false
}
