package training

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/explore"
	"gyges/agents/tuning"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/tournament"
	"gyges/tournament/game"
	"gyges/tournament/schedule"
)

// Generations is the configuration of a run in which each generation plays itself, weights are fitted to its games, and
// the agent with the new weights plays the best one so far under a sequential test, and replaces it if it is stronger.
// Start from [DefaultGenerations].
type Generations struct {
	Name     string        `yaml:"name" form:"a name, in quotes if it is a number" help:"Name of the run, and of its folder under results. Default: the file's."`
	Rules    *rules.Rules  `yaml:"rules" form:"a rule set, like standard or standard:null_move=allow" help:"The rule set of all games."`
	Agent    agents.Spec   `yaml:"agent" form:"an agent spec, like random or alphabeta:depth=2" help:"The agent whose weights are trained; it plays the matches and the rating."`
	Start    string        `yaml:"weights" form:"zero, default or a weights file" help:"Weights to start from."`
	Weights  eval.Weights  // those of that name, of generation 0
	Count    int           `yaml:"generations" name:"generations" placeholder:"N" check:"1..1000" help:"Number of generations at most. A larger number resumes a run that has ended."`
	Time     time.Duration `yaml:"time" name:"time" placeholder:"TIME" check:"0s..1000h" zero:"no bound" help:"Time for all generations, such as 1h: none begins that would end later, and what is under way then is stopped. A longer one resumes a run that has ended."`
	SelfPlay Games         `yaml:"selfplay" name:"-" help:"The games to learn from, as in gyges selfplay."`
	Window   int           `yaml:"tune.window" check:"0..1000" zero:"all" help:"Generations that the training positions come from, the last ones."`
	Data     []string      `yaml:"tune.data" form:"a folder of training positions" help:"Folders of training positions of other runs, to fit to as well."`
	Fit      `yaml:"tune" help:"The fit to these games, as in gyges tune texel."`
	Match    Match  `yaml:"match" name:"-" help:"The match of the candidate against the best agent so far: it is adopted if the test accepts elo1; with 0 pairs there is none, and it is adopted."`
	Rating   Rating `yaml:"rating" help:"The tournament of the generations adopted, after the last one."`
	Seed     uint64 `yaml:"seed" name:"seed" placeholder:"N" help:"Seed of all random choices."`
	Workers  int    `yaml:"workers" check:"0..1024" zero:"all cores" name:"workers" placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out      string `yaml:"out" form:"a folder, in quotes if it is a number" name:"out" placeholder:"DIR" help:"Folder of the run; a run that was stopped there resumes. Default: a new one, results/NAME-TIME."`

	Executor tournament.Executor // plays the pairs; nil: this process
}

// Games are the games that each generation learns from.
type Games struct {
	Agent         agents.Spec `yaml:"agent" form:"an agent spec, like random or alphabeta:depth=2" help:"The agent that plays the games to learn from. Default: agent."`
	Stages        []Stage     `yaml:"stages" form:"list of changes" help:"Changes of the self-play, in the order of their generations."`
	Pairs         int         `yaml:"pairs" check:"1..1000000" help:"Game pairs of each generation."`
	game.Settings `yaml:",inline"`
	Explore       explore.Options `yaml:"explore" help:"How agents deviate from their best moves."`
	Positions     `yaml:",inline"`
}

// Match is the match of a candidate against the best agent, which ends when SPRT is decided.
type Match struct {
	SPRT          sprt.Test `yaml:"sprt" form:"a test, like elo0=0,elo1=10" help:"Stop when elo0 or elo1 is accepted: elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized (or logistic); omitted values are as here."`
	Pairs         int       `yaml:"pairs" check:"0..1000000" zero:"no match" help:"Game pairs of the match at most."`
	game.Settings `yaml:",inline"`
}

// Stage is a change of the self-play at a generation.
type Stage struct {
	From  int         `yaml:"from" help:"The first generation that it is for."`
	Agent agents.Spec `yaml:"agent" form:"an agent spec, like random or alphabeta:depth=2" help:"The agent that plays the games. Default: as before."`
	Pairs int         `yaml:"pairs" check:"0..1000000" zero:"as before" help:"Game pairs of each generation; 0: as before."`
}

// Rating is the tournament of adopted generations after the last one, for ratings without the bias of matches that were
// stopped by a test. They play with the limits and openings of the match.
type Rating struct {
	Pairs     int    `yaml:"pairs" check:"0..100000" zero:"none" help:"Game pairs that every two players of the rating at the end play."`
	Every     int    `yaml:"every" check:"1..1000" help:"Every how many generations one plays, beside the first and the last."`
	Each      int    `yaml:"each" check:"0..100000" zero:"none" help:"Game pairs that a generation plays against the reference as soon as it is adopted, to see its strength."`
	Reference string `yaml:"reference" form:"default or a weights file" help:"Weights with which another agent plays, whose rating is 0. Default: none does."`
}

// ReferenceName is the name of the player with the reference's weights.
const ReferenceName = "reference"

const maxGenerations = 1000

// DefaultGenerations returns a config that lacks the agent and, for Run, the folder.
func DefaultGenerations() Generations {
	selfPlay := DefaultSelfPlay()
	return Generations{
		Name: "training", Rules: rules.MustParse("standard"), Start: eval.DefaultName, Count: 5,
		SelfPlay: Games{
			Pairs: selfPlay.Tournament.Pairs, Settings: selfPlay.Tournament.Settings, Explore: selfPlay.Explore,
			Positions: selfPlay.Positions,
		},
		Window: 3,
		Fit:    Fit{Choice: texel.Choice{Leaves: true}, Settings: texel.Settings{Lambda: 0.5, L2: 1e-6}},
		Match: Match{
			Pairs: 2000, Settings: game.DefaultSettings(),
			SPRT: sprt.Test{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic},
		},
		Rating: Rating{Pairs: 100, Every: 1}, Seed: 1,
	}
}

// selfPlayAt returns the agent that plays the games that generation k learns from, and how many pairs.
func (c *Generations) selfPlayAt(k int) (agent agents.Spec, pairs int) {
	agent = c.Agent
	for _, s := range slices.Concat([]Stage{{Agent: c.SelfPlay.Agent, Pairs: c.SelfPlay.Pairs}}, c.SelfPlay.Stages) {
		if s.From > k {
			break
		}
		if s.Agent.Kind != "" {
			agent = s.Agent
		}
		pairs = cmp.Or(s.Pairs, pairs)
	}
	return agent, pairs
}

// Validate checks everything but Out. The error joins a *[problems.FieldError] for each invalid field.
func (c *Generations) Validate(registry *agents.Registry) error {
	var p problems.List
	tournament.CheckName(&p, c.Name)
	settings.Check(&p, c, "")
	var given [dataset.NumSplits]int64
	for i, dir := range c.Data {
		_, counts, err := dataset.Check(dir, c.Rules)
		for split, n := range counts {
			given[split] += n
		}
		p.Expect(err == nil, fmt.Sprintf("tune.data[%d]", i), "%w", err)
	}
	c.check(&p, "tune.", &c.Weights)
	p.Expect(c.Agent.Kind != "", "agent", "expected an agent spec, like alphabeta:nodes=2000, found none")
	if c.Agent.Kind != "" {
		c.checkAgents(&p, registry)
	}
	c.SelfPlay.Search.check(&p, "selfplay.", registry)
	c.SelfPlay.Split.check(&p, "selfplay.")
	c.SelfPlay.Check(&p, "selfplay.", []*rules.Rules{c.Rules}, c.Seed)
	c.Match.Check(&p, "match.", []*rules.Rules{c.Rules}, c.Seed)
	p.Expect(c.Match.SPRT != sprt.Test{} || c.Match.Pairs == 0, "match.sprt",
		"expected a test, like elo0=0,elo1=10, found none")
	err := c.Match.SPRT.Check()
	p.Expect(err == nil || c.Match.SPRT == sprt.Test{}, "match.sprt", "%w", err)
	won := sprt.Pairs{4: int64(c.Match.Pairs)}
	p.Expect(err != nil || c.Match.Pairs <= 0 || c.Match.SPRT.Verdict(won) == sprt.AcceptH1,
		"match.pairs", "expected more: no candidate is adopted, as %v accepts elo1 by none of %d pairs, all won",
		c.Match.SPRT, c.Match.Pairs)
	p.Expect(c.Rating.Each == 0 || c.Rating.Reference != "", "rating.each",
		"expected 0 without rating.reference, weights to play against, found %d", c.Rating.Each)
	_, pairs := c.selfPlayAt(1)
	for _, split := range []dataset.Split{dataset.Train, dataset.Validation} {
		p.Expect(given[split] > 0 || len(p) > 0 || c.SelfPlay.Split.has(split, pairs), "selfplay.split",
			"expected more pairs or another share: none of the %d pairs of generation 1 gives %v positions, which the fit needs",
			pairs, split)
	}
	return p.Err()
}

// checkAgents checks the agents, and the stages, without the weights of the run, which may not be written yet.
func (c *Generations) checkAgents(p *problems.List, registry *agents.Registry) {
	var wrong problems.List
	settings.Check(&wrong, &c.SelfPlay.Explore, "")
	check := func(field string, spec agents.Spec, explores bool) {
		if _, err := tuning.Weights(registry, spec, c.Rules); err != nil {
			p.Add(field, err)
			return
		}
		if explores && len(wrong) == 0 {
			spec = explore.Spec(spec, c.SelfPlay.Explore)
		}
		tournament.CheckAgent(p, field, registry, spec, c.Rules)
	}
	check("agent", c.Agent, c.SelfPlay.Agent.Kind == "")
	if c.SelfPlay.Agent.Kind != "" {
		check("selfplay.agent", c.SelfPlay.Agent, true)
	}
	if c.Rating.Reference != "" {
		_, err := tuning.Weights(registry, c.reference(), c.Rules)
		p.Expect(err == nil, "rating.reference", "%w", err)
	}
	first := 1
	for i, s := range c.SelfPlay.Stages {
		field := fmt.Sprintf("selfplay.stages[%d]", i)
		p.Expect(first <= s.From && s.From <= maxGenerations, field+".from",
			"expected a generation from %d to %v, found %v", first, maxGenerations, s.From)
		settings.Check(p, &s, field+".")
		if first = s.From + 1; s.Agent.Kind != "" {
			check(field+".agent", s.Agent, true)
		}
	}
}

func (c *Generations) path(k int, part string) string {
	return filepath.Join(c.Out, GenerationName(k), part)
}

// WeightsName returns the path of a generation's weights in the folder of its run, with slashes.
func WeightsName(generation int) string { return GenerationName(generation) + "/" + WeightsFile }

// weighted returns an agent with a name and the weights of generation k in place of all weights of its own. They are
// named by their path in the folder of the run, which may be moved.
func weighted(spec agents.Spec, k int, name string) agents.Spec {
	return withWeights(spec, WeightsName(k)).With("name", name)
}

func (c *Generations) reference() agents.Spec {
	file := c.Rating.Reference
	if strings.HasPrefix(file, "gen-") { // no weights of the run
		file = "./" + file
	}
	return withWeights(c.Agent, file).With("name", ReferenceName)
}

func withWeights(spec agents.Spec, weights string) agents.Spec {
	spec.Params = slices.DeleteFunc(slices.Clone(spec.Params), func(p agents.Param) bool {
		return strings.HasPrefix(p.Name, eval.ParamPrefix)
	})
	return spec.With("weights", weights)
}

// Purposes of seeds derived from that of the run.
const (
	forGames uint64 = iota + 1
	forMatch
	forRating
	forReference
)

func (c *Generations) games(k, best int) *SelfPlay {
	agent, pairs := c.selfPlayAt(k)
	g := &SelfPlay{Explore: c.SelfPlay.Explore, Positions: c.SelfPlay.Positions}
	g.Tournament = c.tournament(c.SelfPlay.Settings, "selfplay", c.path(k, "selfplay"), pairs,
		agents.MixSeed(c.Seed, forGames, uint64(k)), weighted(agent, best, GenerationName(best)))
	g.Tournament.Schedule = schedule.SelfPlay
	if g.Search.Agent.Kind != "" {
		g.Search.Agent = withWeights(g.Search.Agent, filepath.ToSlash(c.path(best, WeightsFile)))
	}
	return g
}

func (c *Generations) tournament(
	s game.Settings, name, out string, pairs int, seed uint64, players ...agents.Spec,
) tournament.Config {
	t := tournament.DefaultConfig()
	t.Settings, t.Name, t.Out, t.Agents, t.Rules = s, name, out, players, []*rules.Rules{c.Rules}
	t.Pairs, t.Seed, t.Workers, t.Executor, t.Files = pairs, seed, c.Workers, c.Executor, map[string]string{}
	for k := range c.Count + 1 {
		t.Files[WeightsName(k)] = c.path(k, WeightsFile)
	}
	return t
}

func (c *Generations) match(k, best int) tournament.Config {
	m := c.tournament(c.Match.Settings, "match", c.path(k, "match"), c.Match.Pairs,
		agents.MixSeed(c.Seed, forMatch, uint64(k)), weighted(c.Agent, k, "candidate"), weighted(c.Agent, best, "best"))
	m.SPRT = c.Match.SPRT
	return m
}

func (c *Generations) comparison(k int) tournament.Config {
	return c.tournament(c.Match.Settings, ReferenceName, c.path(k, ReferenceName), c.Rating.Each,
		agents.MixSeed(c.Seed, forReference, uint64(k)), weighted(c.Agent, k, GenerationName(k)), c.reference())
}

// rating returns the tournament of adopted generations; that of another last one is another tournament.
func (c *Generations) rating(r *Result) tournament.Config {
	var players []agents.Spec
	for _, g := range slices.Concat([]Generation{{Adopted: true}}, r.Generations) { // generation 0 first
		if g.Adopted && (g.Number%c.Rating.Every == 0 || g.Number == r.Best) {
			players = append(players, weighted(c.Agent, g.Number, GenerationName(g.Number)))
		}
	}
	if c.Rating.Reference != "" {
		players = append(players, c.reference())
	}
	return c.tournament(c.Match.Settings, "rating", filepath.Join(c.Out, fmt.Sprintf("rating-%03d", r.Best)),
		c.Rating.Pairs, agents.MixSeed(c.Seed, forRating), players...)
}

// freeKeys are those of describe that may change on resume: then they are for what is fitted and played from there on.
var freeKeys = []string{
	"positions", "quiet", "leaves", "features", "fit_network", "fit_policy", "lambda", "l2", "scale", "iterations",
	"patience", "window", "data", "split", "selfplay_pairs", "selfplay_stages", "match_pairs", "match_sprt",
}

// sumOfList ends the keys with the sum of a list of openings in manifests of versions that had no files there.
const sumOfList = "_openings_content"

// describe returns everything that the outcome depends on, but the number of generations, their time and the rating.
func (c *Generations) describe() map[string]any {
	t, m := &c.SelfPlay, &c.Match
	agent, _ := c.selfPlayAt(0)
	var stages []string
	for _, s := range c.SelfPlay.Stages {
		stages = append(stages, fmt.Sprintf("from=%d agent=%v pairs=%d", s.From, s.Agent, s.Pairs))
	}
	config := c.Fit.describe(&c.Weights)
	maps.Copy(config, map[string]any{
		"rules": c.Rules.String(), "agent": c.Agent.String(), "selfplay_agent": agent.String(),
		"seed":            strconv.FormatUint(c.Seed, 10),
		"selfplay_stages": stages, "selfplay_pairs": t.Pairs,
		"selfplay_openings": t.Openings.String(), "selfplay_limits": t.Limits,
		"explore": c.SelfPlay.Explore, "split": c.SelfPlay.Split, "window": c.Window, "data": c.Data,
		"match_pairs": m.Pairs, "match_sprt": m.SPRT.String(), "match_openings": m.Openings.String(),
		"match_limits": m.Limits,
	})
	describeGames(config, "selfplay_", t.Settings)
	describeGames(config, "match_", m.Settings)
	if c.SelfPlay.Search.Agent.Kind != "" {
		s := &c.SelfPlay.Search
		type agent agents.Spec // without its methods: an object with its kind and parameters
		config["search"] = map[string]any{"Agent": agent(s.Agent), "Share": s.Share, "Tree": s.Tree}
	}
	return config
}
