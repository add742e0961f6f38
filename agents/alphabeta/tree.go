package alphabeta

import (
	"math/rand/v2"

	"gyges/rules"
)

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
