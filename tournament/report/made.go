package report

import (
	"fmt"
	"gyges/ratings/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"strings"
	"time"
)

// made builds the section on how runs and report were made.
func (b *builder) made(in Input) Section {
	s := Section{ID: "made", Title: "How it was made"}
	for _, r := range b.collected.runs {
		s.add(headingBlock("", textfmt.Visible(r.about.Name)))
		var list []Fact
		if t := r.about.Tuning; t != nil {
			list = append(list, Fact{"tuned by", t.Method}, Fact{"program", t.Version})
		}
		if r.games > 0 {
			list = append(list, Fact{"games read", textfmt.Thousands(r.games)})
		}
		if r.whole < r.games {
			list = append(list, Fact{"of these with the result alone", textfmt.Thousands(r.games-r.whole) + ": the rest of the record can't be read"})
		}
		if m := r.about.Manifest; m != nil {
			list = append(list, manifestFacts(m)...)
		}
		for i := range list {
			list[i].Value = textfmt.Visible(list[i].Value)
		}
		s.add(Block{Facts: list})
		for _, n := range r.about.Notes {
			s.add(textBlock("Note: " + textfmt.Visible(n) + "."))
		}
		if m := r.about.Manifest; m != nil {
			if again := command(m, r.about.Name); again != "" {
				s.add(textBlock("Play it again:"), Block{Code: []string{textfmt.Visible(again)}})
			}
			s.add(Block{Details: &Details{Title: "The whole manifest", Text: lines(m.Text)}})
		}
		if t := r.about.Tuning; t != nil {
			s.add(Block{Details: &Details{Title: "What was tuned, how, and what came out", Text: lines(t.Text)}})
		}
	}
	s.add(headingBlock("", "This report"))
	if in.Maker != "" {
		s.add(Block{Facts: []Fact{{"made by", textfmt.Visible(in.Maker)}}})
	}
	if len(in.Again) > 0 {
		code := make([]string, len(in.Again))
		for i, line := range in.Again {
			code[i] = textfmt.Visible(line)
		}
		s.add(textBlock("The same figures, and this report, again:"), Block{Code: code})
	}
	return s
}

// lines makes each line of a text visible by itself.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i, l := range list {
		if l != "" {
			list[i] = textfmt.Visible(l)
		}
	}
	return strings.Join(list, "\n")
}

// manifestFacts are what people look for in a manifest.
func manifestFacts(m *tournament.Manifest) []Fact {
	c := &m.Config
	var list []Fact
	add := func(name, value string) {
		if value != "" && value != "0" {
			list = append(list, Fact{name, value})
		}
	}
	add("status", string(m.Status))
	add("error", m.Error)
	if m.Games.Scheduled > 0 {
		add("games", fmt.Sprintf("%s of %s", textfmt.Thousands(m.Games.Played), textfmt.Thousands(m.Games.Scheduled)))
	}
	if !m.Start.IsZero() {
		add("begun", m.Start.UTC().Format(time.RFC3339))
	}
	if !m.End.IsZero() && m.End.After(m.Start) {
		add("took", m.End.Sub(m.Start).Round(100*time.Millisecond).String())
	}
	add("players", strings.Join(c.Agents, ", "))
	add("rules", strings.Join(c.Rules, ", "))
	add("schedule", string(c.Format))
	add("pairs a pairing", fmt.Sprint(c.Pairs))
	add("openings", c.Openings.String())
	add("limits", limitsText(c.Limits))
	add("adjudication", c.Adjudication)
	add("sequential test", c.SPRT)
	add("repeating moves", c.OnRepetition)
	add("seed", fmt.Sprint(c.Seed))
	add("workers", fmt.Sprint(c.Workers))
	program := m.Program.Version
	if m.Program.Revision != "" {
		program += ", revision " + m.Program.Revision
	}
	if m.Program.Modified {
		program += " with changes"
	}
	if m.Program.Go != "" {
		program += ", " + m.Program.Go
	}
	add("program", strings.TrimPrefix(program, ", "))
	if m.Host.OS != "" {
		add("machine", fmt.Sprintf("%s/%s, %d cores", m.Host.OS, m.Host.Arch, m.Host.CPUs))
	}
	return list
}

func limitsText(l record.Limits) string {
	var parts []string
	if l.Depth > 0 {
		parts = append(parts, fmt.Sprintf("%d plies", l.Depth))
	}
	if l.Nodes > 0 {
		parts = append(parts, textfmt.Thousands(l.Nodes)+" nodes")
	}
	if l.MoveTime != "" {
		parts = append(parts, l.MoveTime+" a move")
	}
	if l.Clock != "" {
		parts = append(parts, "clock "+l.Clock)
	}
	return strings.Join(parts, ", ")
}

// command is a command line that plays the run again, into a folder of its own:
// gyges match for a test, gyges tournament otherwise. It is empty for runs that
// were something else.
func command(m *tournament.Manifest, name string) string {
	c := &m.Config
	if len(c.Agents) < 2 || len(c.Rules) == 0 || c.Pairs < 1 {
		return ""
	}
	var words []string
	flag := func(name, value string) {
		if value != "" && value != "0" {
			words = append(words, "--"+name, ShellWord(value))
		}
	}
	if c.SPRT != "" && len(c.Agents) == 2 {
		words = []string{"gyges", "match", ShellWord(c.Agents[0]), ShellWord(c.Agents[1])}
		flag("sprt", c.SPRT)
	} else {
		words = []string{"gyges", "tournament"}
		for _, a := range c.Agents {
			flag("agent", a)
		}
		if c.Format != tournament.RoundRobin {
			flag("schedule", string(c.Format))
		}
		flag("rounds", fmt.Sprint(c.Rounds))
	}
	flag("rules", strings.Join(c.Rules, ","))
	flag("pairs", fmt.Sprint(c.Pairs))
	flag("openings", c.Openings.String())
	flag("depth", fmt.Sprint(c.Limits.Depth))
	flag("nodes", fmt.Sprint(c.Limits.Nodes))
	flag("movetime", c.Limits.MoveTime)
	if base, increment, ok := strings.Cut(c.Limits.Clock, "+"); ok || base != "" {
		flag("clock", base)
		flag("increment", increment)
	}
	flag("time-margin", c.TimeMargin)
	flag("adjudicate", c.Adjudication)
	if c.OnRepetition != "forfeit" {
		flag("on-repetition", c.OnRepetition)
	}
	if c.StallTimeout != "10m0s" {
		flag("stall-timeout", c.StallTimeout)
	}
	if c.Suspend != 10 {
		words = append(words, "--suspend", fmt.Sprint(c.Suspend))
	}
	flag("seed", fmt.Sprint(c.Seed))
	flag("out", strings.TrimSuffix(strings.TrimSuffix(name, "games.jsonl"), "/")+"-again")
	return strings.Join(words, " ")
}

// ShellWord quotes a word for a shell where that is needed.
func ShellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
