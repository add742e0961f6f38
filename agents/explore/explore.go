// Package explore is an agent that plays like another, but not always its best move, to vary
// self-play. It has that agent choose by the sum of score and random noise, or plays a random move.
package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/rules/base/settings"
)

// Name is the name of the kind. Param is the name of its parameter with the agent it plays like.
const (
	Name  = "explore"
	Param = "agent"
)

// Kind returns the kind of agent that plays like another one, with exploration.
func Kind() agents.Kind {
	return agents.Kind{
		Name: Name,
		Doc:  "plays like another agent, but not always its best move; for self-play",
		Params: agents.ParamsOf(&struct {
			Agent string `param:"agent" names:"agent" help:"spec of the agent it plays like, quoted where it has a comma"`
			Options
		}{}),
		Light: func(c agents.Config) bool {
			like, _ := agents.ParseSpec(c.Values[Param]) // the zero spec is of no kind
			return c.Registry.Light(like)
		},
		New: newPlayer,
	}
}

// Spec returns the spec of an agent that plays like another one. The parameters that every kind
// takes, like its name in tables, move to the outer spec. Options of 0 are left out.
func Spec(like agents.Spec, o Options) agents.Spec {
	inner := agents.Spec{Kind: like.Kind}
	var every agents.Kind // has the parameters alone that every kind has
	var common []agents.Param
	for _, p := range like.Params {
		if _, ok := every.Param(p.Name); ok {
			common = append(common, p)
		} else {
			inner.Params = append(inner.Params, p)
		}
	}
	outer := agents.Spec{Kind: Name}.With(Param, inner.String())
	for _, f := range settings.Fields(&o, "") {
		// The default of the temperature isn't 0.
		if f.Key == "temperature" || !f.Value.IsZero() {
			outer = outer.With(f.Key, f.Texts()[0])
		}
	}
	outer.Params = append(outer.Params, common...)
	return outer
}

// Options are the parameters beside the agent.
type Options struct {
	Temperature float64 `yaml:"temperature" check:"0..10" default:"0.2" name:"temperature" placeholder:"POINTS" help:"Exploration in points: a move that is this much worse than the best one is played 1/e as often; 0: the best only."`
	Random      float64 `yaml:"random" check:"0..1" default:"0" name:"random" placeholder:"SHARE" help:"Share of moves, 0 to 1, that are drawn from all that do not let the opponent reach the goal; they get no score."`
	Plies       int     `yaml:"plies" check:"0..100000" zero:"all" name:"explore-plies" placeholder:"N" help:"Plies of a game after which only best moves are played; 0, the default: never."`
}

func newPlayer(c agents.Config) (agents.Agent, error) {
	text := c.Values[Param]
	if text == "" {
		return nil, errors.New("expected agent=SPEC, the agent to play like")
	}
	spec, err := agents.ParseSpec(text)
	if err != nil {
		return nil, err
	}
	if kind, _ := c.Registry.Kind(spec); kind.Interactive { // New has the error
		return nil, fmt.Errorf("expected an agent that plays by itself, found %.60q", spec)
	}
	like, err := c.Registry.New(spec, c.Rules...)
	if err != nil {
		return nil, err
	}
	a := &player{Agent: like}
	c.Decode(&a.Options)
	if a.Temperature > 0 && !like.Capabilities().Noise {
		const expected = "expected an agent that does, like alphabeta, or temperature=0"
		err := fmt.Errorf("%s does not explore by temperature; %s", text, expected)
		return nil, errors.Join(err, like.Close())
	}
	return a, nil
}

type player struct {
	agents.Agent
	Options

	rng *rand.Rand
}

// Unwrap returns the agent that it plays like.
func (a *player) Unwrap() agents.Agent { return a.Agent }

// Capabilities returns none: which move is played isn't left to the caller.
func (*player) Capabilities() agents.Capabilities { return agents.Capabilities{} }

func (a *player) NewGame(ctx context.Context, s agents.Setup) error {
	a.rng = s.Rand()
	s.Seed = a.rng.Uint64()
	return a.Agent.NewGame(ctx, s)
}

// Choose plays the inner agent's move unchanged where it has proven the result.
func (a *player) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	if err := q.Check(a.Capabilities()); err != nil {
		return agents.Decision{}, err
	}
	late := a.Plies > 0 && g.Ply() >= a.Plies
	if late || g.Rules().SettingUp(g.Position()) {
		return a.Agent.Choose(ctx, g, q)
	}
	// Three numbers a move, so that the draws of one move don't depend on those before.
	random := a.rng.Float64() < a.Random
	draw := a.rng.Uint64()
	noise := a.rng.Uint64()
	if !random && a.Temperature > 0 {
		q.Noise = func(m rules.Move) agents.Score { return gumbel(noise, m, a.Temperature) }
	}
	d, err := a.Agent.Choose(ctx, g, q)
	if err != nil || !random {
		return d, err
	}
	if _, proven := d.Score.Proven(); proven {
		return d, nil
	}
	if drawn := harmless(g, draw); len(drawn) > 0 {
		d = agents.Decision{Move: drawn[0], Depth: d.Depth, Nodes: d.Nodes}
	}
	return d, nil
}

// harmless draws one of the moves after which the opponent can't reach the goal, none if there is
// none.
func harmless(g *rules.Game, seed uint64) []rules.Move {
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Uint64() // Records depend on the numbers after the first.
	sample := lists.Sample[rules.Move]{Size: 1, Rand: rng}
	for m := range g.Legal().All() {
		next := g.Rules().Apply(g.Position(), m)
		if !g.Rules().CanReachGoal(next, next.Side()) {
			sample.Add(m)
		}
	}
	return sample.List
}

// gumbel returns noise of the standard Gumbel distribution times the temperature. A move with the
// highest sum of score and such noise is one drawn with probabilities in proportion to
// exp(score/temperature) (the "Gumbel-max trick", see C. J. Maddison, D. Tarlow and T. Minka: A*
// Sampling, 2014).
func gumbel(seed uint64, m rules.Move, temperature float64) agents.Score {
	mixed := agents.MixSeed(seed, uint64(m))
	bits := mixed >> 11                    // the highest 53
	u := (float64(bits) + 0.5) / (1 << 53) // between 0 and 1
	standard := -math.Log(-math.Log(u))
	noise := 100 * temperature * standard
	return agents.Score(math.Round(noise))
}
