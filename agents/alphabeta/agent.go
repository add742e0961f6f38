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
	maxDepth     = 64 // plies that a search can go deep
	maxThreads   = 64
	defaultDepth = 2 // where nothing bounds the search
)

// Kind returns the kind of agent that searches by alpha-beta.
func Kind() agents.Kind {
	return agents.Kind{
		Name: "alphabeta",
		Doc:  "alpha-beta search with iterative deepening and a transposition table",
		Params: append([]agents.ParamDef{
			{Name: "depth", Type: agents.Int, Min: 1, Max: maxDepth, Doc: "plies to search; 2 if neither nodes nor movetime bounds the search"},
			{Name: "nodes", Type: agents.Int, Min: 1, Max: 1e12, Doc: "positions to visit for a move"},
			{Name: "movetime", Type: agents.Duration, Min: 0.001, Max: 3600, Doc: "time for a move"},
			{Name: "hash", Type: agents.Int, Default: "16", Min: 1, Max: 4096, Doc: "size of the transposition table in MB; half as much again remembers evaluations"},
			{Name: "threads", Type: agents.Int, Default: "1", Min: 1, Max: maxThreads, Doc: "threads of one search; with more than one, moves may differ from run to run"},
			{Name: "selective", Type: agents.Int, Default: "1", Min: 0, Max: 1, Doc: "1: poor moves are searched less deep or not at all; 0: all to the full depth"},
			{Name: "tried_last", Type: agents.Int, Default: "60", Min: 1, Max: 10000, Doc: "selective: moves tried in a position one ply above the last"},
			{Name: "fully_tried", Type: agents.Int, Default: "4", Min: 1, Max: 10000, Doc: "selective: moves of a position searched to the full depth before any are reduced"},
			{Name: "reduced_more", Type: agents.Int, Default: "20", Min: 1, Max: 10000, Doc: "selective: moves of a position after which they are reduced by a ply more, and after four times as many by two"},
		}, eval.Params()...),
		New: newPlayer,
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
		margins: margins{
			plain:       v.Int("selective") == 0,
			triedLast:   v.Int("tried_last"),
			fullyTried:  v.Int("fully_tried"),
			reducedMore: v.Int("reduced_more"),
		},
		searches: make([]search, v.Int("threads")),
	}, nil
}

type player struct {
	weights   eval.Source
	limits    agents.Limits
	megabytes int
	margins   margins
	rng       *rand.Rand // for the set-up; the search draws nothing
	memory    memory
	searches  []search // one for each thread
	info      func(agents.Decision)
}

var _ agents.Analyst = (*player)(nil)

// Suits returns why its weights don't fit the rules.
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
	a.memory.table.reset(a.megabytes)
	a.memory.looks.reset(evalMegabytes(a.megabytes))
	for i := range a.searches {
		a.searches[i].reset(&a.memory, s.Rules, e, a.margins)
	}
	return nil
}

func (a *player) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	return a.ChooseWithout(ctx, g, lim, nil)
}

func (a *player) ChooseWithout(ctx context.Context, g *rules.Game, lim agents.Limits, leaveOut []rules.Move) (agents.Decision, error) {
	if err := ctx.Err(); err != nil {
		return agents.Decision{}, err
	}
	if g.Legal().Len() <= len(leaveOut) {
		return agents.Decision{}, rules.ErrOver
	}
	if g.Rules().SettingUp(g.Position()) {
		m, err := random.Move(g, a.rng)
		for err == nil && slices.Contains(leaveOut, m) {
			m, err = random.Move(g, a.rng)
		}
		return agents.Decision{Move: m}, err
	}
	lim = lim.Tighter(a.limits)
	if lim == (agents.Limits{}) {
		lim.Depth = defaultDepth
	}
	return a.search(ctx, g, lim, leaveOut)
}

// search finds the best move but for those left out.
func (a *player) search(ctx context.Context, g *rules.Game, lim agents.Limits, leaveOut []rules.Move) (agents.Decision, error) {
	began := time.Now()
	a.memory.table.newSearch()
	a.memory.nodes.Store(0)
	if n := int64(len(a.searches)); lim.Nodes > 0 && n > 1 {
		lim.Nodes = max(lim.Nodes/n, 1)
	}
	for i := range a.searches {
		s := &a.searches[i]
		s.begin(ctx, g, lim, deadline(began, lim.MoveTime))
		s.leaveOut = append(s.leaveOut, leaveOut...)
	}
	last := maxDepth
	if lim.Depth > 0 {
		last = min(lim.Depth, last)
	}
	results := make([]agents.Decision, len(a.searches))
	var helpers sync.WaitGroup
	for i := 1; i < len(results); i++ {
		// Threads that begin with other depths find what the others need soon.
		helpers.Go(func() {
			results[i] = a.searches[i].deepen(g.Position(), 1+i%2, last, agents.Decision{}, func(agents.Decision) {})
		})
	}
	results[0] = a.searches[0].deepen(g.Position(), 1, last, agents.Decision{}, a.report)
	a.memory.stop.Store(true)
	helpers.Wait()
	a.memory.stop.Store(false)
	best := deepest(results)
	best.Nodes = a.memory.nodes.Load()
	for i := range a.searches {
		a.searches[i].ctx = nil
	}
	if !best.Scored {
		for m := range g.Legal().All() {
			if !slices.Contains(leaveOut, m) {
				best.Move = m
				return best, ctx.Err()
			}
		}
	}
	return best, nil
}

// deepest returns the result that counts of those of the threads: a proven one,
// else the deepest; the first among equals.
func deepest(results []agents.Decision) agents.Decision {
	depth := func(d agents.Decision) int {
		if _, proven := d.Score.Proven(); proven {
			return maxDepth + 1
		}
		return d.Depth
	}
	return slices.MaxFunc(results, func(a, b agents.Decision) int { return cmp.Compare(depth(a), depth(b)) })
}

// report tells what has been found so far to who wants to know.
func (a *player) report(d agents.Decision) {
	if a.info != nil {
		d.Nodes = a.memory.nodes.Load()
		a.info(d)
	}
}

// deadline returns when a search with so much time must stop: a little earlier,
// for stopping takes time too. There is none without a limit.
func deadline(began time.Time, limit time.Duration) time.Time {
	if limit == 0 {
		return time.Time{}
	}
	return began.Add(limit - min(limit/10, time.Millisecond))
}
