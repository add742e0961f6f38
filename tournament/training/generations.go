package training

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
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

// The configuration of a training in generations, and the tournaments that are played in it.

// Generations is the configuration of a run in which each generation plays itself, weights are
// fitted to its games, and the agent with the new weights plays the best one so far under a
// sequential test, and replaces it if it is stronger. Start from [DefaultGenerations].
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

// Rating is the tournament of adopted generations after the last one, for ratings without the bias
// of matches that were stopped by a test. They play with the limits and openings of the match.
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
		Name:  "training",
		Rules: rules.MustParse("standard"),
		Start: eval.DefaultName,
		Count: 5,
		SelfPlay: Games{
			Pairs:     selfPlay.Tournament.Pairs,
			Settings:  selfPlay.Tournament.Settings,
			Explore:   selfPlay.Explore,
			Positions: selfPlay.Positions,
		},
		Window: 3,
		Fit: Fit{
			Choice:   texel.Choice{Leaves: true},
			Settings: texel.Settings{Lambda: 0.5, L2: 1e-6},
		},
		Match: Match{
			Pairs:    2000,
			Settings: game.DefaultSettings(),
			SPRT:     sprt.Test{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic},
		},
		Rating: Rating{Pairs: 100, Every: 1},
		Seed:   1,
	}
}

// selfPlayAt returns the agent that plays the games that generation k learns from,
// and how many pairs.
func (c *Generations) selfPlayAt(k int) (agent agents.Spec, pairs int) {
	agent, pairs = c.SelfPlay.Agent, c.SelfPlay.Pairs
	if agent.Kind == "" {
		agent = c.Agent
	}
	for _, stage := range c.SelfPlay.Stages {
		if stage.From > k {
			break
		}
		if stage.Agent.Kind != "" {
			agent = stage.Agent
		}
		pairs = cmp.Or(stage.Pairs, pairs)
	}
	return agent, pairs
}

// Validate checks everything but Out. The error joins a *[problems.FieldError] for
// each invalid field.
func (c *Generations) Validate(registry *agents.Registry) error {
	var p problems.List
	tournament.CheckName(&p, c.Name)
	settings.Check(&p, c, "")

	// What is learned from, and how.
	var given [dataset.NumSplits]int64 // training positions of other runs
	for i, dir := range c.Data {
		counts, err := dataset.Check(dir, c.Rules)
		if err != nil {
			p.Add(fmt.Sprintf("tune.data[%d]", i), err)
		}
		for split, n := range counts {
			given[split] += n
		}
	}
	c.check(&p, "tune.", &c.Weights)

	// Who plays, and what.
	p.Expect(c.Agent.Kind != "", "agent",
		"expected an agent spec, like alphabeta:nodes=2000, found none")
	if c.Agent.Kind != "" {
		c.checkAgents(&p, registry)
	}
	c.SelfPlay.Search.check(&p, "selfplay.", registry)
	c.SelfPlay.Split.check(&p, "selfplay.")
	c.SelfPlay.Check(&p, "selfplay.", []*rules.Rules{c.Rules}, c.Seed)
	c.Match.check(&p, c.Rules, c.Seed)
	if c.Rating.Each != 0 {
		p.Expect(c.Rating.Reference != "", "rating.each",
			"expected 0 without rating.reference, weights to play against, found %d", c.Rating.Each)
	}
	if len(p) > 0 {
		return p.Err()
	}

	// The first fit needs training and validation positions.
	_, pairs := c.selfPlayAt(1)
	for _, split := range []dataset.Split{dataset.Train, dataset.Validation} {
		if given[split] == 0 && !c.SelfPlay.Split.has(split, pairs) {
			p.Add("selfplay.split", fmt.Errorf("expected more pairs or another share: "+
				"none of the %d pairs of generation 1 gives %v positions, which the fit needs",
				pairs, split))
			break
		}
	}
	return p.Err()
}

// check adds the invalid settings to p, but for the bounds in their tags.
func (m *Match) check(p *problems.List, r *rules.Rules, seed uint64) {
	m.Check(p, "match.", []*rules.Rules{r}, seed)
	if m.SPRT == (sprt.Test{}) {
		p.Expect(m.Pairs == 0, "match.sprt", "expected a test, like elo0=0,elo1=10, found none")
		return
	}
	if err := m.SPRT.Check(); err != nil {
		p.Add("match.sprt", err)
		return
	}
	if m.Pairs > 0 {
		best := m.SPRT.Verdict(sprt.Pairs{4: int64(m.Pairs)})
		p.Expect(best == sprt.AcceptH1, "match.pairs",
			"expected more: no candidate is adopted, "+
				"as %v accepts elo1 by none of %d pairs, all won",
			m.SPRT, m.Pairs)
	}
}

// checkAgents checks the agents, and the stages.
func (c *Generations) checkAgents(p *problems.List, registry *agents.Registry) {
	ownGames := c.SelfPlay.Agent.Kind == ""
	c.checkAgent(p, registry, "agent", c.Agent, ownGames)
	if !ownGames {
		c.checkAgent(p, registry, "selfplay.agent", c.SelfPlay.Agent, true)
	}
	if c.Rating.Reference != "" {
		if _, err := tuning.Weights(registry, c.reference(), c.Rules); err != nil {
			p.Add("rating.reference", err)
		}
	}
	first := 1
	for i, s := range c.SelfPlay.Stages {
		field := fmt.Sprintf("selfplay.stages[%d]", i)
		inOrder := problems.Within(s.From, first, maxGenerations)
		p.Expect(inOrder, field+".from",
			"expected a generation from %d to %v, found %v", first, maxGenerations, s.From)
		settings.Check(p, &s, field+".")
		if s.Agent.Kind != "" {
			c.checkAgent(p, registry, field+".agent", s.Agent, true)
		}
		first = s.From + 1
	}
}

// checkAgent checks an agent, as it explores if it plays the games to learn from. The weights of
// the run, which may not be written yet, are not among its parameters.
func (c *Generations) checkAgent(
	p *problems.List, registry *agents.Registry, field string, spec agents.Spec, explores bool,
) {
	if _, err := tuning.Weights(registry, spec, c.Rules); err != nil {
		p.Add(field, err)
		return
	}
	var wrong problems.List // which is said of explore
	settings.Check(&wrong, &c.SelfPlay.Explore, "")
	if explores && len(wrong) == 0 {
		spec = explore.Spec(spec, c.SelfPlay.Explore)
	}
	tournament.CheckAgent(p, field, registry, spec, c.Rules)
}

// path returns the path of a part of a generation, such as its weights.
func (c *Generations) path(k int, part string) string {
	return filepath.Join(c.Out, GenerationName(k), part)
}

// WeightsName returns the path of a generation's weights in the folder of its run, with slashes.
func WeightsName(generation int) string { return GenerationName(generation) + "/" + WeightsFile }

// weighted returns an agent with the name and the weights of generation k in place of all weights
// of its own. They are named by their path in the folder of the run, which may be moved.
func weighted(spec agents.Spec, k int) agents.Spec {
	return withWeights(spec, WeightsName(k)).With("name", GenerationName(k))
}

// reference returns the player whose rating is 0: the agent with the reference's weights.
func (c *Generations) reference() agents.Spec {
	file := c.Rating.Reference
	if strings.HasPrefix(file, "gen-") { // no weights of the run
		file = "./" + file
	}
	return withWeights(c.Agent, file).With("name", ReferenceName)
}

// withWeights returns an agent with a file of weights in place of all weights of its own.
func withWeights(spec agents.Spec, weights string) agents.Spec {
	var others []agents.Param
	for _, p := range spec.Params {
		if !strings.HasPrefix(p.Name, eval.ParamPrefix) {
			others = append(others, p)
		}
	}
	spec.Params = others
	return spec.With("weights", weights)
}

// Purposes of seeds derived from that of the run.
const (
	forGames uint64 = iota + 1
	forMatch
	forRating
	forReference
)

// tournament returns what is played in a stage of generation k, which lacks the number of pairs.
// Its folder has the stage's name.
func (c *Generations) tournament(
	k int, stage string, purpose uint64, players ...agents.Spec,
) tournament.Config {
	t := tournament.DefaultConfig()
	t.Name = stage
	t.Out = c.path(k, stage)
	t.Agents = players
	t.Rules = []*rules.Rules{c.Rules}
	t.Settings = c.Match.Settings
	t.Seed = agents.MixSeed(c.Seed, purpose, uint64(k))
	t.Workers = c.Workers
	t.Executor = c.Executor

	// Specs name weights by their path in the run's folder.
	t.Files = map[string]string{}
	for k := range c.Count + 1 {
		t.Files[WeightsName(k)] = c.path(k, WeightsFile)
	}
	return t
}

// games returns the self-play of generation k by the best generation before it.
func (c *Generations) games(k, best int) *SelfPlay {
	agent, pairs := c.selfPlayAt(k)
	g := &SelfPlay{Explore: c.SelfPlay.Explore, Positions: c.SelfPlay.Positions}
	g.Tournament = c.tournament(k, "selfplay", forGames, weighted(agent, best))
	g.Tournament.Settings = c.SelfPlay.Settings
	g.Tournament.Pairs = pairs
	g.Tournament.Schedule = schedule.SelfPlay
	if g.Search.Agent.Kind != "" {
		weights := filepath.ToSlash(c.path(best, WeightsFile))
		g.Search.Agent = withWeights(g.Search.Agent, weights)
	}
	return g
}

// match returns the match of generation k against the best one before it.
func (c *Generations) match(k, best int) tournament.Config {
	candidate := weighted(c.Agent, k).With("name", "candidate")
	opponent := weighted(c.Agent, best).With("name", "best")
	m := c.tournament(k, "match", forMatch, candidate, opponent)
	m.Pairs = c.Match.Pairs
	m.SPRT = c.Match.SPRT
	return m
}

// comparison returns the match of generation k against the reference.
func (c *Generations) comparison(k int) tournament.Config {
	adopted := weighted(c.Agent, k)
	m := c.tournament(k, ReferenceName, forReference, adopted, c.reference())
	m.Pairs = c.Rating.Each
	return m
}

// rating returns the tournament of the generations adopted. If another one is the last of them, it
// is another tournament.
func (c *Generations) rating(r *Result) tournament.Config {
	players := []agents.Spec{weighted(c.Agent, 0)}
	for _, g := range r.Generations {
		plays := g.Number%c.Rating.Every == 0 || g.Number == r.Best
		if g.Adopted && plays {
			players = append(players, weighted(c.Agent, g.Number))
		}
	}
	if c.Rating.Reference != "" {
		players = append(players, c.reference())
	}
	t := c.tournament(0, "rating", forRating, players...)
	t.Out = filepath.Join(c.Out, fmt.Sprintf("rating-%03d", r.Best))
	t.Pairs = c.Rating.Pairs
	t.Seed = agents.MixSeed(c.Seed, forRating)
	return t
}

// freeKeys begin the keys of describe that may change on resume: then they are for what is fitted
// and played from there on.
var freeKeys = []string{
	"tune.", "selfplay.pairs", "selfplay.stages", "selfplay.split", "match.pairs", "match.sprt",
}

// describe returns everything that the outcome depends on, but the number of generations, their
// time and the rating.
func (c *Generations) describe() map[string]any {
	config := describe(c, &c.Weights)
	maps.DeleteFunc(config, func(key string, _ any) bool {
		return key == "generations" || key == "time" || strings.HasPrefix(key, "rating.")
	})
	return config
}
