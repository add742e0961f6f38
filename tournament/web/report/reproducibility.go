package report

import (
	"fmt"
	"strings"
	"time"

	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/schedule"
)

func (b *builder) reproducibility() Section {
	s := Section{ID: "reproducibility", Title: "Reproducibility"}
	for _, r := range b.collected.runs {
		s.heading("", textfmt.Visible(r.about.Name))
		r.add(&s)
	}
	s.heading("", "This report")
	s.facts(Fact{"made by", b.Program})
	if len(b.Commands) > 0 {
		s.code("To print the same figures and make this report again:", b.Commands)
	}
	return s
}

func (r *run) add(s *Section) {
	var list []Fact
	m, t := r.about.Manifest, r.about.Tuning
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
	for _, n := range r.about.Notes {
		s.note(n)
	}
	if m != nil {
		again := strings.TrimSuffix(strings.TrimSuffix(r.about.folder(), tournament.GamesFile), "/") + "-again"
		if command := PlayCommand(m, again); command != "" {
			s.code("To play it again:", []string{command})
		}
		s.details("The whole manifest", m.Text)
	}
	if t != nil {
		s.details("What was tuned, how, and the result", t.Text)
	}
}

// given returns a number of the manifest; "" for 0.
func given[T int | int64 | uint64](n T) string { return strings.TrimPrefix(fmt.Sprint(n), "0") }

func (r *run) manifestFacts() []Fact {
	m := r.about.Manifest
	c := &m.Config
	var scheduled, start, imported, took string
	if m.Games.Scheduled > 0 {
		scheduled = fmt.Sprintf("%s of %s", textfmt.Thousands(m.Games.Played), textfmt.Thousands(m.Games.Scheduled))
	}
	if m.Status == tournament.Imported {
		start, imported = dateText(r.first), dateText(m.Start)
	} else if !m.Start.IsZero() {
		start = m.Start.UTC().Format(time.RFC3339)
	}
	if m.Status != tournament.Imported && m.End.After(m.Start) {
		took = m.End.Sub(m.Start).Round(100 * time.Millisecond).String()
	}
	test, _ := c.SPRT.MarshalText() // which has no errors
	return []Fact{
		{"status", string(m.Status)}, {"error", m.Error}, {"games", scheduled}, {"started", start}, {"imported", imported},
		{"took", took},
		{"players", strings.Join(c.Players(), ", ")}, {"rules", strings.Join(c.RuleSets(), ", ")},
		{"schedule", string(c.Schedule)}, {"pairs a pairing", given(c.Pairs)}, {"openings", c.Openings.String()},
		{"depth", given(c.Limits.Depth)}, {"nodes a move", given(c.Limits.Nodes)},
		{"time a move", strings.TrimPrefix(c.Limits.MoveTime.String(), "0s")},
		{"clock", strings.TrimPrefix(c.Clock.String(), "0s+0s")}, {"sequential test", string(test)},
		{"seed", given(c.Seed)}, {"workers", given(c.Workers)},
		{"program", strings.TrimPrefix(m.Program.String(), "gyges ")}, {"machine", m.Host.String()},
	}
}

// PlayCommand is a command line that plays the run into a folder: again into a new one, or on in its own. It is empty
// for runs without two agents, and those with settings that this version doesn't know.
func PlayCommand(m *tournament.Manifest, out string) string {
	c, unknown := m.Config, problems.List{}
	settings.Check(&unknown, &c, "")
	if c.Unknown != nil || len(unknown) > 0 || len(c.Agents) < 2 || len(c.Rules) == 0 {
		return ""
	}
	c.Workers, c.Out = 0, out
	command, defaults := "gyges tournament", tournament.DefaultConfig()
	if c.Name == tournament.MatchName && len(c.Agents) == 2 && m.Config.Schedule == schedule.RoundRobin {
		command = "gyges match " + textfmt.ShellWord(c.Agents[0].String()) + " " + textfmt.ShellWord(c.Agents[1].String())
		c.Agents = nil
	}
	defaults.Rules, defaults.Pairs, defaults.Openings, defaults.Seed = nil, 0, schedule.Openings{}, 0 // always told
	defaults.Schedule = schedule.RoundRobin
	for _, word := range settings.Arguments(&c, &defaults) {
		command += " " + textfmt.ShellWord(word)
	}
	return command
}
