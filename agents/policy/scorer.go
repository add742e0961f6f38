package policy

// The scores of the moves of a position, from the sums of their features and the network.

import "gyges/rules"

// Weights are the weights of the features in units of 1/[Unit], then the weights of the network in
// units of 1/[NetworkUnit]. A network whose last row is zero counts nothing.
type Weights [NumWeights]int16

const (
	Unit      = 256  // a weight that multiplies the odds of a move by e
	MaxWeight = 8191 // bound of the size of a weight
)

// Scorer scores the moves of a position. It keeps the sums for each end and each drop, so
// that most moves cost few additions. Begin comes first.
type Scorer struct {
	weights *Weights
	view    View
	network network

	// The last start and end that was scored, the sum of their weights, and the height of the piece
	// displaced.
	last      rules.Move
	sum       int32
	displaced int

	// Sums by end and by drop, and whether they have been computed.
	ends      [kinds * places]int32
	drops     [3 * rules.NumSquares]int32
	haveEnds  [kinds * places]bool
	haveDrops [3 * rules.NumSquares]bool
}

// Begin prepares to score moves of p by w; ms has the moves.
func (s *Scorer) Begin(w *Policy, r *rules.Rules, p rules.Position, ms *rules.MoveSet) {
	s.weights = w.weights
	s.last = rules.NoMove
	clear(s.haveEnds[:])
	clear(s.haveDrops[:])

	opponent := s.view.Begin(r, p, ms)
	s.network.begin(w, r, p, &opponent)
}

// Score returns the score of a move in units of 1/[Unit].
func (s *Scorer) Score(m rules.Move) int32 {
	if m == rules.Pass {
		return 0
	}
	if startEnd := m.WithoutDrop(); startEnd != s.last {
		s.last = startEnd
		s.scoreStartEnd(s.view.turned(m))
	}
	if !m.Drop().OnBoard() {
		return s.sum
	}
	drop := s.view.place(m.Drop())
	k := (s.displaced-1)*rules.NumSquares + drop
	if !s.haveDrops[k] {
		s.haveDrops[k] = true
		s.drops[k] = s.total(s.view.dropFeatures(s.displaced, drop))
	}
	return s.sum + s.drops[k] + s.network.drop(drop)
}

// scoreStartEnd computes what the moves of a start and an end share.
func (s *Scorer) scoreStartEnd(a turnedMove) {
	s.displaced = a.displaced
	k := a.kind()*places + a.end
	if !s.haveEnds[k] {
		s.haveEnds[k] = true
		s.ends[k] = s.total(s.view.endFeatures(a))
	}
	s.sum = s.ends[k]
	for _, i := range s.view.startFeatures(a) {
		s.sum += int32(s.weights[i])
	}
	s.sum += s.network.startEnd(a)
}

func (s *Scorer) total(features [5]int) (sum int32) {
	for _, i := range features {
		sum += int32(s.weights[i])
	}
	return sum
}
