// Package selfplay lets agents play for what can be learned from their games: a
// tournament in which every agent explores and plays against itself, too
// ([tournament.SelfPlay]), and then the samples that its records give.
//
// There is no second way to play: games, seeds, resuming and records are those
// of package tournament, and samples come from nothing but the records.
package selfplay

import (
	"errors"
	"strconv"

	"gyges/agents"
	"gyges/agents/explore"
	"gyges/agents/problems"
	"gyges/tournament"
)

// Config says which games are played, and how their samples are split.
type Config struct {
	// Tournament holds everything that self-play has in common with other
	// tournaments. Agents are the agents as they would play their best; Format
	// is not used.
	Tournament tournament.Config

	Explore explore.Options // how the agents leave their best moves

	Split Split
}

// Split says how samples are divided. Both games of a pair, which begin in one
// opening, go the same way; it depends on the pair's number alone.
type Split struct {
	Validation, Test int // percent of the game pairs, 0 to 90 together; the rest is for training
}

// maxHeldOut bounds what is not for training, in percent.
const maxHeldOut = 90

// DefaultConfig returns a config that lacks only the agents and, for a run, the folder.
func DefaultConfig() Config {
	c := Config{Tournament: tournament.DefaultConfig(), Explore: explore.Options{Temperature: 0.2}, Split: Split{5, 5}}
	c.Tournament.Name = "selfplay"
	c.Tournament.Pairs = 1000
	c.Tournament.Openings.Plies = 2
	return c
}

// Games returns the tournament to be played: that of the exploring agents.
func (c *Config) Games() tournament.Config {
	t := c.Tournament
	t.Format, t.Agents = tournament.SelfPlay, nil
	for _, like := range c.Tournament.Agents {
		t.Agents = append(t.Agents, explore.Spec(like, c.Explore))
	}
	return t
}

// Validate checks everything that can be checked before a game is played, Out
// aside. The error joins one *[problems.FieldError] for each thing that is wrong;
// the registry must have the kind of package explore.
func (c *Config) Validate(registry *agents.Registry) error {
	var p problems.List
	o := c.Explore
	p.Expect(o.Temperature >= 0 && o.Temperature <= explore.MaxTemperature, "explore.temperature",
		"expected points from 0 to %d, found %v", explore.MaxTemperature, o.Temperature)
	p.Expect(o.Random >= 0 && o.Random <= 1, "explore.random", "expected a share from 0 to 1, found %v", o.Random)
	p.Expect(o.Plies >= 0 && o.Plies <= explore.MaxPlies, "explore.plies",
		"expected a number from 0 (all) to %d, found %d", explore.MaxPlies, o.Plies)
	c.Split.check(&p)
	t := c.Games()
	if len(p) > 0 { // the agents would complain of the same
		t.Agents = c.Tournament.Agents
	}
	return errors.Join(append(p, t.Validate(registry))...)
}

func (s Split) check(p *problems.List) {
	validation := 0 <= s.Validation && s.Validation <= maxHeldOut
	p.Expect(validation, "split.validation", "expected percent from 0 to %d, found %d", maxHeldOut, s.Validation)
	p.Expect(!validation || 0 <= s.Test && s.Validation+s.Test <= maxHeldOut, "split.test",
		"expected percent from 0, with validation's %d up to %d together, found %d", s.Validation, maxHeldOut, s.Test)
}

// About says how the games of a run came about, for the metadata of its samples.
func (c *Config) About() map[string]string {
	return map[string]string{
		"openings": c.Tournament.Openings.String(),
		"seed":     strconv.FormatUint(c.Tournament.Seed, 10),
	}
}
