package alphabeta

import (
	"context"
	"math/rand/v2"
	"slices"

	"gyges/agents"
	"gyges/rules"
)

var _ agents.TreeSearcher = (*player)(nil)

// SearchTree implements [agents.TreeSearcher]. Of a search with several threads it samples the first.
func (a *player) SearchTree(
	ctx context.Context, g *rules.Game, lim agents.Limits, n int,
) (agents.Decision, []rules.Position, error) {
	s := &a.searches[0].sample
	*s = sample{size: n, rng: a.rng, positions: s.positions[:0]}
	d, err := a.Choose(ctx, g, lim)
	s.size = 0
	return d, slices.Clone(s.positions), err
}

// sample is a random sample of the positions that a search visits (reservoir sampling: A. Waterman's algorithm R, in
// Knuth, The Art of Computer Programming 2, 3.4.2).
type sample struct {
	size      int // 0: none is taken
	seen      int
	rng       *rand.Rand
	positions []rules.Position
}

func (s *sample) add(p rules.Position) {
	s.seen++
	if len(s.positions) < s.size {
		s.positions = append(s.positions, p)
	} else if i := s.rng.IntN(s.seen); i < s.size {
		s.positions[i] = p
	}
}
