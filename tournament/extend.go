package tournament

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

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
	now := to.Players()
	gone := slices.ContainsFunc(c.Players(), func(name string) bool { return !slices.Contains(now, name) })
	if len(c.Agents) < len(now) && !gone && !c.Schedule.Format().About().Adaptive {
		c.Agents = to.Agents
	}
	return c
}

// joined reports whether the config, which says Extend, has further agents than the run in its folder and differs in
// nothing that it can't extend.
func (c *Config) joined() bool {
	old, err := ReadManifest(os.DirFS(c.Out))
	now := c.Completed()
	return c.Extend && err == nil && old != nil && len(old.Config.Agents) < len(c.Agents) &&
		CompareConfigs(old.Config.extended(&now).played(), now.played()) == nil
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
	for _, name := range []string{GamesFile, aheadFile} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
		err = files.Lock(f)
		for r := record.NewReader(f, f.Name()); err == nil; {
			at, g := r.Offset(), (*record.Record)(nil)
			if g, err = r.Read(); err == nil && !g.NotPlayed() {
				found[g.South.Seed] = place{f, at}
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
	for game := int64(0); game < 2*p.Len() && len(found) > 0; game++ {
		_, seed := p.seat(p.job(game/2), int(game%2), rules.South)
		at, ok := found[seed]
		if !ok {
			continue
		}
		delete(found, seed)
		g, err := record.NewReader(io.NewSectionReader(at.file, at.offset, record.MaxLine), at.file.Name()).Read()
		if err == nil {
			g.Pair, g.Game = game/2, game
			err = w.Write(g)
		}
		if err != nil {
			return err
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%d of its games are of players who don't meet now; list its agents first", len(found))
	}
	if err := errors.Join(w.Flush(), to.Commit()); err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, aheadFile))
}
