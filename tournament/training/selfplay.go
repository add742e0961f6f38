package training

import (
	"fmt"
	"strconv"

	"gyges/agents"
	"gyges/agents/explore"
	"gyges/agents/tuning/dataset"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/tournament"
	"gyges/tournament/schedule"
)

// SelfPlay is a tournament of agents that explore ([schedule.SelfPlay]), whose records are
// converted to training positions ([Positions.Extract]). Start from [DefaultSelfPlay].
type SelfPlay struct {
	// Tournament is what is played; its agents are those without exploration.
	Tournament tournament.Config `yaml:",inline"`

	Explore explore.Options `yaml:"explore" help:"How agents deviate from their best moves."`

	Positions `yaml:",inline"`
}

// Positions is how training positions are made of games.
type Positions struct {
	Search Search `yaml:"search" help:"Positions that are searched anew, for better scores."`
	Split  Split  `yaml:"split" help:"What is held out of the training positions, in percent."`

	Text string `yaml:"-"` // a format of [dataset.WriteText]; "": Parquet, which fits read
}

// check adds the invalid settings to p; their keys begin with prefix.
func (c *Positions) check(p *problems.List, prefix string, registry *agents.Registry) {
	settings.Check(p, c, prefix)
	c.Search.check(p, prefix, registry)
	c.Split.check(p, prefix)
}

// Split is the division of training positions. Both games of a pair are in one split, given by its
// number alone.
type Split struct {
	// Percent of the game pairs, 0 to 90 together; the rest is for training.
	Validation int `yaml:"validation" name:"validation" placeholder:"PERCENT" help:"Share of the game pairs for validation positions (early stopping)."`
	Test       int `yaml:"test" name:"test" placeholder:"PERCENT" help:"Share of the game pairs for test positions (to measure the result of a fit)."`
}

const maxHeldOut = 90 // percent that are not for training

// DefaultSelfPlay returns a config that lacks only the agents and, for a run, the folder.
func DefaultSelfPlay() SelfPlay {
	t := tournament.DefaultConfig()
	t.Name = "selfplay"
	t.Schedule = schedule.SelfPlay
	t.Pairs = 1000
	t.Openings.Plies = 2
	return SelfPlay{
		Tournament: t,
		Explore:    explore.Options{Temperature: 0.2},
		Positions:  Positions{Search: Search{Share: 1}, Split: Split{5, 5}},
	}
}

// Games returns the tournament to be played: that of the exploring agents.
func (c *SelfPlay) Games() tournament.Config {
	t := c.Tournament
	t.Agents = nil
	for _, agent := range c.Tournament.Agents {
		t.Agents = append(t.Agents, explore.Spec(agent, c.Explore))
	}
	return t
}

// Validate checks everything but Out, with the kinds of package explore. The error joins a
// *[problems.FieldError] each.
func (c *SelfPlay) Validate(registry *agents.Registry) error {
	var p problems.List
	settings.Check(&p, &c.Explore, "explore.")
	c.check(&p, "", registry)
	t := c.Games()
	if len(p) > 0 { // the exploring agents would have the same errors
		t.Agents = c.Tournament.Agents
	}
	p = append(p, t.Validate(registry))
	return p.Err()
}

// check adds the invalid settings to p; their keys begin with prefix.
func (s Split) check(p *problems.List, prefix string) {
	if s.Validation < 0 || s.Validation > maxHeldOut {
		p.Add(prefix+"split.validation",
			fmt.Errorf("expected percent from 0 to %d, found %d", maxHeldOut, s.Validation))
		return
	}
	isTest := 0 <= s.Test && s.Validation+s.Test <= maxHeldOut
	p.Expect(isTest, prefix+"split.test",
		"expected percent from 0, with validation's %d up to %d together, found %d",
		s.Validation, maxHeldOut, s.Test)
}

// part returns the split of a pair. The number is mixed, as pairs repeat the openings of
// a list regularly.
func (s Split) part(pair int64) dataset.Split {
	n := int(agents.MixSeed(0, uint64(pair)) % 100)
	switch {
	case n < s.Test:
		return dataset.Test
	case n < s.Test+s.Validation:
		return dataset.Validation
	default:
		return dataset.Train
	}
}

// has reports whether one of the first pairs is in a split.
func (s Split) has(split dataset.Split, pairs int) bool {
	for i := range pairs {
		if s.part(int64(i)) == split {
			return true
		}
	}
	return false
}

// Provenance describes the games of a run, for the metadata of its training positions.
func (c *SelfPlay) Provenance(version string) map[string]string {
	return map[string]string{
		"openings": c.Tournament.Openings.String(),
		"seed":     strconv.FormatUint(c.Tournament.Seed, 10),
		"program":  version,
	}
}
