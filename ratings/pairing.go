package ratings

import (
	"cmp"

	"gyges/ratings/sprt"
)

// pairing is all games between two players, by number. In results a is less than b.
type pairing struct {
	a, b int32
	// single counts the games of no complete pair by South's result: at 0 the games in which a had
	// South, at 1 those in which b had South.
	single [2][outcomes]int32
	// pairs counts the game pairs by South's result in the game in which a had South, and by
	// South's result in the other game.
	pairs [outcomes][outcomes]int32
}

// newPairing returns a pairing without games.
func newPairing(a, b int) pairing { return pairing{a: int32(a), b: int32(b)} }

// compare is the order of pairings: by their first player, and then by the second.
func (p pairing) compare(o pairing) int { return cmp.Compare(p.key(), o.key()) }

func (p *pairing) key() uint64 { return uint64(p.a)<<32 | uint64(p.b) }

// swapped returns the same games with the players in the other order.
func (p pairing) swapped() pairing {
	s := pairing{a: p.b, b: p.a}
	s.single[0], s.single[1] = p.single[1], p.single[0]
	for i, row := range p.pairs {
		for j, n := range row {
			s.pairs[j][i] = n
		}
	}
	return s
}

// renumbered returns the same games of players with other numbers; numbers has them by the old
// ones.
func (p pairing) renumbered(numbers []int) pairing {
	p.a = int32(numbers[p.a])
	p.b = int32(numbers[p.b])
	return p
}

// add adds other games of the same two players, in the same order.
func (p *pairing) add(o *pairing) {
	for side, row := range o.single {
		for i, n := range row {
			p.single[side][i] += n
		}
	}
	for i, row := range o.pairs {
		for j, n := range row {
			p.pairs[i][j] += n
		}
	}
}

// weights returns [pairing.count] for both sides.
func (p *pairing) weights() (w [2]weights) {
	for side := range w {
		c := p.count(side)
		w[side] = weights{float64(c.Losses), float64(c.Draws), float64(c.Wins)}
	}
	return w
}

// southNorth returns who had South and who North, by the side of [pairing.count].
func (p *pairing) southNorth(side int) (south, north int32) {
	if side == 1 {
		return p.b, p.a
	}
	return p.a, p.b
}

// count is the games in which a (0) or b (1) had South, as South saw them.
func (p *pairing) count(side int) Count {
	var sum [outcomes]int // by South's result
	for i, row := range p.pairs {
		sum[i] += int(p.single[side][i])
		for j, n := range row {
			if side == 0 {
				sum[i] += int(n)
			} else {
				sum[j] += int(n)
			}
		}
	}
	return Count{Wins: sum[2], Draws: sum[1], Losses: sum[0]}
}

// total is all games as a saw them.
func (p *pairing) total() Count { return p.count(0).Plus(p.count(1).flip()) }

func (p *pairing) games() int { return p.total().Games() }

// pentanomial counts the game pairs by the half points of a.
func (p *pairing) pentanomial() (pairs sprt.Pairs) {
	// Outcomes are half points: a's in the game with South, b's in the other.
	for first, row := range p.pairs {
		for second, n := range row {
			pairs[2+first-second] += int64(n)
		}
	}
	return pairs
}

func (p *pairing) pairCount() int { return int(p.pentanomial().N()) }
