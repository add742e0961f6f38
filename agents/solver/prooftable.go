package solver

import (
	"math"

	"gyges/rules"
)

// proofTable holds positions with their numbers.
type proofTable struct{ entries []proofEntry }

// proofEntry is a position with its proof and disproof numbers for the attacker.
type proofEntry struct {
	position rules.Position
	numbers  proofNumbers
	work     uint32 // nodes below it
}

// proofBucket is how many entries of the table a position may have; proofEntryBytes is
// the size of one.
const (
	proofBucket     = 4
	proofEntryBytes = 32
)

// bucket returns the entries that p may have.
func (t *proofTable) bucket(p rules.Position) []proofEntry {
	i := (p.Hash() * 0x9e3779b97f4a7c15 >> 11) % uint64(len(t.entries)/proofBucket)
	return t.entries[i*proofBucket : (i+1)*proofBucket]
}

// find returns the numbers of p, if the table has them.
func (t *proofTable) find(p rules.Position) (n proofNumbers, ok bool) {
	for _, e := range t.bucket(p) {
		if e.position == p {
			return e.numbers, true
		}
	}
	return n, false
}

// store keeps a position's numbers in place of those of the one with the least work.
func (t *proofTable) store(p rules.Position, n proofNumbers, work int64) {
	b := t.bucket(p)
	to := &b[0]
	for i := range b {
		if b[i].position == p {
			b[i].numbers = n
			b[i].work = uint32(min(int64(b[i].work)+work, math.MaxUint32))
			return
		}
		if b[i].work < to.work {
			to = &b[i]
		}
	}
	*to = proofEntry{position: p, numbers: n, work: uint32(min(work, math.MaxUint32))}
}
