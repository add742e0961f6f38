package training

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/problems"
	"gyges/agents/tuning"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament"
)

// Generations is the configuration of a run in which each generation plays itself,
// weights are fitted to its games, and the agent with the new weights plays the best one
// so far under a sequential test, and replaces it if it is stronger. Start from
// [DefaultGenerations].
type Generations struct {
	Name          string
	Rules         *rules.Rules // one rule set, by which all games are played
	Agent         agents.Spec  // plays the matches; its weights are trained
	SelfPlayAgent agents.Spec  // plays the games to learn from; zero: Agent
	Weights       eval.Weights // of generation 0
	Count         int          // how many candidates are made, 1 to 1000

	// SelfPlay is the self-play of a generation. Rules, agents, seed, workers and folder
	// in it are not used.
	SelfPlay SelfPlay

	// Window is how many generations, the last ones, the training positions come from;
	// 0: all.
	Window int
	Data   []string // folders of training positions of other runs, to fit to as well
	Fit

	// Match is the match of the candidate against the best agent: at most Pairs game
	// pairs, until SPRT is decided, from Openings, within Limits. The rest is not used.
	Match tournament.Config

	// Rating is how many game pairs every two of the adopted generations play at the
	// end, for ratings without the bias of matches that were stopped by a test; 0: none.
	Rating int

	Seed    uint64
	Workers int    // as in a tournament
	Out     string // folder; a run that was stopped there resumes
}

// Bounds of Generations.
const (
	maxGenerations = 1000
	maxRating      = 100_000
)

// DefaultGenerations returns a config that lacks the agent and, for Run, the folder.
func DefaultGenerations() Generations {
	c := Generations{
		Name: "training", Rules: rules.MustParse("standard"), Count: 5,
		SelfPlay: DefaultSelfPlay(), Window: 3,
		Fit:   Fit{texel.Choice{Leaves: true}, texel.Settings{Lambda: 0.5, L2: 1e-6}},
		Match: tournament.DefaultConfig(), Rating: 100, Seed: 1,
	}
	c.Match.Pairs = 2000
	c.Match.SPRT = sprt.Test{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic}
	return c
}

// selfPlayAgent returns the agent that plays the games to learn from.
func (c *Generations) selfPlayAgent() agents.Spec {
	if c.SelfPlayAgent.Kind == "" {
		return c.Agent
	}
	return c.SelfPlayAgent
}

// Validate checks everything that can be checked before a game is played, Out
// aside. The error joins a *[problems.FieldError] for each invalid field.
func (c *Generations) Validate(registry *agents.Registry) error {
	var p problems.List
	checkName(&p, c.Name)
	p.Expect(1 <= c.Count && c.Count <= maxGenerations, "generations",
		"expected a number from 1 to %d, found %d", maxGenerations, c.Count)
	p.Expect(0 <= c.Window && c.Window <= maxGenerations, "tune.window",
		"expected a number from 0 (all) to %d, found %d", maxGenerations, c.Window)
	p.Expect(0 <= c.Rating && c.Rating <= maxRating, "rating",
		"expected a number from 0 (none) to %d, found %d", maxRating, c.Rating)
	for i, dir := range c.Data {
		_, err := dataset.Shards(dir, dataset.Train)
		p.Expect(err == nil, fmt.Sprintf("tune.data[%d]", i), "%w", err)
	}
	p.Expect(c.Match.SPRT != sprt.Test{}, "match.sprt", "expected a test, like elo0=0,elo1=10, found none")
	p = append(p, inside("tune.", c.check(&c.Weights))...)
	if c.Agent.Kind == "" {
		p.Add("agent", errors.New("expected an agent spec, like alphabeta:nodes=2000, found none"))
		return p.Err()
	}
	usable := true
	for field, spec := range map[string]agents.Spec{"agent": c.Agent, "selfplay.agent": c.SelfPlayAgent} {
		if spec.Kind == "" { // the same as the agent
			continue
		}
		if _, err := tuning.Weights(registry, spec, c.Rules); err != nil {
			p.Add(field, err)
			usable = false
		}
	}
	if usable {
		games, m := c.games(1, 0), c.match(1, 0)
		games.Tournament.Agents = []agents.Spec{c.selfPlayAgent()} // the weights may not be written yet
		m.Agents = []agents.Spec{c.Agent.With("name", "candidate"), c.Agent.With("name", "best")}
		p = append(p, inside("selfplay.", games.Validate(registry))...)
		p = append(p, inside("match.", m.Validate(registry))...)
	}
	return p.Err()
}

// inside prefixes the fields of errors with the name of a part of the config. Fields that
// the parts share are reported once, for the match.
func inside(part string, err error) []error {
	var list []error
	for _, one := range problems.Split(err) {
		var fe *problems.FieldError
		shared := errors.As(one, &fe) && (fe.Field == "workers" || fe.Field == "seed")
		switch {
		case fe == nil || shared && part == "match.":
			list = append(list, one)
		case !shared:
			list = append(list, &problems.FieldError{Field: part + fe.Field, Err: fe.Err})
		}
	}
	return list
}

// path returns a part of generation k's folder.
func (c *Generations) path(k int, part string) string {
	return filepath.Join(c.Out, generationName(k), part)
}

// generationName returns the name of a generation's folder and player.
func generationName(k int) string { return fmt.Sprintf("gen-%03d", k) }

// weighted returns an agent with the weights of generation k, from their file, in
// place of all weights of its own.
func (c *Generations) weighted(spec agents.Spec, k int) agents.Spec {
	spec.Params = slices.DeleteFunc(slices.Clone(spec.Params), func(p agents.Param) bool {
		return strings.HasPrefix(p.Name, eval.ParamPrefix)
	})
	return spec.With("weights", filepath.ToSlash(c.path(k, WeightsFile)))
}

// Purposes of seeds derived from that of the run.
const (
	forGames uint64 = iota + 1
	forMatch
	forRating
)

// games returns the self-play of generation k, with the best weights so far, those
// of generation best.
func (c *Generations) games(k, best int) *SelfPlay {
	g := c.SelfPlay
	agent := c.weighted(c.selfPlayAgent(), best).With("name", generationName(best))
	g.Tournament = c.tournament(c.SelfPlay.Tournament, "selfplay", c.path(k, "selfplay"), agent)
	g.Tournament.Seed = agents.MixSeed(c.Seed, forGames, uint64(k))
	return &g
}

// tournament returns a tournament of the run.
func (c *Generations) tournament(t tournament.Config, name, out string, players ...agents.Spec) tournament.Config {
	t.Name, t.Out, t.Agents, t.Rules, t.Workers = name, out, players, []*rules.Rules{c.Rules}, c.Workers
	return t
}

// match returns the match of generation k's candidate against the best so far.
func (c *Generations) match(k, best int) tournament.Config {
	m := c.tournament(c.Match, "match", c.path(k, "match"),
		c.weighted(c.Agent, k).With("name", "candidate"), c.weighted(c.Agent, best).With("name", "best"))
	m.Seed = agents.MixSeed(c.Seed, forMatch, uint64(k))
	return m
}

// rating returns the tournament of all adopted generations. Its folder is named after the
// last one, as a run that goes on with more generations plays another tournament.
func (c *Generations) rating(adopted []Generation) tournament.Config {
	var players []agents.Spec
	for _, g := range adopted {
		players = append(players, c.weighted(c.Agent, g.Number).With("name", generationName(g.Number)))
	}
	out := filepath.Join(c.Out, fmt.Sprintf("rating-%03d", adopted[len(adopted)-1].Number))
	m := c.tournament(c.Match, "rating", out, players...)
	m.SPRT, m.Pairs, m.Seed, m.Extend = sprt.Test{}, c.Rating, agents.MixSeed(c.Seed, forRating), true
	return m
}

// describe returns everything that the outcome of a run depends on, but for the number
// of generations.
func (c *Generations) describe() map[string]any {
	t, m := &c.SelfPlay.Tournament, &c.Match
	config := c.Fit.describe(&c.Weights)
	maps.Copy(config, map[string]any{
		"rules": c.Rules.String(), "agent": c.Agent.String(), "selfplay_agent": c.selfPlayAgent().String(),
		"seed":           strconv.FormatUint(c.Seed, 10),
		"selfplay_pairs": t.Pairs, "selfplay_openings": t.Openings.String(), "selfplay_limits": t.Limits,
		"explore": c.SelfPlay.Explore, "split": c.SelfPlay.Split, "window": c.Window, "data": c.Data,
		"match_pairs": m.Pairs, "match_sprt": m.SPRT.String(), "match_openings": m.Openings.String(),
		"match_limits": m.Limits,
	})
	return config
}
