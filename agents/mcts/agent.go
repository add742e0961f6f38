package mcts

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules"
)

// defaultIterations bounds a search that nothing else bounds.
const defaultIterations = 500

// Kind returns the kind of agent that searches by MCTS.
func Kind() agents.Kind {
	return agents.Kind{
		Name: "mcts",
		Doc:  "Monte-Carlo tree search with the evaluation as prior and leaf value",
		Params: append([]agents.ParamDef{
			{
				Name: "iterations", Type: agents.Int, Min: 1, Max: 1e9,
				Doc: "iterations for a move; 500 if neither nodes nor movetime bounds the search",
			},
			{Name: "nodes", Type: agents.Int, Min: 1, Max: 1e9, Doc: "the same as iterations"},
			{Name: "movetime", Type: agents.Duration, Min: 0.001, Max: 3600, Doc: "time for a move"},
			{
				Name: "hash", Type: agents.Int, Default: "64", Min: 1, Max: 4096,
				Doc: "size of the tree in MB; when it is full, the subtrees with the fewest visits are pruned",
			},
		}, append(tunableParams(), eval.Params()...)...),
		New: newPlayer,
	}
}

func newPlayer(v agents.Values) (agents.Agent, error) {
	weights, err := eval.FromValues(v)
	if err != nil {
		return nil, err
	}
	a := &player{weights: weights}
	a.limits = agents.Limits{Nodes: int64(v.Int("iterations")), MoveTime: v.Duration("movetime")}
	a.limits = a.limits.Tighter(agents.Limits{Nodes: int64(v.Int("nodes"))})
	a.search.params = newParams(v)
	a.search.tree.limit = limitFor(v.Int("hash"))
	return a, nil
}

type player struct {
	weights eval.Source
	limits  agents.Limits
	rng     *rand.Rand // for the set-up; the search is deterministic
	search  search
}

var _ agents.Agent = (*player)(nil)

// Suits returns an error if its weights are for other rules.
func (a *player) Suits(r *rules.Rules) error {
	_, err := a.weights.Evaluator(r)
	return err
}

// TableBytes implements [agents.Sized].
func (a *player) TableBytes() int64 { return int64(2 * nodeSize * a.search.tree.limit) }

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	e, err := a.weights.Evaluator(s.Rules)
	if err != nil {
		return err
	}
	a.rng = s.Rand()
	a.search.reset(s.Rules, e, s.Info)
	return nil
}

func (a *player) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	d, decided, err := a.search.line.Prologue(ctx, g, a.rng, &a.search.moves)
	if err != nil || decided {
		return d, err
	}
	lim = lim.Tighter(a.limits)
	if lim.Nodes == 0 && lim.MoveTime == 0 {
		lim.Nodes = defaultIterations
	}
	return a.search.choose(ctx, g, lim), nil
}
