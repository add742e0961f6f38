package tournament

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/tournament/record"
)

// extended returns the config of a run with what [Config].Extend lets another one change.
func (c Config) extended(to *Config) Config {
	c.Pairs = max(c.Pairs, to.Pairs)
	if e := to.UntilError; e > 0 && (c.UntilError == 0 || e < c.UntilError) {
		c.UntilError = e
	}
	kept := 0 // agents that are listed in the other config, in the same order
	for _, a := range to.Agents {
		if kept < len(c.Agents) && sameSpec(a, c.Agents[kept]) {
			kept++
		}
	}
	if kept == len(c.Agents) && !c.Schedule.Format().About().Adaptive {
		c.Agents = to.Agents
	}
	return c
}

func sameSpec(a, b agents.Spec) bool { return a.String() == b.String() }

// joined reports whether the config, which says Extend, has further agents than the run in its folder and differs in
// nothing that it can't extend.
func (c *Config) joined() bool {
	old, err := ReadManifest(os.DirFS(c.Out))
	if !c.Extend || err != nil || old == nil || len(old.Config.Agents) == 0 || len(old.Config.Agents) >= len(c.Agents) {
		return false
	}
	now := c.Completed()
	return CompareConfigs(old.Config.extended(&now).played(), now.played()) == nil
}

// renumber gives the records of a run in the folder the numbers that they have in the schedule, as if all its agents
// had played from the beginning. They are found by South's seed, which depends on players, rules, round and side alone,
// so that a second time changes nothing. Games that were not played are left out: who is suspended when may differ.
func renumber(dir string, p *plan) (err error) {
	type place struct {
		file   *os.File
		offset int64
	}
	found := map[uint64]place{}
	for i, name := range []string{GamesFile, aheadFile} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
		if i > 0 && errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
		if err := files.Lock(f); err != nil {
			return err
		}
		r := record.NewReader(f, f.Name())
		for err == nil {
			offset := r.Offset()
			var g *record.Record
			if g, err = r.Read(); err == nil && !g.NotPlayed() {
				found[g.South.Seed] = place{f, offset}
			}
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, jsonl.ErrTorn) {
			return err
		}
	}
	to, err := files.Create(filepath.Join(dir, GamesFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Discard()) }()
	w := record.NewWriter(to)
	for i := int64(0); i < p.Len() && len(found) > 0; i++ {
		job := p.job(i)
		for n := range job.Wanted {
			_, seed := p.seat(job, n, rules.South)
			at, ok := found[seed]
			if !ok {
				continue
			}
			delete(found, seed)
			g, err := record.NewReader(io.NewSectionReader(at.file, at.offset, record.MaxLine), at.file.Name()).Read()
			if err != nil {
				return err
			}
			g.Pair, g.Game = i, 2*i+int64(n)
			if err := w.Write(g); err != nil {
				return err
			}
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%d of its games are of players who don't meet now; expected its agents first, and further ones "+
			"after them", len(found))
	}
	if err := errors.Join(w.Flush(), to.Commit()); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, aheadFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
