package tournament

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"gyges/tournament/record"
)

// keepSeeding sets the seeding, where none is given, to NeighbourSeeds if the folder has a Swiss tournament of an
// earlier version, which had no other: it keeps its pairings.
func (c *Config) keepSeeding() {
	old, err := ReadManifest(os.DirFS(c.Out)) // an error is reported when the folder is opened
	if err == nil && old != nil && c.Schedule == Swiss && old.Config.Schedule == Swiss && old.Config.Seeding == "" {
		c.Seeding = cmp.Or(c.Seeding, NeighbourSeeds)
	}
}

// checkManifest compares the run in the folder, if there is one, with the one
// to be played.
func checkManifest(gamesSize int64, c *Config, m *Manifest) error {
	old, err := ReadManifest(os.DirFS(c.Out))
	if err != nil {
		return fmt.Errorf("%s can't be read: %w", ManifestFile, err)
	}
	if old == nil {
		if gamesSize > 0 {
			return fmt.Errorf("holds records (%s) but no %s; expected a new folder or a whole run", GamesFile, ManifestFile)
		}
		return nil
	}
	if old.Status == Imported {
		return errImported
	}
	if old.Schema != m.Schema {
		return fmt.Errorf("holds a run with schema %d, expected %d", old.Schema, m.Schema)
	}
	longer := old.Config
	longer.Pairs = max(longer.Pairs, m.Config.Pairs)
	if e := m.Config.UntilError; e > 0 && (longer.UntilError == 0 || e < longer.UntilError) {
		longer.UntilError = e
	}
	if c.Extend && old.Config.Schedule == m.Config.Schedule {
		if len(c.stages()) > 1 && longer.Pairs > old.Config.Pairs { // they would have changed later pairings
			return fmt.Errorf("holds a %s tournament, which can't be extended", old.Config.Schedule)
		}
		old.Config = longer
	}
	m.ID, m.Start, m.Earlier, m.Sessions = old.ID, old.Start, old.Earlier, append(old.Played(), m.Sessions...)
	if n := len(m.Sessions); n > maxSessions {
		m.Sessions = slices.Delete(m.Sessions, 1, 1+n-maxSessions)
	}
	if old.Program != m.Program {
		m.Earlier = append(m.Earlier, old.Program)
		c.warn("another version of the program played here before; the same seed may give other games now",
			"before", old.Program.String(), "now", m.Program.String())
	}
	err = compareConfigs(&old.Config, &m.Config)
	if err != nil && len(c.stages()) == 1 && compareConfigs(&longer, &m.Config) == nil {
		err = &ExtendError{err}
	}
	return err
}

// ExtendError is the error of a folder whose run has fewer pairs or a larger error to end at, differs in nothing else,
// and can go on if [Config].Extend is set.
type ExtendError struct{ error }

// compareConfigs returns an error that lists what differs in what is played.
// The name, the number of workers, the stall timeout and the suspension are no part of it.
func compareConfigs(old, now *ManifestConfig) error {
	fields := func(c ManifestConfig) map[string]json.RawMessage {
		c.Workers, c.StallTimeout, c.Name, c.Suspend = 0, "", "", 0
		var m map[string]json.RawMessage
		text, err := json.Marshal(c)
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil { // can't happen: it is plain data
			return nil
		}
		return m
	}
	was, is := fields(*old), fields(*now)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var diff bytes.Buffer
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !bytes.Equal(was[k], is[k]) {
			fmt.Fprintf(&diff, "; %s was %.300s, now %.300s", k, cmp.Or(string(was[k]), "nothing"),
				cmp.Or(string(is[k]), "nothing"))
		}
	}
	if diff.Len() == 0 {
		return nil
	}
	return fmt.Errorf("holds a run of another configuration%s", diff.Bytes())
}

// complete puts the games that were there before beside those that were played,
// unless some of the latter are missing.
func (c *collector) complete(o *Job) error {
	games, played := make([]*record.Game, 0, 2), o.Games
	for game := 2 * o.Pair; game < 2*o.Pair+2; game++ {
		switch {
		case game < c.store.kept:
		case c.store.has(game):
			g, err := c.store.readAhead(game)
			if err == nil {
				err = c.schedule.checkOwn(g)
			}
			if err != nil {
				return err
			}
			games = append(games, g)
		case len(played) == 0:
			return nil
		default:
			games, played = append(games, played[0]), played[1:]
		}
	}
	o.Games = games
	return nil
}
