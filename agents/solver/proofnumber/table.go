package proofnumber

import (
	"math"

	"gyges/rules"
)

type table struct{ entries []entry }

// entry is a position with its proof and disproof numbers for the attacker.
type entry struct {
	position rules.Position
	numbers  numbers
	work     uint32 // nodes below it
}

// bucketSize is how many entries of the table a position may have; entryBytes is the size of one.
const (
	bucketSize = 4
	entryBytes = 32
)

func (t *table) bucket(p rules.Position) []entry {
	i := (p.Hash() * 0x9e3779b97f4a7c15 >> 11) % uint64(len(t.entries)/bucketSize)
	return t.entries[i*bucketSize : (i+1)*bucketSize]
}

func (t *table) find(p rules.Position) (n numbers, ok bool) {
	for _, e := range t.bucket(p) {
		if e.position == p {
			return e.numbers, true
		}
	}
	return n, false
}

// store keeps a position's numbers in place of those of the one with the least work.
func (t *table) store(p rules.Position, n numbers, work int64) {
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
	*to = entry{position: p, numbers: n, work: uint32(min(work, math.MaxUint32))}
}
