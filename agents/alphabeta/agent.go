package alphabeta

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/random"
	"gyges/rules"
)

const (
	maxDepth     = 64 // plies that a search can go deep
	defaultDepth = 2  // where nothing bounds the search
)

// Kind returns the kind of agent that searches by alpha-beta.
func Kind() agents.Kind {
	return agents.Kind{
		Name: "alphabeta",
		Doc:  "alpha-beta search with iterative deepening and a transposition table",
		Params: []agents.ParamDef{
			{Name: "depth", Type: agents.Int, Min: 1, Max: maxDepth, Doc: "plies to search; 2 if neither nodes nor movetime bounds the search"},
			{Name: "nodes", Type: agents.Int, Min: 1, Max: 1e12, Doc: "positions to visit for a move"},
			{Name: "movetime", Type: agents.Duration, Min: 0.001, Max: 3600, Doc: "time for a move"},
			{Name: "hash", Type: agents.Int, Default: "16", Min: 1, Max: 4096, Doc: "size of the transposition table in MB"},
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
	a := &player{weights: weights, megabytes: v.Int("hash")}
	a.limits = agents.Limits{Depth: v.Int("depth"), Nodes: int64(v.Int("nodes")), MoveTime: v.Duration("movetime")}
	return a, nil
}

type player struct {
	weights   eval.Source
	limits    agents.Limits
	megabytes int
	rng       *rand.Rand // for the set-up; the search draws nothing
	search    search
}

var _ agents.Agent = (*player)(nil)

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	e, err := a.weights.Evaluator(s.Rules)
	if err != nil {
		return err
	}
	a.rng = s.Rand()
	a.search.reset(s.Rules, e, a.megabytes)
	a.search.info = s.Info
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
	if lim == (agents.Limits{}) {
		lim.Depth = defaultDepth
	}
	return a.search.choose(ctx, g, lim)
}
