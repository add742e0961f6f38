// Package alphabeta is the agent by principal variation search under iterative deepening (T. A.
// Marsland, "A review of game-tree pruning", ICCA Journal 9(1), 1986). README.md describes its
// parts.
//
// A proven win or loss rests on all moves and holds in spite of pruning. With selective=0 each line
// of d plies is searched, and the score is the minimax score but for two rare effects of the
// transposition table, which knows positions and not the way to them: a stored result may rest on a
// move that the repetition rule forbids on another path, and a win or loss found deeper elsewhere
// is used where the position occurs again.
//
// Begin with search.alphaBeta, the search of one node. player.search searches the root to one depth
// after another, player.iterate to one depth in every thread.
package alphabeta

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules"
	"gyges/rules/base/lists"
)

const (
	maxDepth     = 64     // plies
	defaultDepth = 2      // where nothing bounds the search
	lightNodes   = 20_000 // take some hundredths of a second
)

// Kind returns the kind of agent that searches by alpha-beta.
func Kind() agents.Kind {
	return agents.Kind{
		Name:   "alphabeta",
		Doc:    "alpha-beta search with iterative deepening and a transposition table",
		Params: slices.Concat(agents.ParamsOf(&config{}), eval.Params()),
		Light: func(c agents.Config) bool {
			nodes := c.Int("nodes") // 0: no bound
			return c.Int("depth") == 1 || nodes > 0 && nodes <= lightNodes
		},
		New: newPlayer,
	}
}

func newPlayer(c agents.Config) (agents.Agent, error) {
	weights, err := eval.FromConfig(c)
	a := &player{Source: weights}
	c.Decode(&a.config)
	a.searches = make([]search, a.Threads)
	return a, err
}

type player struct {
	agents.Base
	eval.Source
	config

	rng      *rand.Rand // for the set-up; the search is deterministic
	shared   sharedState
	searches []search // one for each thread
}

func (*player) Capabilities() agents.Capabilities {
	return agents.Capabilities{Exclude: true, Noise: true, Sample: true}
}

func (a *player) NewGame(_ context.Context, s agents.Setup) error {
	e, err := a.Evaluator(s.Rules)
	if err != nil {
		return err
	}
	a.rng = s.Rand()
	a.shared.table.reset(a.Hash)
	a.shared.evals.reset((a.Hash + 1) / 2)
	if a.Threads > 1 {
		a.shared.openNodes = &openNodes{}
	}
	for i := range a.searches {
		a.searches[i].reset(&a.shared, s.Rules, e, a.params)
	}
	return nil
}

// Choose chooses a move. Of a search with several threads it samples the first. With noise it
// searches twice: for the best move, with three quarters of the nodes and time, and then for the
// one to play.
func (a *player) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	began := time.Now()
	main := &a.searches[0]
	moves := &main.stack[0].moves
	d, decided, err := main.line.Prologue(ctx, a, g, &q, a.rng, moves)
	if err != nil || decided {
		return d, err
	}
	anyMove := moves.At(0)
	memory := main.sample.List[:0]
	main.sample = lists.Sample[rules.Position]{Size: q.Sample, Rand: a.rng, List: memory}
	own := agents.Limits{Depth: a.Depth, Nodes: a.Nodes, MoveTime: a.MoveTime}
	q.Limits = q.Limits.Tighter(own)
	first := q.Limits // of the search for the best move
	if q.Noise != nil {
		// Both searches share one time, also under a clock.
		q.Limits.MoveTime, _ = q.Limits.Times(g)
		q.Limits.Clock = agents.Clock{}
		first = q.Limits
		first.Nodes -= first.Nodes / 4
		first.MoveTime -= first.MoveTime / 4
	}
	if first == (agents.Limits{}) {
		first.Depth = defaultDepth
	}
	best := a.search(ctx, g, &q, first, began)
	if !best.Scored { // stopped before the first result
		best.Move = anyMove
		return best, ctx.Err()
	}
	if q.Noise != nil {
		a.addNoise(ctx, g, &q, &best, began)
	}
	if q.Sample > 0 {
		best.Sample = slices.Clone(main.sample.List)
	}
	return best, nil
}

// search is the iterative deepening: it searches the root to one depth after another until a limit
// is reached or the result is proven, and reports the result of each.
func (a *player) search(
	ctx context.Context, g *rules.Game, q *agents.Request, lim agents.Limits, began time.Time,
) (best agents.Decision) {
	a.shared.table.newSearch()
	a.shared.nodes.Store(0)
	b := budget{ctx: ctx, timer: agents.NewTimer(began, g, lim)}
	if lim.Nodes > 0 {
		b.maxNodes = max(lim.Nodes/int64(len(a.searches)), 1)
	}
	main := &a.searches[0]
	for i := range a.searches {
		a.searches[i].begin(g, q.Exclude, b)
		b.timer = agents.Timer{} // the first thread's stops all
	}
	root := g.Position()
	last := min(cmp.Or(lim.Depth, maxDepth), maxDepth)
	// A move without alternatives takes no time from the clock.
	forced := main.timer.Clocked() && main.forced(root)
	for depth := 1; depth <= last; depth++ {
		s := a.iterate(root, depth, best)
		best.Nodes = a.shared.nodes.Load()
		if s == nil {
			best = a.interrupted(best, depth)
			break
		}
		if replaces(s.rootScore, best.Score) {
			best = s.decision(depth)
			if q.Info != nil {
				q.Info(best)
			}
		}
		// A win in 3 is the fastest where there is none in 1; a slower one may hide a faster one
		// that was reduced.
		if plies, proven := best.Score.Proven(); proven && plies <= max(3, depth) {
			break
		}
		if main.timer.Finished(best.Move) || forced {
			break
		}
	}
	best.Nodes = a.shared.nodes.Load()
	return best
}

// interrupted returns the best result after an iteration that a limit has stopped. All threads
// search the best move of the previous iteration first, so the best of this one is at least as
// good.
func (a *player) interrupted(best agents.Decision, depth int) agents.Decision {
	highest := -infinity
	for i := range a.searches {
		s := &a.searches[i]
		found := len(s.stack[0].pv) > 0
		if found && s.rootScore > highest && replaces(s.rootScore, best.Score) {
			highest = s.rootScore
			best = s.decision(max(depth-1, 1))
		}
	}
	return best
}

// replaces reports whether a score of a later iteration takes the place of the best one so far: a
// proven win stays unless there is a faster one.
func replaces(score, best agents.Score) bool {
	return best < agents.WinScore || score > best
}

// decision returns the best root move that the thread has found.
func (s *search) decision(depth int) agents.Decision {
	line := slices.Clone(s.stack[0].pv)
	return agents.Decision{
		Move:   line[0],
		Scored: true,
		Score:  s.rootScore,
		Depth:  depth,
		PV:     line,
		Nodes:  s.nodes.Load(),
	}
}

type config struct {
	Depth    int           `param:"depth" check:"1..64" help:"plies to search; 2 if neither nodes nor movetime bounds the search"`
	Nodes    int64         `param:"nodes" check:"1..1000000000000" help:"nodes to search for a move"`
	MoveTime time.Duration `param:"movetime" check:"1ms..1h" help:"time for a move"`
	Hash     int           `param:"hash" default:"4" check:"1..4096" help:"size of the transposition table in MB; the evaluation cache takes half as much again"`
	Threads  int           `param:"threads" default:"1" check:"1..64" help:"threads of one search; with more than one, moves may differ from run to run"`
	params
}

// params holds the tunable numbers of the search. A new one is a field here: the spec parser,
// `gyges agents` and SPSA read its tags. Scores are in hundredths of a point.
type params struct {
	Selective int `param:"selective" default:"1" check:"0..1" help:"1: a selective search, by the parameters below; 0: a plain full-width search"`

	RFPDepth  int `param:"rfp_depth" default:"5" check:"0..64" help:"reverse futility pruning: highest depth; 0: off"`
	RFPMargin int `param:"rfp_margin" default:"30" check:"0..20000" help:"reverse futility pruning: static score above beta for each ply of depth"`

	LMPShare int `param:"lmp_share" default:"250" check:"0..1000" help:"late move pruning: probability by the policy, in thousandths, of the moves pruned at depth 1; half as much at each further depth; 0: off"`

	LMRFullDepthMoves int `param:"lmr_full_depth_moves" default:"4" check:"1..10000" help:"late move reductions: moves of a node searched to the full depth; 10000: off"`
	LMRBase           int `param:"lmr_base" default:"0" check:"0..1000" help:"late move reductions: reduction in hundredths of a ply, besides that by depth and move number"`
	LMRDivisor        int `param:"lmr_divisor" default:"180" check:"1..10000" help:"late move reductions: hundredths of what ln(depth) * ln(move number) is divided by"`
	LMRPV             int `param:"lmr_pv" default:"45" check:"0..1000" help:"late move reductions: hundredths of a ply less at PV nodes"`
	LMRCut            int `param:"lmr_cut" default:"25" check:"0..1000" help:"late move reductions: hundredths of a ply more at cut nodes"`
	LMRNotImproving   int `param:"lmr_not_improving" default:"30" check:"0..1000" help:"late move reductions: hundredths of a ply more where the static score is no better than before the side's previous move"`
	LMRGap            int `param:"lmr_gap" default:"20" check:"0..1000" help:"late move reductions: hundredths of a ply more for each point by which the static score after the move is below alpha"`

	EvaluatedMoves int `param:"evaluated_moves" default:"15" check:"0..10000" help:"move ordering: moves evaluated for each ply of depth above 1; 10000: all"`
	PolicyWeight   int `param:"policy_weight" default:"30" check:"0..10000" help:"move ordering: weight of the policy against history; 0: history alone"`
}
