package lookahead

import "gyges/rules"

// Prior predicts by how much a move changes the static evaluation, from the moves
// evaluated so far.
type Prior struct {
	fromTo  [64][64]int32       // start (see [StartIndex]), end
	pieceTo [4][4][64]int32     // height of the piece, of the displaced one (0: none), end
	drops   [4][64]int32        // height of the displaced piece, drop
	moves   [64 * 64 * 64]int32 // start, end, drop
}

// terms returns the terms of a move of p.
func (g *Prior) terms(p rules.Position, m rules.Move) [4]*int32 {
	side := p.Side()
	from, to, drop := relative(StartIndex(m), side), relative(m.To(), side), relative(m.Drop(), side)
	piece, displaced := m.FromHand(), rules.Height(0)
	if m.From().OnBoard() {
		piece = p.At(m.From())
	}
	if m.Drop().OnBoard() {
		displaced = p.At(m.To())
	}
	return [4]*int32{
		&g.fromTo[from&63][to&63],
		&g.pieceTo[piece&3][displaced&3][to&63],
		&g.drops[displaced&3][drop&63],
		&g.moves[(int(from)<<12|int(to)<<6|int(drop))&(1<<18-1)],
	}
}

// relative returns a square as seen by side.
func relative(s rules.Square, side rules.Side) rules.Square {
	if side == rules.North && s.OnBoard() {
		return rules.NumSquares - 1 - s
	}
	return s
}

const unit = 1 << 8

// Predict returns the predicted gain of a move of p.
func (g *Prior) Predict(p rules.Position, m rules.Move) int32 {
	t := g.terms(p, m)
	return *t[0] + *t[1] + *t[2] + *t[3]
}

// Update adjusts the terms of a move of p to the gain it had.
func (g *Prior) Update(p rules.Position, m rules.Move, gain int32, groupShift, moveShift int) {
	f := g.terms(p, m)
	residual := gain*unit - (*f[0] + *f[1] + *f[2] + *f[3])
	*f[0] += residual >> groupShift
	*f[1] += residual >> groupShift
	*f[2] += residual >> groupShift
	*f[3] += residual >> moveShift
}
