package tournament

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
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
		i := slices.IndexFunc(c.Agents, func(s agents.Spec) bool { return s.Label() == name || s.String() == name })
		if i < 0 {
			return fmt.Errorf("expected one of the players %s, found %.100q",
				textfmt.List(lists.Map(c.Agents, agents.Spec.Label), 20), name)
		}
		c.Again = append(c.Again, i)
	}
	if format := c.Schedule.Format().About(); format.Adaptive && len(names) > 0 {
		return fmt.Errorf("expected none with the schedule %s, whose pairings follow the results", format.Name)
	}
	if c.Extend && len(names) > 0 {
		return errors.New("expected none beside --extend: first the one, then the other")
	}
	return nil
}

// setAside takes the games of the players in Again out of the run in the folder, so that they are played when it goes
// on: into replaced-N.jsonl, which no command reads by itself. The other games behind the first of them wait in
// aheadFile. Until games.jsonl is cut, in one step, the run is as it was, and afterwards it lacks these games alone.
func setAside(c *Config, m Manifest) error {
	if old, err := ReadManifest(os.DirFS(c.Out)); old == nil && err == nil {
		return fmt.Errorf("%s: expected the folder of a run some of whose games are to be played anew, found none", c.Out)
	}
	st, err := openStore(c, &m, newPlan(c), func(*record.Record) {})
	if err != nil {
		return err
	}
	err = st.closeGap()
	if err == nil {
		err = st.cut(c)
	}
	return errors.Join(err, st.Close(), st.lock.Close())
}

// closeGap writes the games that wait to games.jsonl, behind a gap, and removes aheadFile.
func (st *store) closeGap() error {
	for _, game := range slices.Sorted(maps.Keys(st.ahead.games)) {
		g, _, err := st.ahead.read(game)
		if err == nil {
			err = st.writer.Write(g)
		}
		if err != nil {
			return err
		}
		st.ahead.forget(game)
	}
	if err := st.writer.Flush(); err != nil {
		return err
	}
	if err := st.Sync(); err != nil {
		return err
	}
	return st.ahead.remove()
}

// cut moves the games of the players in Again to a file of their own and those of others behind the first of them to
// aheadFile, both synced to the disk, and cuts games.jsonl in front of it.
func (st *store) cut(c *Config) error {
	var replaced *files.File
	var lines *record.Writer
	end := int64(0)
	r := record.NewReader(io.NewSectionReader(st, 0, st.writer.Size()), st.Name())
	for {
		offset := r.Offset()
		g, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && replaced == nil:
			return nil
		case errors.Is(err, io.EOF):
			err = errors.Join(lines.Flush(), replaced.Commit(), st.ahead.close())
			if err != nil {
				return err
			}
			return st.Truncate(end)
		case err != nil:
		case !c.isAgain(g) && replaced != nil:
			err = st.ahead.write(g)
		case c.isAgain(g) && replaced == nil:
			end = offset
			if replaced, err = files.Create(freeName(c.Out)); err != nil {
				return err
			}
			lines = record.NewWriter(replaced)
			err = lines.Write(g)
		case c.isAgain(g):
			err = lines.Write(g)
		}
		if err != nil && replaced != nil {
			return errors.Join(err, replaced.Discard())
		}
		if err != nil {
			return err
		}
	}
}

// isAgain reports whether a player in Again plays a game.
func (c *Config) isAgain(g *record.Record) bool {
	return slices.ContainsFunc(c.Again, func(i int) bool {
		name := c.Agents[i].String()
		return g.South.Agent == name || g.North.Agent == name
	})
}

// freeName returns the path of the first replaced-N.jsonl that a folder doesn't have.
func freeName(dir string) string {
	for n := 1; ; n++ {
		path := filepath.Join(dir, fmt.Sprintf("replaced-%d.jsonl", n))
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}
