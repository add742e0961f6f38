package tournament

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules/base/textfmt"
)

// goOn makes m the manifest of a run that goes on, which was old so far. The error says why the run
// can't go on.
func (m *Manifest) goOn(old *Manifest, c *Config) error {
	switch {
	case old.Status == Imported:
		return errors.New("holds imported games; expected a new folder or that of a run")
	case old.Config.Unknown != nil:
		return fmt.Errorf("holds a run with settings that this version doesn't know: %w",
			old.Config.Unknown)
	case old.Schema != m.Schema:
		return fmt.Errorf("holds a run with schema %d, expected %d", old.Schema, m.Schema)
	}
	m.Resumed = old.Resumed
	m.End = old.End
	m.ID = old.ID
	m.Start = old.Start
	m.Earlier = old.Earlier
	if old.Program != m.Program {
		m.Earlier = append(m.Earlier, old.Program)
	}

	was := old.Inputs
	longer := Inputs{old.Config.extended(&m.Config), old.Files, nil}
	fixed := c.stages() == 1
	if c.Extend && old.Config.Schedule == m.Config.Schedule {
		grows := longer.Config.Pairs > old.Config.Pairs || m.hasJoined(old)
		if grows && !fixed { // later pairings would have been others
			return fmt.Errorf("holds a %s tournament, which can't be extended", old.Config.Schedule)
		}
		was = longer
	}
	var anew []string // the players whose games are played anew
	for _, i := range c.Again {
		player := c.Agents[i].Label()
		anew = append(anew, player)
		delete(old.Engines, player)
	}
	err := was.Compare(m.Inputs, anew...)
	if err != nil && fixed && longer.Compare(m.Inputs, anew...) == nil {
		err = &ExtendError{err}
	}
	if err != nil && c.Extend && !slices.Equal(was.Config.Players(), c.Players()) {
		err = fmt.Errorf("%w; --extend plays the run's agents as they met, "+
			"and others between or after them", err)
	}
	m.Engines = old.Engines
	if err == nil && c.Engines != nil { // otherwise the agents start later
		err = m.addEngines(c.Engines)
	}
	return err
}

// addEngines sets the engines to those that have started. The error names one that isn't what it
// was in the run so far.
func (m *Manifest) addEngines(started map[string]*agents.Program) error {
	for _, spec := range m.Config.Agents {
		player := spec.Label()
		if difference := started[player].Difference(m.Engines[player]); difference != "" {
			return fmt.Errorf("the engine of %.60q has changed since the run began: %s; "+
				"put the old one back, or play the new one under another name= in another folder, "+
				"or its games anew with --again %s", player, difference, textfmt.ShellWord(player))
		}
	}
	m.Engines = started
	return nil
}

// hasJoined reports whether agents have joined the run that was old so far.
func (m *Manifest) hasJoined(old *Manifest) bool {
	return len(old.Config.Agents) < len(m.Config.Agents)
}

// extended returns the config of a run with what [Config].Extend lets another one change.
func (c Config) extended(to *Config) Config {
	c.Pairs = max(c.Pairs, to.Pairs)
	smaller := c.UntilError == 0 || to.UntilError < c.UntilError
	if to.UntilError > 0 && smaller {
		c.UntilError = to.UntilError
	}
	if len(c.Agents) < len(to.Agents) && !c.Schedule.Format().About().Adaptive {
		// All that met must meet again, with the same one first.
		meet := map[[2]string]bool{}
		for _, pairing := range to.pairings() {
			meet[pairing] = true
		}
		lost := func(pairing [2]string) bool { return !meet[pairing] }
		if !slices.ContainsFunc(c.pairings(), lost) {
			c.Agents = to.Agents
		}
	}
	return c
}

// pairings returns who meets whom in a format that isn't adaptive.
func (c *Config) pairings() (list [][2]string) {
	players := c.Players()
	for _, p := range c.Schedule.Format().Pairings(len(players), nil) {
		list = append(list, [2]string{players[p[0]], players[p[1]]})
	}
	return list
}

// ExtendError is the error of a folder whose run has fewer pairs or agents, or a larger error to
// end at, differs in nothing else, and can go on if [Config].Extend is set.
type ExtendError struct{ error }

// played returns the config without what changes no game.
func (c Config) played() Config {
	c.Name = ""
	c.Workers = 0
	c.StallTimeout = 0
	c.Suspend = 0
	return c
}

// CompareConfigs returns an error that lists what differs between the configuration of a run in a
// folder and that of the run that is to go on there. They are plain data, whose JSON is an object;
// null is the same as nothing.
func CompareConfigs(was, now any) error {
	before, err := valuesOf(was)
	if err != nil {
		return err
	}
	after, err := valuesOf(now)
	if err != nil {
		return err
	}
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	text := ""
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		a := strings.TrimPrefix(string(before[key]), "null")
		b := strings.TrimPrefix(string(after[key]), "null")
		if a != b {
			text += fmt.Sprintf("; %s was %.300s, now %.300s",
				key, cmp.Or(a, "nothing"), cmp.Or(b, "nothing"))
		}
	}
	if text == "" {
		return nil
	}
	return fmt.Errorf("holds a run of another configuration%s", text)
}

// valuesOf returns the values of a configuration as JSON, with every digit, by their keys.
func valuesOf(config any) (values map[string]json.RawMessage, err error) {
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	return values, err
}
