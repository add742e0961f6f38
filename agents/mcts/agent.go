// Package mcts is an agent by Monte-Carlo tree search. README.md describes its parts. Selection is by PUCT (C. D.
// Rosin, "Multi-armed bandits with episode context", 2011). Static evaluations are backed up by minimax and not as
// means (M. Lanctot et al., "Monte Carlo tree search with heuristic evaluations using implicit minimax backups", 2014,
// with all the weight on the minimax part): one reply decides most positions.
//
// Wins and losses are proven on the way (M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree search solver",
// 2008). The length of a proven win is that of the first one found; there may be a quicker one. The tree is no graph: a
// position reached on two paths is two nodes, so the repetition rule is followed exactly.
package mcts

import (
	"context"
	"math/rand/v2"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules"
)

const defaultIterations = 500

// Kind returns the kind of agent that searches by MCTS.
func Kind() agents.Kind {
	return agents.Kind{
		Name:   "mcts",
		Doc:    "Monte-Carlo tree search with the evaluation as prior and leaf value",
		Params: slices.Concat(agents.ParamsOf(config{}), eval.Params()),
		New:    newPlayer,
	}
}

func newPlayer(c agents.Config) (agents.Agent, error) {
	weights, err := eval.FromValues(c.Values, c.Rules...)
	a := &player{Source: weights}
	c.Decode(&a.config)
	a.search.tree.limit = limitFor(a.config.Hash)
	return a, err
}

type player struct {
	agents.Base
	eval.Source
	config config
	rng    *rand.Rand // for the set-up; the search is deterministic
	search search
}

func (*player) Capabilities() agents.Capabilities { return agents.Capabilities{Noise: true} }

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	e, err := a.Evaluator(s.Rules)
	if err != nil {
		return err
	}
	a.rng = s.Rand()
	a.search.params = a.config.forRules(s.Rules.Options())
	a.search.reset(s.Rules, e)
	return nil
}

func (a *player) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	d, decided, err := a.search.line.Prologue(ctx, a, g, &q, a.rng, &a.search.moves)
	if err != nil || decided {
		return d, err
	}
	lim := q.Limits.Tighter(agents.Limits{Nodes: a.config.Iterations, MoveTime: a.config.MoveTime})
	if soft, _ := lim.Times(g); lim.Nodes == 0 && soft == 0 {
		lim.Nodes = defaultIterations
	}
	d = a.search.choose(ctx, g, lim, q.Info)
	if _, proven := d.Score.Proven(); q.Noise != nil && !proven {
		d.Play(a.search.choice(minVisitShare, func(n *node) float64 {
			return float64(a.search.toScore(float64(n.value)) + q.Noise(n.move))
		}).move)
	}
	return d, nil
}

// minVisitShare is the share of the best move's visits that another one needs to be
// chosen for its noise: values of fewer visits are unreliable. Chosen, not measured.
const minVisitShare = 1.0 / 16
