package alphabeta

// The choice of a move by its score and noise, for exploration.

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gyges/agents"
	"gyges/rules"
)

// addNoise has the request's noise decide which move is played in place of the best one: it
// searches to the same depth for moves with a higher sum of score and noise, within what is left of
// the limits.
func (a *player) addNoise(
	ctx context.Context, g *rules.Game, q *agents.Request, best *agents.Decision, began time.Time,
) {
	if _, proven := best.Score.Proven(); proven {
		return
	}
	lim := q.Limits
	if lim.Nodes > 0 {
		lim.Nodes -= best.Nodes
		if lim.Nodes <= 0 {
			return
		}
	}
	s := &a.searches[0]
	timer := agents.NewTimer(began, g, lim)
	s.begin(g, q.Exclude, budget{ctx: ctx, timer: timer, maxNodes: lim.Nodes})
	best.Play(s.noisiest(g.Position(), *best, q.Noise))
	best.Nodes += s.nodeCount
}

type noisyMove struct {
	move  rules.Move
	noise agents.Score
}

// lateMove is the number by which moves with noise are reduced, in the middle of a node's; chosen,
// not measured.
const lateMove = 20

// noisiest returns the move of p, the root, with the highest sum of score and noise. No move's
// score is above the best one's, so a move is searched only if its noise and the best score exceed
// the highest sum so far.
func (s *search) noisiest(
	p rules.Position, best agents.Decision, noise func(rules.Move) agents.Score,
) rules.Move {
	own := noise(best.Move)
	var list []noisyMove
	root := &s.stack[0]
	s.generate(p, root)
	for m := range root.moves.All() {
		if n := noise(m); n > own && m != best.Move {
			list = append(list, noisyMove{m, n})
		}
	}
	slices.SortStableFunc(list, func(a, b noisyMove) int { return cmp.Compare(b.noise, a.noise) })
	chosen := best.Move
	sum := best.Score + own
	for _, c := range list {
		alpha := max(sum-c.noise, -agents.WinScore) // the score must exceed it
		if alpha >= best.Score {
			break // neither this move nor any after it, whose noise is less, can be chosen
		}
		next := s.rules.Apply(p, c.move)
		s.line.Push(p)
		reduction := 0
		if s.Selective != 0 && best.Depth > 1 {
			reduction = s.reduction(next, alpha, best.Depth, lateMove, false, false)
		}
		score := s.nullWindow(next, alpha, best.Depth-1, reduction, false)
		if alpha < score && score <= best.Score { // its exact score
			score = -s.alphaBeta(next, -best.Score-1, -alpha, best.Depth-1, false)
		}
		s.line.Pop()
		if s.stopped {
			break
		}
		score = min(score, best.Score)
		if score > alpha {
			chosen = c.move
			sum = score + c.noise
		}
	}
	return chosen
}
