package tournament

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// checkManifest compares the run in the folder, if any, with that to be played, and reports whether agents have joined.
func checkManifest(gamesSize int64, c *Config, m *Manifest) (joined bool, err error) {
	old, err := ReadManifest(os.DirFS(c.Out))
	switch {
	case err != nil:
		return false, fmt.Errorf("%s can't be read: %w", ManifestFile, err)
	case old == nil && gamesSize > 0:
		return false, fmt.Errorf("holds records (%s) but no %s; expected a new folder or a run", GamesFile, ManifestFile)
	case old == nil:
		return false, nil
	case old.Status == Imported:
		return false, errors.New("holds imported games; expected a new folder or that of a run")
	case old.Config.Unknown != nil:
		return false, fmt.Errorf("holds a run with settings that this version doesn't know: %w", old.Config.Unknown)
	case old.Schema != m.Schema:
		return false, fmt.Errorf("holds a run with schema %d, expected %d", old.Schema, m.Schema)
	}
	longer := old.Config.extended(&m.Config)
	joined = len(old.Config.Agents) < len(m.Config.Agents)
	fixed := c.stages() == 1
	if c.Extend && old.Config.Schedule == m.Config.Schedule {
		if !fixed && (longer.Pairs > old.Config.Pairs || joined) {
			// they would have changed later pairings
			return false, fmt.Errorf("holds a %s tournament, which can't be extended", old.Config.Schedule)
		}
		old.Config = longer
	}
	m.Resumed = m.Start
	m.ID, m.Start, m.Earlier = old.ID, old.Start, old.Earlier
	if old.Program != m.Program {
		m.Earlier = append(m.Earlier, old.Program)
	}
	anew := c.anew()
	err = old.Compare(m.Inputs, anew...)
	if err != nil && fixed && (Inputs{longer, old.Files}).Compare(m.Inputs, anew...) == nil {
		err = &ExtendError{err}
	}
	if err != nil && c.Extend && !slices.Equal(old.Config.Players(), c.Players()) {
		err = fmt.Errorf("%w; --extend plays the run's agents as they met, and others between or after them", err)
	}
	return joined, err
}

// extended returns the config of a run with what [Config].Extend lets another one change.
func (c Config) extended(to *Config) Config {
	c.Pairs = max(c.Pairs, to.Pairs)
	if e := to.UntilError; e > 0 && (c.UntilError == 0 || e < c.UntilError) {
		c.UntilError = e
	}
	if len(c.Agents) < len(to.Agents) && !c.Schedule.Format().About().Adaptive {
		now, gone := to.pairings(), c.pairings()
		maps.DeleteFunc(gone, func(met [2]string, _ bool) bool { return now[met] })
		if len(gone) == 0 {
			c.Agents = to.Agents
		}
	}
	return c
}

// pairings returns who meets whom in a format that isn't adaptive.
func (c *Config) pairings() map[[2]string]bool {
	players, list := c.Players(), map[[2]string]bool{}
	for _, p := range c.Schedule.Format().Pairings(len(players), nil) {
		list[[2]string{players[p[0]], players[p[1]]}] = true
	}
	return list
}

// ExtendError is the error of a folder whose run has fewer pairs or agents, or a larger error to end at, differs in
// nothing else, and can go on if [Config].Extend is set.
type ExtendError struct{ error }

// played returns the config without what changes no game: name, workers, stall timeout and suspension.
func (c Config) played() Config {
	c.Workers, c.StallTimeout, c.Name, c.Suspend = 0, 0, "", 0
	return c
}

// CompareConfigs returns an error that lists what differs between the configuration of a run in a folder and that of
// the run that is to go on there. They are plain data, whose JSON is an object; null is the same as nothing.
func CompareConfigs(was, now any) error {
	var fields [2]map[string]any
	keys := map[string]any{}
	for i, config := range []any{was, now} {
		text, err := json.Marshal(config)
		in := json.NewDecoder(bytes.NewReader(text))
		in.UseNumber() // with every digit
		if err := cmp.Or(err, in.Decode(&fields[i])); err != nil {
			return err
		}
		maps.Copy(keys, fields[i])
	}
	show := func(value any) string {
		text, _ := json.Marshal(value) // it was read from JSON
		return strings.TrimPrefix(string(text), "null")
	}
	text := ""
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a, b := show(fields[0][key]), show(fields[1][key]); a != b {
			text += fmt.Sprintf("; %s was %.300s, now %.300s", key, cmp.Or(a, "nothing"), cmp.Or(b, "nothing"))
		}
	}
	if text == "" {
		return nil
	}
	return fmt.Errorf("holds a run of another configuration%s", text)
}
