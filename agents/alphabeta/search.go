package alphabeta

// The search of one thread: the principal variation search of the root to one depth.

import (
	"context"
	"math"
	"sync/atomic"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/agents/policy"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// frame is the state of a node during its search; there is one for each ply.
type frame struct {
	moves     rules.MoveSet      // not yet searched or scored
	scored    lookahead.MoveHeap // by history and policy
	evaluated lookahead.MoveHeap // by the static evaluation after them; searched before the others
	killers   [2]rules.Move      // moves that caused beta cutoffs at this ply
	pv        []rules.Move       // principal variation from here on
	static    agents.Score       // of the node, without a search
	extended  bool               // a leaf that is searched one ply deeper
	shared    sharedNode         // with several threads
}

type sharedState struct {
	table table
	evals evalCache
	nodes atomic.Int64 // of all threads, as of their last flush
	stop  atomic.Bool

	openNodes *openNodes // nil with one thread
}

// search is the state of one thread of an agent's searches within one game.
type search struct {
	*sharedState
	rules   *rules.Rules
	eval    *eval.Evaluator
	line    lookahead.Line
	history lookahead.History
	policy  policy.Scorer
	stack   [maxDepth + 2]frame
	params
	budget

	rootMove  rules.Move                   // best of the previous iteration
	rootScore agents.Score                 // of the best root move so far in this iteration
	lastScore agents.Score                 // of the previous iteration
	excluded  []rules.Move                 // root moves that are not searched
	sample    lists.Sample[rules.Position] // of the positions visited; none if its size is 0
}

// budget is what the choice of one move may use, and has used.
type budget struct {
	ctx          context.Context
	timer        agents.Timer
	maxNodes     int64 // 0: no bound
	nodeCount    int64 // of this thread
	flushedNodes int64 // part of nodeCount that is in sharedState.nodes
	nextPoll     int64 // node count
	stopped      bool

	settledPly   int // of the node whose result another thread has found; 0: none
	settledScore agents.Score
}

const infinity = agents.WinTop + 1

func (s *search) reset(shared *sharedState, r *rules.Rules, e *eval.Evaluator, p params) {
	// One by one, since large temporary values are slow.
	s.sharedState = shared
	s.rules = r
	s.eval = e
	s.params = p
	s.history = lookahead.History{}
}

// begin prepares for one choice without the excluded moves. The game has not ended.
func (s *search) begin(g *rules.Game, excluded []rules.Move, b budget) {
	s.budget = b
	s.excluded = excluded
	s.line.Begin(g)
	s.stack[0].pv = s.stack[0].pv[:0]
	for i := range s.stack {
		s.stack[i].killers = [2]rules.Move{}
		s.stack[i].shared = sharedNode{}
	}
}

// alphaBeta returns the score of p, the position at the line's end, searched to depth: the true one
// if it lies between alpha and beta, else a bound. Wins and losses are counted from the root.
// cutNode reports whether a null window is expected to fail high. The result is invalid once the
// search is stopped.
func (s *search) alphaBeta(
	p rules.Position, alpha, beta agents.Score, depth int, cutNode bool,
) agents.Score {
	ply := s.line.Len()
	pvNode := beta-alpha > 1 // else a cut or an all node, searched with a null window
	f := &s.stack[ply]
	f.pv = f.pv[:0]
	if s.countNode() {
		return 0
	}

	// end of the game
	switch s.line.Outcome(p) {
	case rules.Undecided:
	case rules.Draw:
		return 0
	default: // the last move won
		return -agents.WinIn(ply)
	}

	// Where moves are excluded, at the root, the result is no result of the position.
	complete := ply > 0 || len(s.excluded) == 0
	selective := s.Selective != 0

	// static evaluation
	key := p.Hash()
	static := s.evaluate(p, key)
	f.static = static.score()

	// win in one, unless it is excluded at the root
	if static.has(evalWins) && complete {
		if pvNode {
			f.pv = append(f.pv, s.rules.GoalMove(p, p.Side()))
		}
		return agents.WinIn(ply + 1)
	}

	if s.sample.Size > 0 && ply > 0 {
		s.sample.Add(p)
	}

	// threat extension: a leaf whose side must stop a win is searched one ply deeper
	leaf := depth <= 0 && ply > 0
	threatened := static.has(evalAttacked)
	f.extended = selective && leaf && threatened && !s.stack[ply-1].extended
	if f.extended {
		depth = 1
	}

	// leaf: the static evaluation, or a loss in two if there is no evasion, unless the evaluation
	// fails low already
	if depth <= 0 {
		failsLow := static.score() <= alpha
		if !selective || failsLow || !s.lost(p, key, static, &f.moves) {
			return static.score()
		}
		if pvNode {
			f.pv = append(f.pv, s.lossInTwo(p, f)...)
		}
		return -agents.WinIn(ply + 2)
	}

	// win distance pruning: the best possible score is a win in three, the worst a loss in two
	if top := agents.WinIn(ply + 3); alpha >= top {
		return top
	}
	if bottom := -agents.WinIn(ply + 2); beta <= bottom {
		return bottom
	}

	// transposition table
	tableMove := rules.NoMove
	if e, ok := s.table.find(key); ok {
		tableMove = e.move
		if !pvNode {
			score, ok := e.usable(alpha, beta, depth, ply, s.line.Left(), !selective)
			if ok {
				return score
			}
		}
	}
	if ply == 0 {
		tableMove = s.rootMove
	}

	provable := alpha <= -agents.WinScore || beta >= agents.WinScore
	if selective && !pvNode && !provable && depth <= s.RFPDepth {
		// reverse futility pruning, unless every move loses at once
		score := static.score() - agents.Score(s.RFPMargin*depth)
		if score >= beta && !s.lost(p, key, static, &f.moves) {
			return score
		}
	}

	s.generate(p, f)
	picker := movePicker{first: [3]rules.Move{tableMove, f.killers[0], f.killers[1]}}
	best, bestMove := -infinity, rules.NoMove
	bound := upperBound // of an all node, in which no move raises alpha
	if s.openNodes != nil && depth >= sharedDepth && !pvNode {
		s.open(f, sharedNode{key, beta, depth})
	}
	for {
		// A loss is proven only if every move is searched to the full depth.
		prune := selective && best > -agents.WinScore

		// late move pruning
		if prune && !pvNode && picker.improbable(f, s.LMPShare, depth) {
			best = max(best, min(alpha, static.score()))
			picker.pruned = true
		}

		m, searched := s.nextShared(&picker, f, p, depth)
		if s.stopped {
			return s.leave(ply)
		}
		if m == rules.NoMove {
			if searched == 0 { // each move allows a win in one
				best, bound = -agents.WinIn(ply+2), exactScore
				if pvNode {
					f.pv = append(f.pv, s.lossInTwo(p, f)...)
				}
			}
			break
		}
		next := s.rules.Apply(p, m)
		s.line.Push(p)

		// late move reductions
		reduction := 0
		if prune && depth > 1 && searched >= s.LMRFullDepthMoves {
			reduction = s.reduction(next, alpha, depth, searched, pvNode, cutNode)
		}

		// principal variation search: a null window for all moves but the first
		var score agents.Score
		if searched > 0 {
			score = s.nullWindow(next, alpha, depth-1, reduction, cutNode)
		}
		if searched == 0 || alpha < score && score < beta {
			score = -s.alphaBeta(next, -beta, -alpha, depth-1, !pvNode && !cutNode)
		}

		s.line.Pop()
		if s.stopped {
			return s.leave(ply)
		}
		if score <= best {
			continue
		}
		best, bestMove = score, m
		if score <= alpha {
			continue
		}
		alpha, bound = score, exactScore
		if pvNode {
			f.pv = append(append(f.pv[:0], m), s.stack[ply+1].pv...)
		}
		if ply == 0 {
			dropped := score < s.lastScore-unsettlingDrop
			s.timer.Unsettled = dropped || m != s.rootMove
			s.rootScore = score
		}

		// beta cutoff: this is a cut node; update history and killers
		if score >= beta {
			bound = lowerBound
			s.history.Add(p.Side(), m, int32(depth*depth))
			if f.killers[0] != m {
				f.killers = [2]rules.Move{m, f.killers[0]}
			}
			break
		}
	}

	// transposition table, unless the score may rest on the game's length or on excluded moves
	if s.line.Left() > depth && complete {
		result := entry{key: key, move: bestMove, score: toTable(best, ply), depth: uint8(depth)}
		s.table.store(result, bound)
	}
	s.close(f)
	return best
}

// unsettlingDrop is the drop of the score from one iteration to the next that is worth
// more time, in hundredths of a point; chosen, not measured.
const unsettlingDrop = 30

// forced reports whether all moves but one of p, the root, lose at once.
func (s *search) forced(p rules.Position) bool {
	f := &s.stack[0]
	s.generate(p, f)
	if s.line.Threatened(p) {
		s.rules.Evasions(p, &f.moves)
	}
	return f.moves.Len() == 1
}

// generate fills the frame's moves with the legal moves of p, at the root without the excluded
// ones.
func (s *search) generate(p rules.Position, f *frame) {
	s.line.Moves(p, &f.moves)
	if s.line.Len() == 0 {
		for _, m := range s.excluded {
			f.moves.Remove(m)
		}
	}
}

// lossInTwo returns the variation of a move of p, a position without evasions, and the opponent's
// win.
func (s *search) lossInTwo(p rules.Position, f *frame) []rules.Move {
	s.generate(p, f)
	anyMove := f.moves.At(0)
	next := s.rules.Apply(p, anyMove)
	win := s.rules.GoalMove(next, next.Side())
	return []rules.Move{anyMove, win}
}

// reduction returns the plies by which late move reductions reduce a move to next, the position at
// the line's end, after searched others of its node, at a depth of 2 or more. A move that threatens
// a win is not reduced.
func (s *search) reduction(
	next rules.Position, alpha agents.Score, depth, searched int, pvNode, cutNode bool,
) int {
	if s.line.Outcome(next) != rules.Undecided {
		return 0
	}
	after := s.evaluate(next, next.Hash())
	if after.has(evalAttacked) {
		return 0
	}
	logMoves := logs[min(searched, len(logs)-1)]
	r := s.LMRBase + logs[depth]*logMoves/s.LMRDivisor // in hundredths
	switch {
	case pvNode:
		r -= s.LMRPV
	case cutNode:
		r += s.LMRCut
	}
	ply := s.line.Len() - 1 // of the node
	if ply >= 2 && s.stack[ply].static <= s.stack[ply-2].static {
		r += s.LMRNotImproving
	}
	// by how much the static score after the move, for the side that made it, is below alpha
	gap := alpha - (-after.score())
	r += min(max(int(gap)*s.LMRGap/100, -maxGapReduction), maxGapReduction)
	return min(max(r/100, 0), depth-1)
}

// maxGapReduction bounds what the gap between alpha and a move's static score adds to its
// reduction or takes from it, in hundredths of a ply; chosen, not measured.
const maxGapReduction = 200

// logs holds natural logarithms in hundredths: whole numbers, which are the same on every machine.
var logs = func() (t [1024]int) {
	for n := 1; n < len(t); n++ {
		t[n] = int(math.Round(100 * math.Log(float64(n))))
	}
	return t
}()

// nullWindow returns a bound of the score of a move to next that shows whether it is above alpha,
// searched with a reduction first and to the full depth if that fails high.
func (s *search) nullWindow(
	next rules.Position, alpha agents.Score, depth, reduction int, cutNode bool,
) agents.Score {
	if reduction > 0 {
		score := -s.alphaBeta(next, -alpha-1, -alpha, depth-reduction, true)
		if score <= alpha || s.stopped {
			return score
		}
	}
	return -s.alphaBeta(next, -alpha-1, -alpha, depth, !cutNode)
}

// pollEvery is the number of nodes between checks of the clock and the context: a fraction of a
// millisecond.
const pollEvery = 64

// countNode counts a node unless the search has reached a limit. It reports whether it is stopped.
func (s *search) countNode() bool {
	if s.maxNodes > 0 && s.nodeCount >= s.maxNodes {
		s.stopped = true
	}
	if s.nodeCount >= s.nextPoll && !s.stopped {
		s.nextPoll = s.nodeCount + pollEvery
		s.stopped = s.stop.Load() || s.ctx.Err() != nil || s.timer.Expired()
		if s.openNodes != nil && !s.stopped {
			s.findSettled()
		}
	}
	if !s.stopped {
		s.nodeCount++
	}
	return s.stopped
}

// flushNodes adds the nodes counted since the last call to the nodes of all threads.
func (s *search) flushNodes() {
	s.nodes.Add(s.nodeCount - s.flushedNodes)
	s.flushedNodes = s.nodeCount
}
