package alphabeta

import (
	"context"
	"sync/atomic"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// frame is what a node needs while it is searched; there is one for each ply.
type frame struct {
	moves   rules.MoveSet
	list    ratedHeap
	killers [2]rules.Move // moves that refuted other positions of this ply
	pv      []rules.Move  // the expected line from here on
}

// memory is what the threads of a search share.
type memory struct {
	table table
	looks looks
	nodes atomic.Int64 // visited by all threads, as far as they have told
	stop  atomic.Bool
}

// search is the state of one thread of an agent's searches within one game.
type search struct {
	*memory
	rules   *rules.Rules
	eval    *eval.Evaluator
	line    lookahead.Line
	history history
	margins
	stack [maxDepth + 2]frame

	ctx      context.Context // of the move being chosen
	deadline time.Time       // zero: none
	maxNodes int64           // 0: no bound
	visited  int64           // nodes
	told     int64           // of them, in memory.nodes
	nextPoll int64           // when so many nodes have been visited
	stopped  bool

	rootMove  rules.Move   // best of the iteration before
	rootScore agents.Score // of the best root move so far in this iteration
	leaveOut  []rules.Move // root moves that are not to be searched
}

const infinity = agents.WinTop + 1

// reset prepares for a game, forgetting all that earlier ones left in the
// thread's own state.
func (s *search) reset(m *memory, r *rules.Rules, e *eval.Evaluator, how margins) {
	s.memory, s.rules, s.eval, s.margins = m, r, e, how
	s.history = history{}
}

// begin prepares for one choice. The game has not ended.
func (s *search) begin(ctx context.Context, g *rules.Game, lim agents.Limits, deadline time.Time) {
	s.ctx, s.deadline, s.maxNodes = ctx, deadline, lim.Nodes
	s.visited, s.told, s.nextPoll, s.stopped = 0, 0, 0, false
	s.leaveOut = s.leaveOut[:0]
	s.line.Begin(g)
	for i := range s.stack {
		s.stack[i].killers = [2]rules.Move{}
	}
}

// deepen searches the root deeper and deeper, from a first depth on, until a
// limit is reached or the result is proven. best is what is known before, and
// each is told what has been found after each depth.
func (s *search) deepen(root rules.Position, first, last int, best agents.Decision, each func(agents.Decision)) agents.Decision {
	for depth := first; depth <= last; depth++ {
		s.rootMove = best.Move
		score := s.node(root, -infinity, infinity, depth)
		if s.stopped {
			// The move that was best so far is tried first, so what has been
			// found since is at least as good.
			if pv := s.stack[0].pv; len(pv) > 0 {
				best = decision(pv, s.rootScore, max(depth-1, 1))
			}
			break
		}
		best = decision(s.stack[0].pv, score, depth)
		s.tell()
		each(best)
		if _, proven := score.Proven(); proven {
			break
		}
	}
	s.tell()
	return best
}

func decision(pv []rules.Move, score agents.Score, depth int) agents.Decision {
	return agents.Decision{Move: pv[0], Scored: true, Score: score, Depth: depth, PV: append([]rules.Move(nil), pv...)}
}

// pollEvery says after how many nodes the clock and the context are looked at
// again: a fraction of a millisecond.
const pollEvery = 64

// visit counts a node and tells whether the search must stop.
func (s *search) visit() bool {
	if s.maxNodes > 0 && s.visited >= s.maxNodes {
		s.stopped = true
	}
	if s.visited >= s.nextPoll && !s.stopped {
		s.nextPoll = s.visited + pollEvery
		s.stopped = s.stop.Load() || s.ctx.Err() != nil || !s.deadline.IsZero() && !time.Now().Before(s.deadline)
	}
	if !s.stopped {
		s.visited++
	}
	return s.stopped
}

// tell adds the nodes visited since the last time to what all have visited.
func (s *search) tell() {
	s.nodes.Add(s.visited - s.told)
	s.told = s.visited
}
