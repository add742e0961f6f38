package mcts

import (
	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// order makes the heap that of the worker's moves of p, the most promising first: by the
// policy of the evaluation, or without one by what moves have gained so far in the game.
func (w *worker) order(p rules.Position) {
	w.heap = w.heap[:0]
	score := func(m rules.Move) int32 { return w.prior.Predict(p, m) }
	if weights := w.eval.Policy(); weights != nil {
		w.policy.Begin(weights, w.rules, p, &w.moves)
		score = w.policy.Score
	}
	for m := range w.moves.All() {
		w.heap = append(w.heap, lookahead.NewScoredMove(m, score(m)))
	}
	w.heap.Heapify()
}

// learn teaches the prior, if it is used, the gain of a move of p by the node it leads to;
// before is the static value of p.
func (w *worker) learn(p rules.Position, child *node, before float32) {
	if w.eval.Policy() != nil {
		return
	}
	gain := w.toScore(float64(child.static)) + w.toScore(float64(before))
	gain = max(min(gain, maxGain), -maxGain)
	w.prior.Update(p, child.move, int32(gain), w.GroupShift, w.MoveShift)
}

// maxGain bounds what the prior learns: a move that loses at once has the lowest gain.
const maxGain agents.Score = 500
