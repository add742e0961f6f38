package alphabeta

import (
	"context"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// frame is what a node needs while it is searched; there is one for each ply.
type frame struct {
	moves   rules.MoveSet
	list    []rated
	killers [2]rules.Move // moves that refuted other positions of this ply
	pv      []rules.Move  // the expected line from here on
}

// search is the state of an agent's searches within one game.
type search struct {
	rules   *rules.Rules
	eval    *eval.Evaluator
	line    lookahead.Line
	table   table
	history history
	info    func(agents.Decision) // told of each finished depth; nil: nobody listens
	stack   [maxDepth + 2]frame

	ctx      context.Context // of the move being chosen
	deadline time.Time       // zero: none
	maxNodes int64           // 0: no bound
	nodes    int64
	nextPoll int64 // when so many nodes have been visited
	stopped  bool

	rootMove  rules.Move   // best of the iteration before
	rootScore agents.Score // of the best root move so far in this iteration
}

// reset prepares for a game, forgetting all that earlier ones left.
func (s *search) reset(r *rules.Rules, e *eval.Evaluator, megabytes int) {
	s.rules, s.eval = r, e
	s.table.reset(megabytes)
	s.history = history{}
}

const infinity = agents.WinTop + 1

// choose searches deeper and deeper until a limit is reached or the result is
// proven.
func (s *search) choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	moves := &s.stack[0].moves
	g.LegalMoves(moves)
	if moves.Len() == 0 {
		return agents.Decision{}, rules.ErrOver
	}
	s.begin(ctx, g, lim)
	best := agents.Decision{Move: moves.At(0)}
	for depth := 1; depth <= maxDepth && (lim.Depth == 0 || depth <= lim.Depth); depth++ {
		s.rootMove = best.Move
		score := s.node(g.Position(), -infinity, infinity, depth)
		if s.stopped {
			// The move that was best so far is tried first, so what has been
			// found since is at least as good.
			if pv := s.stack[0].pv; len(pv) > 0 {
				best = decision(pv, s.rootScore, max(depth-1, 1))
			}
			break
		}
		best = decision(s.stack[0].pv, score, depth)
		if s.info != nil {
			best.Nodes = s.nodes
			s.info(best)
		}
		if _, proven := score.Proven(); proven {
			break
		}
	}
	best.Nodes = s.nodes
	s.ctx = nil
	if !best.Scored {
		return best, ctx.Err()
	}
	return best, nil
}

func decision(pv []rules.Move, score agents.Score, depth int) agents.Decision {
	return agents.Decision{Move: pv[0], Scored: true, Score: score, Depth: depth, PV: append([]rules.Move(nil), pv...)}
}

// begin prepares for one choice.
func (s *search) begin(ctx context.Context, g *rules.Game, lim agents.Limits) {
	s.ctx, s.deadline = ctx, time.Time{}
	if lim.MoveTime > 0 {
		s.deadline = time.Now().Add(lim.MoveTime)
	}
	s.maxNodes, s.nodes, s.nextPoll, s.stopped = lim.Nodes, 0, 0, false
	s.line.Begin(g)
	s.table.newSearch()
	for i := range s.stack {
		s.stack[i].killers = [2]rules.Move{}
	}
}

// pollEvery says after how many nodes the clock and the context are looked at
// again: a fraction of a millisecond.
const pollEvery = 64

// visit counts a node and tells whether the search must stop.
func (s *search) visit() bool {
	if s.maxNodes > 0 && s.nodes >= s.maxNodes {
		s.stopped = true
	}
	if s.nodes >= s.nextPoll && !s.stopped {
		s.nextPoll = s.nodes + pollEvery
		s.stopped = s.ctx.Err() != nil || !s.deadline.IsZero() && !time.Now().Before(s.deadline)
	}
	s.nodes++
	return s.stopped
}

// node returns the score of p, the position at the line's end, searched to
// depth: the true one if it lies between alpha and beta, else a bound. Wins and
// losses are counted from the root. It means nothing once the search is stopped.
func (s *search) node(p rules.Position, alpha, beta agents.Score, depth int) agents.Score {
	ply := s.line.Len()
	f := &s.stack[ply]
	f.pv = f.pv[:0]
	if s.visit() {
		return 0
	}
	if score, ok := s.atOnce(p, f, ply, beta-alpha > 1); ok {
		return score
	}
	if depth == 0 {
		return s.static(p)
	}
	// There is no win at once here: the best is a win with the next move but
	// one, the worst a loss by the opponent's next.
	if top := agents.WinIn(ply + 3); alpha >= top {
		return top
	}
	if bottom := -agents.WinIn(ply + 2); beta <= bottom {
		return bottom
	}
	key := p.Hash()
	k := picker{first: [3]rules.Move{rules.NoMove, f.killers[0], f.killers[1]}}
	if e := s.table.find(key); e != nil {
		k.first[0] = e.move
		if beta-alpha == 1 {
			if score, ok := e.usable(alpha, beta, depth, ply, s.line.Left()); ok {
				return score
			}
		}
	}
	if ply == 0 {
		k.first[0] = s.rootMove
	}
	return s.expand(p, key, f, &k, alpha, beta, depth)
}

// atOnce returns the score of a position that needs no search: the game is over
// there, or the side to move wins at once.
func (s *search) atOnce(p rules.Position, f *frame, ply int, wantMove bool) (agents.Score, bool) {
	switch s.line.Outcome(p) {
	case rules.Undecided:
	case rules.Draw:
		return 0, true
	default: // the last move won
		return -agents.WinIn(ply), true
	}
	if !s.line.WinsNow(p) {
		return 0, false
	}
	if wantMove {
		f.pv = append(f.pv, s.rules.GoalMove(p, p.Side()))
	}
	return agents.WinIn(ply + 1), true
}

// expand searches the moves of p.
func (s *search) expand(p rules.Position, key uint64, f *frame, k *picker, alpha, beta agents.Score, depth int) agents.Score {
	ply := s.line.Len()
	s.line.Moves(p, &f.moves)
	best, bestMove, kind := -infinity, rules.NoMove, upper
	wide := beta-alpha > 1
	for m := s.pick(k, f, p, depth); m != rules.NoMove; m = s.pick(k, f, p, depth) {
		score := s.try(p, m, alpha, beta, depth, bestMove == rules.NoMove)
		if s.stopped {
			return 0
		}
		if score <= best {
			continue
		}
		best, bestMove = score, m
		if score <= alpha {
			continue
		}
		alpha, kind = score, exact
		if wide {
			f.pv = append(append(f.pv[:0], m), s.stack[ply+1].pv...)
		}
		if ply == 0 {
			s.rootScore = score
		}
		if score >= beta {
			kind = lower
			s.refuted(p, f, m, depth)
			break
		}
	}
	if s.line.Left() > depth { // else the score may rest on the game's length
		s.table.store(entry{key: key, move: bestMove, score: toTable(best, ply), depth: uint8(depth)}, kind)
	}
	return best
}

// try searches the position after m. All moves but the first are expected to be
// no better than alpha, which is quicker to show than their true score.
func (s *search) try(p rules.Position, m rules.Move, alpha, beta agents.Score, depth int, first bool) agents.Score {
	next := s.rules.Apply(p, m)
	s.line.Push(p)
	defer s.line.Pop()
	if !first {
		score := -s.node(next, -alpha-1, -alpha, depth-1)
		if score <= alpha || score >= beta {
			return score
		}
	}
	return -s.node(next, -beta, -alpha, depth-1)
}

// refuted notes that m was too good for the opponent to allow p.
func (s *search) refuted(p rules.Position, f *frame, m rules.Move, depth int) {
	s.history.reward(p.Side(), m, depth)
	if f.killers[0] != m {
		f.killers = [2]rules.Move{m, f.killers[0]}
	}
}

// static returns the evaluation of p. The table remembers it.
func (s *search) static(p rules.Position) agents.Score {
	key := p.Hash()
	e := s.table.find(key)
	if e != nil && e.depth == 0 {
		return agents.Score(e.score)
	}
	score := s.eval.Score(p)
	if e == nil {
		s.table.store(entry{key: key, score: int16(score)}, exact)
	}
	return score
}
