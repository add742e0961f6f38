package ratings

import "cmp"

// pairing is all games between two players, by number: a is less than b. Results are South's.
type pairing struct {
	a, b int32
	// single counts the games of no complete pair: at 0 those in which a had South, at 1 those in which b had it.
	single [2][outcomes]int32
	// pairs counts the game pairs by the result of the game in which a had South, and that of the other.
	pairs [outcomes][outcomes]int32
}

// newPairing returns one without games.
func newPairing(a, b int) pairing { return pairing{a: int32(a), b: int32(b)} }

// compare is the order of pairings: by their first player, and then by the second.
func (p pairing) compare(o pairing) int { return cmp.Compare(p.key(), o.key()) }

func (p *pairing) key() uint64 { return uint64(p.a)<<32 | uint64(p.b) }

// add adds the games of the same two players; swapped is 1 if o has them the other way round.
func (p *pairing) add(o *pairing, swapped int) {
	for side, counts := range o.single {
		for i, c := range counts {
			p.single[side^swapped][i] += c
		}
	}
	for i, row := range o.pairs {
		for j, c := range row {
			k := [2]int{i, j}
			p.pairs[k[swapped]][k[1-swapped]] += c
		}
	}
}

// side adds up the games in which a (0) or b (1) had South, by their outcome.
func (p *pairing) side(side int) (sum [outcomes]int) {
	for i, row := range p.pairs {
		sum[i] += int(p.single[side][i])
		for j, c := range row {
			sum[[2]int{i, j}[side]] += int(c)
		}
	}
	return sum
}

// weights returns the numbers of games by who had South; South's results.
func (p *pairing) weights() (w [2]weights) {
	for side := range w {
		for o, c := range p.side(side) {
			w[side][o] = float64(c)
		}
	}
	return w
}

// southNorth returns who had South and who North, by the side of [pairing.side].
func (p *pairing) southNorth(side int) (south, north int) {
	if side == 1 {
		return int(p.b), int(p.a)
	}
	return int(p.a), int(p.b)
}

// count is the games in which a (0) or b (1) had South, as South saw them.
func (p *pairing) count(side int) Count {
	c := p.side(side)
	return Count{Wins: c[2], Draws: c[1], Losses: c[0]}
}

// total is all games as a saw them.
func (p *pairing) total() Count { return p.count(0).plus(p.count(1).flip()) }

func (p *pairing) games() int { return p.total().Games() }

func (p *pairing) pairCount() int {
	n := 0
	for _, row := range p.pairs {
		for _, c := range row {
			n += int(c)
		}
	}
	return n
}
