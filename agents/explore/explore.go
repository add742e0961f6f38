// Package explore is an agent that plays like another, but not always its best move, to vary self-play.
package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/settings"
)

// Name is the name of the kind, and Param that of the parameter that names the agent it plays like.
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
			like, err := agents.ParseSpec(c.Values[Param])
			return err == nil && c.Registry.Light(like)
		},
		New: newPlayer,
	}
}

// Spec returns the spec of an agent that plays like another one. The parameters that every kind takes, like its name in
// tables, move to the outer spec. Options of 0 are left out.
func Spec(like agents.Spec, o Options) agents.Spec {
	inner, outer := agents.Spec{Kind: like.Kind}, []agents.Param{}
	for _, f := range settings.Fields(&o, "") {
		if f.Key == "temperature" || !f.Value.IsZero() {
			outer = append(outer, agents.Param{Name: f.Key, Value: f.Texts()[0]})
		}
	}
	for _, p := range like.Params {
		if slices.ContainsFunc(agents.Common(), func(d agents.ParamDef) bool { return d.Key == p.Name }) {
			outer = append(outer, p)
		} else {
			inner.Params = append(inner.Params, p)
		}
	}
	return agents.Spec{Kind: Name, Params: append([]agents.Param{{Name: Param, Value: inner.String()}}, outer...)}
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
	if kind, err := c.Registry.Kind(spec); err == nil && kind.Interactive {
		return nil, fmt.Errorf("expected an agent that plays by itself, found %.60q", spec)
	}
	a := &player{}
	if a.Agent, err = c.Registry.New(spec, c.Rules...); err != nil {
		return nil, err
	}
	c.Decode(&a.options)
	if a.options.Temperature > 0 && !a.Agent.Capabilities().Noise {
		err := fmt.Errorf("%s does not explore by temperature; expected an agent that does, like alphabeta, "+
			"or temperature=0", text)
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

type player struct {
	agents.Agent
	options Options
	rng     *rand.Rand
	moves   rules.MoveSet
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
func (a *player) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if err := q.Check(a.Capabilities()); err != nil {
		return agents.Decision{}, err
	}
	if g.Rules().SettingUp(g.Position()) || a.options.Plies > 0 && g.Ply() >= a.options.Plies {
		return a.Agent.Choose(ctx, g, q)
	}
	// Three numbers a move, so that the draws of one don't depend on another's.
	random, draw, noise := a.rng.Float64() < a.options.Random, a.rng.Uint64(), a.rng.Uint64()
	if !random && a.options.Temperature > 0 {
		q.Noise = func(m rules.Move) agents.Score { return gumbel(noise, m, a.options.Temperature) }
	}
	d, err := a.Agent.Choose(ctx, g, q)
	if _, proven := d.Score.Proven(); err != nil || !random || d.Scored && proven {
		return d, err
	}
	if m := a.harmless(g, draw); m != rules.NoMove {
		return agents.Decision{Move: m, Depth: d.Depth, Nodes: d.Nodes}, nil
	}
	return d, nil
}

// harmless draws one of the moves after which the opponent can't reach the goal, NoMove if there is none.
func (a *player) harmless(g *rules.Game, seed uint64) rules.Move {
	g.LegalMoves(&a.moves)
	p, n := g.Position(), 0
	chosen := rules.NoMove
	rng := rand.New(rand.NewPCG(seed, 0))
	for m := range a.moves.All() {
		next := g.Rules().Apply(p, m)
		if g.Rules().CanReachGoal(next, next.Side()) {
			continue
		}
		if n++; rng.IntN(n) == 0 {
			chosen = m
		}
	}
	return chosen
}

// gumbel returns noise of the standard Gumbel distribution times the temperature. A move with the highest sum of score
// and such noise is one drawn with probabilities in proportion to exp(score/temperature) (the "Gumbel-max trick", see
// C. J. Maddison, D. Tarlow and T. Minka: A* Sampling, 2014).
func gumbel(seed uint64, m rules.Move, temperature float64) agents.Score {
	u := (float64(agents.MixSeed(seed, uint64(m))>>11) + 0.5) / (1 << 53) // between 0 and 1
	return agents.Score(math.Round(-100 * temperature * math.Log(-math.Log(u))))
}
