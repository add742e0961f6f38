package mcts

import (
	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// order makes the heap that of the worker's moves of p, the most promising first: by the
// policy and by what moves have gained so far in the game.
func (w *worker) order(p rules.Position) {
	w.heap = w.heap[:0]
	weights := w.eval.Policy()
	if weights != nil {
		c := w.rules.Control(p, p.Side().Other())
		w.policy.Begin(weights, p, c.Ends|c.Pieces, &w.moves)
	}
	for m := range w.moves.All() {
		score := int32(float64(w.prior.Predict(p, m)) * w.GainWeight / 100)
		if weights != nil {
			score += w.policy.Score(m)
		}
		w.heap = append(w.heap, lookahead.NewScoredMove(m, score))
	}
	w.heap.Heapify()
}

// learn teaches the prior the gain of a move of p from the node it leads to; before is the
// score of p.
func (w *worker) learn(p rules.Position, child *node, before float32) {
	gain := w.toScore(float64(child.static)) - w.toScore(float64(-before))
	gain = max(min(gain, maxGain), -maxGain)
	w.prior.Update(p, child.move, int32(gain), w.GroupShift, w.MoveShift)
}

// maxGain bounds what the prior learns: a move that loses at once has the lowest gain.
const maxGain agents.Score = 500
