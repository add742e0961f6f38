package alphabeta

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/random"
	"gyges/rules"
)

const (
	maxDepth     = 64 // plies
	maxThreads   = 64
	defaultDepth = 2 // where nothing bounds the search
)

// Kind returns the kind of agent that searches by alpha-beta.
func Kind() agents.Kind {
	limits := []agents.ParamDef{
		{
			Name: "depth", Type: agents.Int, Min: 1, Max: maxDepth,
			Doc: "plies to search; 2 if neither nodes nor movetime bounds the search",
		},
		{Name: "nodes", Type: agents.Int, Min: 1, Max: 1e12, Doc: "nodes to search for a move"},
		{Name: "movetime", Type: agents.Duration, Min: 0.001, Max: 3600, Doc: "time for a move"},
		{
			Name: "hash", Type: agents.Int, Default: "16", Min: 1, Max: 4096,
			Doc: "size of the transposition table in MB; the evaluation cache takes half as much again",
		},
		{
			Name: "threads", Type: agents.Int, Default: "1", Min: 1, Max: maxThreads,
			Doc: "threads of one search; with more than one, moves may differ from run to run",
		},
	}
	return agents.Kind{
		Name:   "alphabeta",
		Doc:    "alpha-beta search with iterative deepening and a transposition table",
		Params: slices.Concat(limits, paramTable[:], eval.Params()),
		New:    newPlayer,
	}
}

func newPlayer(v agents.Values) (agents.Agent, error) {
	weights, err := eval.FromValues(v)
	if err != nil {
		return nil, err
	}
	return &player{
		weights:   weights,
		megabytes: v.Int("hash"),
		limits:    agents.Limits{Depth: v.Int("depth"), Nodes: int64(v.Int("nodes")), MoveTime: v.Duration("movetime")},
		params:    paramsOf(v),
		searches:  make([]search, v.Int("threads")),
	}, nil
}

type player struct {
	weights   eval.Source
	limits    agents.Limits
	megabytes int
	params    params
	rng       *rand.Rand // for the set-up; the search draws nothing
	shared    sharedState
	searches  []search // one for each thread
	info      func(agents.Decision)
}

var _ agents.Analyst = (*player)(nil)

// Suits returns an error if the agent's weights don't fit the rules.
func (a *player) Suits(r *rules.Rules) error {
	_, err := a.weights.Evaluator(r)
	return err
}

// TableBytes implements [agents.Sized].
func (a *player) TableBytes() int64 { return int64(a.megabytes+evalMegabytes(a.megabytes)) << 20 }

// evalMegabytes returns the size of the evaluation cache beside a table.
func evalMegabytes(table int) int { return (table + 1) / 2 }

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	e, err := a.weights.Evaluator(s.Rules)
	if err != nil {
		return err
	}
	a.rng, a.info = s.Rand(), s.Info
	a.shared.table.reset(a.megabytes)
	a.shared.evals.reset(evalMegabytes(a.megabytes))
	for i := range a.searches {
		a.searches[i].reset(&a.shared, s.Rules, e, a.params)
	}
	return nil
}

func (a *player) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	return a.ChooseWithout(ctx, g, lim, nil)
}

func (a *player) ChooseWithout(
	ctx context.Context, g *rules.Game, lim agents.Limits, excluded []rules.Move,
) (agents.Decision, error) {
	if err := ctx.Err(); err != nil {
		return agents.Decision{}, err
	}
	if g.Legal().Len() <= len(excluded) {
		return agents.Decision{}, rules.ErrOver
	}
	if g.Rules().SettingUp(g.Position()) {
		m, err := random.Move(g, a.rng)
		for err == nil && slices.Contains(excluded, m) {
			m, err = random.Move(g, a.rng)
		}
		return agents.Decision{Move: m}, err
	}
	lim = lim.Tighter(a.limits)
	if lim == (agents.Limits{}) {
		lim.Depth = defaultDepth
	}
	return a.search(ctx, g, lim, excluded)
}

// search returns the best move but for the excluded ones.
func (a *player) search(
	ctx context.Context, g *rules.Game, lim agents.Limits, excluded []rules.Move,
) (agents.Decision, error) {
	began := time.Now()
	a.shared.table.newSearch()
	a.shared.nodes.Store(0)
	if n := int64(len(a.searches)); lim.Nodes > 0 && n > 1 {
		lim.Nodes = max(lim.Nodes/n, 1)
	}
	for i := range a.searches {
		s := &a.searches[i]
		s.begin(ctx, g, lim, deadline(began, lim.MoveTime))
		s.excluded = append(s.excluded, excluded...)
	}
	last := maxDepth
	if lim.Depth > 0 {
		last = min(lim.Depth, last)
	}
	results := make([]agents.Decision, len(a.searches))
	var helpers sync.WaitGroup
	for i := 1; i < len(results); i++ {
		// Half of the helpers start a ply deeper, which fills the table for the others.
		helpers.Go(func() {
			results[i] = a.searches[i].deepen(g.Position(), 1+i%2, last, func(agents.Decision) {})
		})
	}
	results[0] = a.searches[0].deepen(g.Position(), 1, last, a.report)
	a.shared.stop.Store(true)
	helpers.Wait()
	a.shared.stop.Store(false)
	best := deepest(results)
	best.Nodes = a.shared.nodes.Load()
	for i := range a.searches {
		a.searches[i].ctx = nil
	}
	if !best.Scored {
		for m := range g.Legal().All() {
			if !slices.Contains(excluded, m) {
				best.Move = m
				return best, ctx.Err()
			}
		}
	}
	return best, nil
}

// deepest returns the result of the search from those of its threads: a proven
// one, else the deepest; the first among equals.
func deepest(results []agents.Decision) agents.Decision {
	depth := func(d agents.Decision) int {
		if _, proven := d.Score.Proven(); proven {
			return maxDepth + 1
		}
		return d.Depth
	}
	return slices.MaxFunc(results, func(a, b agents.Decision) int { return cmp.Compare(depth(a), depth(b)) })
}

// report passes an intermediate result to the observer of the game, if any.
func (a *player) report(d agents.Decision) {
	if a.info != nil {
		d.Nodes = a.shared.nodes.Load()
		a.info(d)
	}
}

// deadline returns when a search with a time limit must stop: a little earlier, as
// stopping takes time too. Without a limit it is zero.
func deadline(began time.Time, limit time.Duration) time.Time {
	if limit == 0 {
		return time.Time{}
	}
	return began.Add(limit - min(limit/10, time.Millisecond))
}
