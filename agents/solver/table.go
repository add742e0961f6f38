package solver

import (
	"math/bits"

	"gyges/rules"
)

// entry is what the table knows of a position, for the side to move there. The
// depths are in plies; 0 stands for nothing known.
type entry struct {
	key     uint64
	move    rules.Move // won or saved here before
	won     uint8      // the attack succeeds within so many
	notWon  uint8      // the attack fails within so many
	lost    uint8      // the defence fails within so many
	notLost uint8      // the defence holds for so many
}

const entryBytes = 16

// attack says whether an attack within n plies succeeds, if that is known.
func (e *entry) attack(n int) (won, known bool) {
	if e.won != 0 && int(e.won) <= n {
		return true, true
	}
	return false, int(e.notWon) >= n
}

// defence says whether the side to move loses within n plies, if that is known.
func (e *entry) defence(n int) (lost, known bool) {
	if e.lost != 0 && int(e.lost) <= n {
		return true, true
	}
	return false, int(e.notLost) >= n
}

// table finds positions again by their hashes. A new position takes the place of
// the old one.
type table struct{ entries []entry }

func (t *table) place(key uint64) *entry {
	i, _ := bits.Mul64(key, uint64(len(t.entries)))
	return &t.entries[i]
}

// find returns what is known of a position, perhaps nothing.
func (t *table) find(key uint64) entry {
	if e := t.place(key); e.key == key {
		return *e
	}
	return entry{}
}

// noteAttack keeps the result of an attack within n plies: the move that wins, or
// NoMove.
func (t *table) noteAttack(key uint64, m rules.Move, n int) {
	e := t.own(key, m)
	if m != rules.NoMove {
		e.won = uint8(n)
	} else {
		e.notWon = max(e.notWon, uint8(n))
	}
}

// noteDefence keeps the result of a defence for n plies: the move that saves, or
// NoMove.
func (t *table) noteDefence(key uint64, m rules.Move, n int) {
	e := t.own(key, m)
	if m == rules.NoMove {
		e.lost = uint8(n)
	} else {
		e.notLost = max(e.notLost, uint8(n))
	}
}

// own returns the entry of a position, made its own if it was another's.
func (t *table) own(key uint64, m rules.Move) *entry {
	e := t.place(key)
	if e.key != key {
		*e = entry{key: key}
	}
	if m != rules.NoMove {
		e.move = m
	}
	return e
}

// key returns what the table finds p, the position at the line's end, by.
func (s *Solver) key(p rules.Position) uint64 {
	k := p.Hash()
	if s.previous {
		k ^= bits.RotateLeft64(s.line.Last().Hash(), 29) * 0x9e3779b97f4a7c15
	}
	return k
}
