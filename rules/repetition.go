package rules

// forbidden returns which of the earlier positions, the present one not among them, a move may not
// reproduce.
func (r *Rules) forbidden(past []Position) []Position {
	if r.options.Repetition == Superko {
		return past
	}
	return nil
}

// Forbidden returns the keys of the positions that may not be reproduced now; the slice is the
// game's own.
func (g *Game) Forbidden() []Position { return g.rules.forbidden(g.past[:len(g.past)-1]) }

// OnlyRepeats reports whether m is illegal only for what it brings back: legal if null moves and
// repetitions were allowed. Engines without a history of the game choose such moves; see the
// tournament's policy for them.
func (g *Game) OnlyRepeats(m Move) bool {
	if g.overLength() || g.Legal().Contains(m) {
		return false
	}
	loose := *g.rules
	loose.allowNull = true
	var ms MoveSet
	loose.Moves(g.pos, &ms)
	return ms.Contains(m)
}

// excludePast removes the moves that, made in p, lead to one of the past positions. A move changes
// three squares at most, so the number of squares that differ leaves few.
func (ms *MoveSet) excludePast(r *Rules, p Position, past []Position) {
	for _, key := range past {
		if p.differing(key).Count() > 3 {
			continue
		}
		for _, g := range ms.groups[:ms.n] {
			arrivals := key.OfHeight(g.height)
			for end := range (g.ends & arrivals).All() {
				ms.excludeIf(r, p, newMove(g.from, end, NoSquare), key)
			}
			for hit := range (g.hits & arrivals).All() {
				drops := *ms.dropsOf(&g, hit) & key.OfHeight(p.At(hit))
				for drop := range drops.All() {
					ms.excludeIf(r, p, newMove(g.from, hit, drop), key)
				}
			}
		}
	}
}

// excludeIf removes a move if it leads from p to the position past (a key).
func (ms *MoveSet) excludeIf(r *Rules, p Position, m Move, past Position) {
	if r.Apply(p, m).Key() == past {
		ms.Remove(m)
	}
}
