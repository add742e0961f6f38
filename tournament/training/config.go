// Package training is the loop that makes weights better: the best agent so far
// plays itself, weights are fitted to the games, the agent with the new weights
// plays the best one under a sequential test, and takes its place if it is
// stronger. Everything a generation does is in a folder of its own, and every
// stage goes on where it was stopped.
package training

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/problems"
	"gyges/agents/tuning"
	"gyges/agents/tuning/sample"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/selfplay"
)

// Config says how agents are trained. Start from [DefaultConfig].
type Config struct {
	Name          string
	Rules         *rules.Rules // one rule set, by which all games are played
	Agent         agents.Spec  // plays the matches; its weights are trained
	SelfPlayAgent agents.Spec  // plays the games to learn from; zero: Agent
	Weights       eval.Weights // of generation 0
	Generations   int          // how many candidates are made, 1 to 1000

	// SelfPlay says how many games a generation plays to learn from, from which
	// openings and how it explores. Rules, agents, seed, workers and folder in it
	// are not used.
	SelfPlay selfplay.Config

	// Window is how many generations, the last ones, the samples come from; 0: all.
	Window   int
	Data     []string // folders of samples of other runs, to learn from too
	Choice   texel.Choice
	Settings texel.Settings // but Names, Parent and Record

	// Match says how the candidate plays the best one: at most Pairs game pairs,
	// until SPRT is decided, from Openings, within Limits. The rest is not used.
	Match tournament.Config

	// Rating is how many game pairs every two of the generations adopted play at
	// the end, for ratings that are not those of chosen results; 0: none.
	Rating int

	Seed    uint64
	Workers int    // as in a tournament
	Out     string // folder; a run that was stopped there goes on
}

// Bounds of a Config.
const (
	maxGenerations = 1000
	maxRating      = 100_000
)

// DefaultConfig returns a config that lacks the agent and, for Run, the folder.
func DefaultConfig() Config {
	c := Config{
		Name: "training", Rules: rules.MustParse("standard"), Generations: 5,
		SelfPlay: selfplay.DefaultConfig(), Window: 3,
		Choice: texel.Choice{Leaves: true}, Settings: texel.Settings{Lambda: 0.5, L2: 1e-6},
		Match: tournament.DefaultConfig(), Rating: 100, Seed: 1,
	}
	c.Match.Pairs = 2000
	c.Match.SPRT = sprt.Test{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic}
	return c
}

// selfPlayAgent returns the agent that plays the games to learn from.
func (c *Config) selfPlayAgent() agents.Spec {
	if c.SelfPlayAgent.Kind == "" {
		return c.Agent
	}
	return c.SelfPlayAgent
}

// Validate checks everything that can be checked before a game is played, Out
// aside. The error joins a *[problems.FieldError] for each thing that is wrong.
func (c *Config) Validate(registry *agents.Registry) error {
	var p problems.List
	p.Expect(tournament.IsName(c.Name), "name", "expected 1 to 64 letters, digits, '-', '_' or '.', the first a letter or a digit, found %.60q", c.Name)
	p.Expect(1 <= c.Generations && c.Generations <= maxGenerations, "generations", "expected a number from 1 to %d, found %d", maxGenerations, c.Generations)
	p.Expect(0 <= c.Window && c.Window <= maxGenerations, "window", "expected a number from 0 (all) to %d, found %d", maxGenerations, c.Window)
	p.Expect(0 <= c.Rating && c.Rating <= maxRating, "rating", "expected a number from 0 (none) to %d, found %d", maxRating, c.Rating)
	p.Expect(0 <= c.Choice.Positions, "tune.positions", "expected a number from 0 (all), found %d", c.Choice.Positions)
	for i, dir := range c.Data {
		_, err := sample.Shards(dir, sample.Train)
		p.Expect(err == nil, fmt.Sprintf("tune.data[%d]", i), "%w", err)
	}
	p.Expect(c.Match.SPRT != sprt.Test{}, "match.sprt", "expected a test, like elo0=0,elo1=10, found none")
	if c.Agent.Kind == "" {
		p.Add("agent", errors.New("expected an agent spec, like alphabeta:nodes=2000, found none"))
		return p.Err()
	}
	usable := true
	for field, spec := range map[string]agents.Spec{"agent": c.Agent, "selfplay.agent": c.SelfPlayAgent} {
		if spec.Kind == "" { // as the agent
			continue
		}
		if _, err := tuning.Weights(registry, spec, c.Rules); err != nil {
			p.Add(field, err)
			usable = false
		}
	}
	settings := c.settings(&c.Weights)
	p = append(p, inside("tune.", settings.Check())...)
	if usable {
		games, m := c.games(1, 0), c.match(1, 0)
		games.Tournament.Agents = []agents.Spec{c.selfPlayAgent()} // the weights may not be written yet
		m.Agents = []agents.Spec{named(c.Agent, "candidate"), named(c.Agent, "best")}
		p = append(p, inside("selfplay.", games.Validate(registry))...)
		p = append(p, inside("match.", m.Validate(registry))...)
	}
	return p.Err()
}

// inside puts what a part of the config is called before the fields of its errors.
func inside(part string, err error) []error {
	var list []error
	for _, one := range problems.Split(err) {
		var fe *problems.FieldError
		switch {
		case errors.As(one, &fe) && (fe.Field == "workers" || fe.Field == "seed"):
			if part == "match." { // once is enough
				list = append(list, fe)
			}
		case errors.As(one, &fe):
			list = append(list, &problems.FieldError{Field: part + fe.Field, Err: fe.Err})
		default:
			list = append(list, one)
		}
	}
	return list
}

// settings returns those of a fit that starts from weights.
func (c *Config) settings(parent *eval.Weights) texel.Settings {
	s := c.Settings
	s.Names, s.Parent = eval.Names(), parent.Values[:]
	if s.Network != nil {
		n := *s.Network
		n.Parent, s.Network = parent.Network, &n
	}
	return s
}

// choice returns which samples a fit takes, and what of them.
func (c *Config) choice() texel.Choice {
	choice := c.Choice
	choice.Inputs = c.Settings.Network != nil
	return choice
}

// with returns an agent with a parameter set.
func with(spec agents.Spec, name, value string) agents.Spec {
	s := agents.Spec{Kind: spec.Kind, Params: slices.Clone(spec.Params)}
	i := slices.IndexFunc(s.Params, func(p agents.Param) bool { return p.Name == name })
	if i < 0 {
		i = len(s.Params)
		s.Params = append(s.Params, agents.Param{Name: name})
	}
	s.Params[i].Value = value
	return s
}

// named returns an agent by a name that tables show.
func named(spec agents.Spec, name string) agents.Spec { return with(spec, "name", name) }

// weighted returns an agent with the weights of generation k, from their file, in
// the place of all weights of its own.
func (c *Config) weighted(spec agents.Spec, k int) agents.Spec {
	spec.Params = slices.DeleteFunc(slices.Clone(spec.Params), func(p agents.Param) bool { return strings.HasPrefix(p.Name, eval.ParamPrefix) })
	return with(spec, "weights", filepath.ToSlash(c.folder(k, WeightsFile)))
}

// What seeds are derived for.
const (
	forGames uint64 = iota + 1
	forMatch
	forRating
)

// games returns the self-play of generation k, by the best weights so far, those
// of generation best.
func (c *Config) games(k, best int) *selfplay.Config {
	g := c.SelfPlay
	t := &g.Tournament
	t.Name, t.Rules, t.Agents = "selfplay", []*rules.Rules{c.Rules}, []agents.Spec{named(c.weighted(c.selfPlayAgent(), best), Generation{Number: best}.Name())}
	t.Seed, t.Workers, t.Out = agents.MixSeed(c.Seed, forGames, uint64(k)), c.Workers, c.folder(k, "selfplay")
	return &g
}

// match returns the match of generation k's candidate against the best so far.
func (c *Config) match(k, best int) tournament.Config {
	m := c.Match
	m.Name, m.Rules = "match", []*rules.Rules{c.Rules}
	m.Agents = []agents.Spec{named(c.weighted(c.Agent, k), "candidate"), named(c.weighted(c.Agent, best), "best")}
	m.Seed, m.Workers, m.Out = agents.MixSeed(c.Seed, forMatch, uint64(k)), c.Workers, c.folder(k, "match")
	return m
}

// ratingRun returns the tournament of all generations that were adopted.
func (c *Config) ratingRun(adopted []Generation) tournament.Config {
	m := c.Match
	m.Name, m.Rules, m.SPRT, m.Pairs = "rating", []*rules.Rules{c.Rules}, sprt.Test{}, c.Rating
	m.Agents = nil
	for _, g := range adopted {
		m.Agents = append(m.Agents, named(c.weighted(c.Agent, g.Number), g.Name()))
	}
	m.Seed, m.Workers, m.Out = agents.MixSeed(c.Seed, forRating), c.Workers, c.path("rating")
	return m
}
