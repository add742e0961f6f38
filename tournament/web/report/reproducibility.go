package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/schedule"
)

// reproducibility builds the section on how the runs and this page were made.
func (b *builder) reproducibility() Section {
	s := Section{ID: "reproducibility", Title: "Reproducibility"}
	for _, r := range b.runs {
		s.heading("", textfmt.Visible(r.Name))
		r.add(&s)
	}
	s.heading("", "This report")
	s.facts(Fact{"made by", b.Program})
	if len(b.Commands) > 0 {
		s.code("To print the same figures and make this report again:", b.Commands...)
	}
	return s
}

// add adds how a run was made.
func (r *run) add(s *Section) {
	m, t := r.Manifest, r.Tuning
	var list []Fact
	if t != nil {
		list = append(list, Fact{"tuned by", t.Method}, Fact{"program", t.Version})
	}
	if r.Games > 0 {
		list = append(list, Fact{"games read", textfmt.Thousands(r.Games)})
	}
	if m != nil {
		list = append(list, r.manifestFacts()...)
	}
	s.facts(list...)
	for _, n := range r.Notes {
		s.note(n)
	}
	if m != nil {
		folder := strings.TrimSuffix(r.folder(), tournament.GamesFile)
		again := strings.TrimSuffix(folder, "/") + "-again"
		if command := PlayCommand(m, again); command != "" {
			s.code("To play it again:", command)
		}
		s.details("The whole manifest", m.Text)
	}
	if t != nil {
		s.details("What was tuned, how, and the result", t.Text)
	}
}

// given returns a setting of the manifest; "" if it is the zero value, which stands for none.
func given[T comparable](value T) string {
	var zero T
	if value == zero {
		return ""
	}
	return fmt.Sprint(value)
}

// manifestFacts says how a run with a manifest was played.
func (r *run) manifestFacts() []Fact {
	m := r.Manifest
	var played string
	if g := m.Games; g.Scheduled > 0 {
		played = textfmt.Thousands(g.Played) + " of " + textfmt.Thousands(g.Scheduled)
	}
	// An imported run was played before, at an unknown speed.
	var start, imported, took string
	switch {
	case m.Status == tournament.Imported:
		start = dateText(r.first)
		imported = dateText(m.Start)
	case !m.Start.IsZero():
		start = m.Start.UTC().Format(time.RFC3339)
	}
	if m.Status != tournament.Imported && m.End.After(m.Start) {
		duration := m.End.Sub(m.Start)
		took = duration.Round(100 * time.Millisecond).String()
	}
	c := &m.Config
	test, _ := c.SPRT.MarshalText() // which has no errors
	return []Fact{
		{"status", string(m.Status)},
		{"error", m.Error},
		{"games", played},
		{"started", start},
		{"imported", imported},
		{"took", took},
		{"players", strings.Join(c.Players(), ", ")},
		{"engines", enginesText(m.Engines)},
		{"rules", strings.Join(c.RuleSets(), ", ")},
		{"schedule", string(c.Schedule)},
		{"pairs a pairing", given(c.Pairs)},
		{"openings", c.Openings.String()},
		{"depth", given(c.Limits.Depth)},
		{"nodes a move", given(c.Limits.Nodes)},
		{"time a move", given(c.Limits.MoveTime)},
		{"clock", given(c.Clock)},
		{"sequential test", string(test)},
		{"seed", given(c.Seed)},
		{"workers", given(c.Workers)},
		{"program", strings.TrimPrefix(m.Program.String(), "gyges ")},
		{"machine", m.Host.String()},
	}
}

// enginesText says which external programs played, by their players: what they call themselves, and
// the first digits of the SHA-256 of their files.
func enginesText(engines map[string]*agents.Program) string {
	var list []string
	for _, player := range slices.Sorted(maps.Keys(engines)) {
		program := engines[player]
		if program == nil { // the manifest may come from anywhere
			continue
		}
		text := fmt.Sprintf("%s: %.60s", player, program.Name)
		for _, file := range slices.Sorted(maps.Keys(program.Files)) {
			text += fmt.Sprintf(", %s %.16s", file, program.Files[file])
		}
		list = append(list, textfmt.Visible(text))
	}
	return strings.Join(list, "; ")
}

// PlayCommand is a command line that plays the run into a folder: again into a new one, or on in
// its own. It is empty for runs without two agents, and for runs with settings that this version
// doesn't know.
func PlayCommand(m *tournament.Manifest, out string) string {
	c := m.Config
	var unknown problems.List
	settings.Check(&unknown, &c, "")
	isKnown := c.Unknown == nil && len(unknown) == 0
	if !isKnown || len(c.Agents) < 2 || len(c.Rules) == 0 {
		return ""
	}
	// The number of workers changes nothing but the time.
	c.Workers, c.Out = 0, out
	// A match has a command of its own, with the players as arguments.
	command := "gyges tournament"
	isRoundRobin := c.Schedule == schedule.RoundRobin
	if c.Name == tournament.MatchName && len(c.Agents) == 2 && isRoundRobin {
		first, second := c.Agents[0].String(), c.Agents[1].String()
		command = "gyges match " + textfmt.ShellWord(first) + " " + textfmt.ShellWord(second)
		c.Agents = nil
	}
	defaults := tournament.DefaultConfig()
	defaults.Schedule = schedule.RoundRobin
	// These are always told.
	defaults.Rules = nil
	defaults.Pairs = 0
	defaults.Openings = schedule.Openings{}
	defaults.Seed = 0
	for _, word := range settings.Arguments(&c, &defaults) {
		command += " " + textfmt.ShellWord(word)
	}
	return command
}
