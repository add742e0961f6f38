package solver

import (
	"math"
	"sync"

	"gyges/rules"
)

// proofTable holds positions with their numbers, for several goroutines.
type proofTable struct {
	entries []proofEntry
	locks   [1024]sync.Mutex // each of the buckets whose number ends in its own
}

// proofEntry is a position with its proof and disproof numbers for the attacker.
type proofEntry struct {
	position rules.Position
	numbers  proofNumbers
	work     uint32 // nodes below it
	visitors uint32 // workers that search it now
}

// proofBucket is how many entries of the table a position may have; proofEntryBytes is
// the size of one.
const (
	proofBucket     = 4
	proofEntryBytes = 32
)

// bucket returns the entries that p may have, locked.
func (t *proofTable) bucket(p rules.Position) ([]proofEntry, *sync.Mutex) {
	i := (p.Hash() * 0x9e3779b97f4a7c15 >> 11) % uint64(len(t.entries)/proofBucket)
	lock := &t.locks[i%uint64(len(t.locks))]
	lock.Lock()
	return t.entries[i*proofBucket : (i+1)*proofBucket], lock
}

// find sets the numbers of a child to those that the table has, and reports whether it has any.
func (t *proofTable) find(c *proofChild) bool {
	b, lock := t.bucket(c.position)
	defer lock.Unlock()
	for i := range b {
		if b[i].position == c.position {
			c.numbers, c.visitors = b[i].numbers, b[i].visitors
			return true
		}
	}
	return false
}

// visit adds to the workers that search a position.
func (t *proofTable) visit(p rules.Position, n int) {
	b, lock := t.bucket(p)
	defer lock.Unlock()
	for i := range b {
		if b[i].position == p {
			b[i].visitors = uint32(max(int(b[i].visitors)+n, 0)) // it may have been replaced since
		}
	}
}

// store keeps a position's numbers in place of those of the one with the least work.
func (t *proofTable) store(p rules.Position, n proofNumbers, work int64) {
	b, lock := t.bucket(p)
	defer lock.Unlock()
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
