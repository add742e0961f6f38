package mcts

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/random"
	"gyges/rules"
)

// defaultIterations is how many there are where nothing bounds the search.
const defaultIterations = 500

// Kind returns the kind of agent that searches by MCTS.
func Kind() agents.Kind {
	return agents.Kind{
		Name: "mcts",
		Doc:  "Monte-Carlo tree search with the evaluation as prior and leaf value",
		Params: []agents.ParamDef{
			{Name: "iterations", Type: agents.Int, Min: 1, Max: 1e9, Doc: "descents through the tree for a move; 500 if neither nodes nor movetime bounds the search"},
			{Name: "nodes", Type: agents.Int, Min: 1, Max: 1e9, Doc: "the same as iterations"},
			{Name: "movetime", Type: agents.Duration, Min: 0.001, Max: 3600, Doc: "time for a move"},
			{Name: "c", Type: agents.Float, Default: "1", Min: 0, Max: 100, Doc: "exploration: how much a move's prior weighs against its value"},
			{Name: "playout", Type: agents.Int, Default: "0", Min: 0, Max: 1000, Doc: "random plies before a new leaf is evaluated"},
			{Name: "memory", Type: agents.Int, Default: "64", Min: 1, Max: 16384, Doc: "size of the tree in MB; when it is full it grows no more and the search goes on in it"},
			eval.Param(),
		},
		New: newPlayer,
	}
}

func newPlayer(v agents.Values) (agents.Agent, error) {
	weights, err := eval.Load(v["weights"])
	if err != nil {
		return nil, err
	}
	a := &player{weights: weights}
	a.limits = agents.Limits{Nodes: int64(v.Int("iterations")), MoveTime: v.Duration("movetime")}
	a.limits = a.limits.Tighter(agents.Limits{Nodes: int64(v.Int("nodes"))})
	a.search.c = v.Float("c")
	a.search.playout = v.Int("playout")
	a.search.tree.limit = v.Int("memory") << 20 / nodeSize
	return a, nil
}

type player struct {
	weights eval.Source
	limits  agents.Limits
	rng     *rand.Rand
	search  search
}

var _ agents.Agent = (*player)(nil)

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	e, err := a.weights.Evaluator(s.Rules)
	if err != nil {
		return err
	}
	a.rng = s.Rand()
	a.search.rules, a.search.eval, a.search.rng = s.Rules, e, a.rng
	a.search.info = s.Info
	a.search.awaited.ply = 0
	return nil
}

func (a *player) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	if err := ctx.Err(); err != nil {
		return agents.Decision{}, err
	}
	if g.Rules().SettingUp(g.Position()) {
		m, err := random.Move(g, a.rng)
		return agents.Decision{Move: m}, err
	}
	lim = lim.Tighter(a.limits)
	if lim.Nodes == 0 && lim.MoveTime == 0 {
		lim.Nodes = defaultIterations
	}
	return a.search.choose(ctx, g, lim)
}
