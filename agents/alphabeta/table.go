package alphabeta

import (
	"math/bits"
	"sync/atomic"

	"gyges/agents"
	"gyges/rules"
)

// bound says what a stored score means.
type bound uint8

const (
	unknown bound = iota
	exact
	lower // the true score is at least this
	upper // at most this
)

// entry is what the table knows of a position.
type entry struct {
	key   uint64 // the position's hash
	move  rules.Move
	score int16 // wins and losses counted from this position, not from the root
	depth uint8 // plies searched below it
	tag   uint8 // the bound in the lowest two bits, above them the search that stored it
}

func (e *entry) bound() bound { return bound(e.tag & 3) }

// usable returns the stored score if it settles a search to the given depth
// with the window alpha, beta, at a position so many plies below the root from
// where the game may last so many turns. Scores of other depths settle nothing,
// wins and losses apart: those hold at any, though quicker ones may be there. If
// the depth need not be that one, deeper ones will do.
func (e *entry) usable(alpha, beta agents.Score, depth, ply, left int, thatDepth bool) (agents.Score, bool) {
	plies, proven := agents.Score(e.score).Proven()
	if proven && max(plies, -plies) > left {
		return 0, false
	}
	b := e.bound()
	if int(e.depth) < depth || thatDepth && int(e.depth) != depth || left <= int(e.depth) {
		holds := upper
		if plies > 0 {
			holds = lower
		}
		if !proven || b != exact && b != holds {
			return 0, false
		}
		b = holds
	}
	score := fromTable(e.score, ply)
	return score, b == exact || b == lower && score >= beta || b == upper && score <= alpha
}

// bucketSize is how many entries share a place in the table: one cache line.
const bucketSize = 4

type bucket [bucketSize]slot

// slot holds an entry so that several threads may read and write it at once:
// what was torn between two writers doesn't fit its key. (R. Hyatt and T. Mann,
// "A lock-less transposition table implementation for parallel search", ICGA
// Journal 25(1), 2002.)
type slot struct {
	mixed atomic.Uint64 // the key, each bit turned where data has one
	data  atomic.Uint64 // from the lowest bit: move 26, depth 8, tag 8, score 16
}

func (s *slot) load() entry {
	d := s.data.Load()
	return entry{
		key:   s.mixed.Load() ^ d,
		move:  rules.Move(d & (1<<26 - 1)),
		depth: uint8(d >> 26),
		tag:   uint8(d >> 34),
		score: int16(d >> 42),
	}
}

func (s *slot) save(e entry) {
	d := uint64(e.move) | uint64(e.depth)<<26 | uint64(e.tag)<<34 | uint64(uint16(e.score))<<42
	s.data.Store(d)
	s.mixed.Store(e.key ^ d)
}

// table is the transposition table: what was found out about positions, found
// again by their hashes. Positions whose hashes are equal are taken for equal.
type table struct {
	buckets []bucket
	search  uint8 // number of the present search, in the upper six bits
}

// reset empties the table and gives it so many megabytes.
func (t *table) reset(megabytes int) {
	t.search = 0
	n := megabytes << 20 / (bucketSize * 16)
	if len(t.buckets) == n {
		clear(t.buckets)
		return
	}
	t.buckets = make([]bucket, n)
}

// newSearch makes what is known so far the first to be replaced.
func (t *table) newSearch() { t.search += 4 }

func (t *table) bucket(key uint64) *bucket {
	i, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return &t.buckets[i]
}

// find returns the entry of a position, if there is one.
func (t *table) find(key uint64) (entry, bool) {
	b := t.bucket(key)
	for i := range b {
		if e := b[i].load(); e.key == key && e.tag != 0 {
			return e, true
		}
	}
	return entry{}, false
}

// store keeps what was found out about a position. It takes the place of what
// was known of it before, else of the entry worth least: one of an earlier
// search, one searched less deep.
func (t *table) store(e entry, b bound) {
	e.tag = uint8(b) | t.search
	place := t.bucket(e.key)
	victim, least := &place[0], 1<<16
	for i := range place {
		old := place[i].load()
		if old.key == e.key || old.tag == 0 {
			victim = &place[i]
			break
		}
		worth := int(old.depth)
		if old.tag&^3 == t.search {
			worth += 1 << 8
		}
		if worth < least {
			victim, least = &place[i], worth
		}
	}
	victim.save(e)
}

// toTable turns a score counted from the root into one counted from a position
// so many plies below it.
func toTable(s agents.Score, ply int) int16 {
	switch {
	case s >= agents.WinScore:
		s += agents.Score(ply)
	case s <= -agents.WinScore:
		s -= agents.Score(ply)
	}
	return int16(s)
}

// fromTable is the reverse of toTable.
func fromTable(s int16, ply int) agents.Score {
	switch score := agents.Score(s); {
	case score >= agents.WinScore:
		return score - agents.Score(ply)
	case score <= -agents.WinScore:
		return score + agents.Score(ply)
	default:
		return score
	}
}
