package mcts

import (
	"context"

	"gyges/agents"
	"gyges/rules"
)

var _ agents.Explorer = (*player)(nil)

// minVisitShare is the share of the best move's visits that a move needs to be chosen
// for its noise: values of fewer visits are unreliable.
const minVisitShare = 1.0 / 16

// ChooseNoisy implements [agents.Explorer] with the values of an ordinary search.
func (a *player) ChooseNoisy(
	ctx context.Context, g *rules.Game, lim agents.Limits, noise func(rules.Move) agents.Score,
) (agents.Decision, error) {
	d, err := a.Choose(ctx, g, lim)
	if _, proven := d.Score.Proven(); err != nil || !d.Scored || proven {
		return d, err
	}
	if m := a.search.noisiest(noise); m != d.Move {
		d.Move, d.PV = m, nil
	}
	return d, nil
}

// noisiest returns the move at the root with the highest sum of score and noise.
func (s *search) noisiest(noise func(rules.Move) agents.Score) rules.Move {
	t := &s.tree
	root := &t.nodes[t.root]
	best := t.best(root)
	least := max(uint32(minVisitShare*float64(best.visits)), 1)
	chosen, sum := best.move, s.toScore(float64(best.value))+noise(best.move)
	for k, children := 0, t.children(root); k < len(children); k++ {
		c := &children[k]
		if c.class() != 0 || c.visits < least {
			continue
		}
		if n := s.toScore(float64(c.value)) + noise(c.move); n > sum {
			chosen, sum = c.move, n
		}
	}
	return chosen
}
