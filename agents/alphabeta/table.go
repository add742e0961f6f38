package alphabeta

// What is known of positions by their hashes: the transposition table, and the cache of static
// evaluations.

import (
	"sync/atomic"

	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

type boundKind uint8

const (
	unknownScore boundKind = iota
	exactScore             // of a PV node
	lowerBound             // of a cut node: the true score is at least this
	upperBound             // of an all node: the true score is at most this
)

type entry struct {
	key   uint64 // the position's hash
	move  rules.Move
	score int16 // wins and losses counted from this position, not from the root
	depth uint8 // plies searched below it
	tag   uint8 // the kind of bound in the lowest two bits, above them the search that stored it
}

func (e *entry) bound() boundKind { return boundKind(e.tag & 3) }

// usable returns the stored score and reports whether it settles a search to depth with the window
// alpha, beta, ply plies below the root, from where the game may last left turns. Scores of lower
// depths settle nothing; with sameDepth, scores of higher depths don't, either. Wins and losses
// hold at any depth, but there may be quicker ones.
func (e *entry) usable(
	alpha, beta agents.Score, depth, ply, left int, sameDepth bool,
) (agents.Score, bool) {
	plies, proven := agents.Score(e.score).Proven()
	if proven && max(plies, -plies) > left {
		return 0, false
	}
	b := e.bound()
	stored := int(e.depth)
	otherDepth := stored < depth || sameDepth && stored > depth
	if pastEnd := stored >= left; otherDepth || pastEnd {
		if !proven {
			return 0, false
		}
		// A win or a loss that is stored as an exact score bounds a quicker one.
		holds := upperBound
		if plies > 0 {
			holds = lowerBound
		}
		if b != exactScore && b != holds {
			return 0, false
		}
		b = holds
	}
	score := fromTable(e.score, ply)
	switch b {
	case lowerBound:
		return score, score >= beta
	case upperBound:
		return score, score <= alpha
	}
	return score, true
}

// bucketSize is the number of entries of a bucket: one cache line.
const bucketSize = 4

type bucket [bucketSize]slot

// slot holds an entry for several threads: one mixed from two writes doesn't match its key (R.
// Hyatt and T. Mann, "A lock-less transposition table implementation for parallel search", ICGA
// Journal 25(1), 2002).
type slot struct {
	mixed atomic.Uint64 // key XOR data
	data  atomic.Uint64 // a move in the lowest bits, then depth, tag and score
}

// The lowest bits of the parts of a slot's data.
const (
	depthShift = 26
	tagShift   = depthShift + 8
	scoreShift = tagShift + 8
)

func (s *slot) load() entry {
	data := s.data.Load()
	return entry{
		key:   s.mixed.Load() ^ data,
		move:  rules.Move(data & (1<<depthShift - 1)),
		depth: uint8(data >> depthShift),
		tag:   uint8(data >> tagShift),
		score: int16(data >> scoreShift),
	}
}

func (s *slot) save(e entry) {
	data := uint64(e.move)
	data |= uint64(e.depth) << depthShift
	data |= uint64(e.tag) << tagShift
	data |= uint64(uint16(e.score)) << scoreShift
	s.data.Store(data)
	s.mixed.Store(e.key ^ data)
}

// table is the transposition table. Positions of equal hashes are taken for equal.
type table struct {
	buckets []bucket
	search  uint8 // number of the present search, in the upper six bits
}

func (t *table) reset(megabytes int) {
	t.search = 0
	t.buckets = cleared(t.buckets, megabytes<<20/(bucketSize*16))
}

// newSearch starts a new generation; entries of older ones are replaced first.
func (t *table) newSearch() { t.search += 4 }

func (t *table) find(key uint64) (entry, bool) {
	place := lookahead.Place(t.buckets, key)
	for i := range place {
		e := place[i].load()
		if e.key == key && e.tag != 0 {
			return e, true
		}
	}
	return entry{}, false
}

// store adds a position's result. It replaces the position's old one, else the least valuable entry
// of the bucket: first one of an earlier search, then the one of the lowest depth.
func (t *table) store(e entry, b boundKind) {
	e.tag = uint8(b) | t.search
	place := lookahead.Place(t.buckets, e.key)
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

// toTable converts a score counted from the root into one counted from a position ply plies below
// it.
func toTable(s agents.Score, ply int) int16 {
	switch plies, proven := s.Proven(); {
	case !proven:
		return int16(s)
	case plies > 0:
		return int16(s) + int16(ply)
	default:
		return int16(s) - int16(ply)
	}
}

// fromTable is the inverse of toTable.
func fromTable(s int16, ply int) agents.Score {
	return agents.Score(toTable(agents.Score(s), -ply))
}

// staticEval is a static evaluation, as the cache has it: 44 bits of the position's hash, flags,
// and in the lowest 16 bits the score for the side to move, 0 if it wins.
type staticEval uint64

// The flags of static evaluations.
const (
	evalInUse    staticEval = 1 << (16 + iota) // of every evaluation; a cleared entry has none
	evalWins                                   // the side to move has a win in one
	evalAttacked                               // the opponent would have one if it were to move
	evalEvadable                               // a move that stops it is known

	evalKey = ^staticEval(1<<20 - 1) // bits of the hash
)

func (e staticEval) score() agents.Score { return agents.Score(int16(e)) }

func (e staticEval) has(flag staticEval) bool { return e&flag != 0 }

// evalCache holds static evaluations by the positions' hashes.
type evalCache struct{ entries []atomic.Uint64 }

func (c *evalCache) reset(megabytes int) { c.entries = cleared(c.entries, megabytes<<20/8) }

// cleared returns a list of n zero values, the same one if it has that length.
func cleared[T any](list []T, n int) []T {
	if len(list) != n {
		return make([]T, n)
	}
	clear(list)
	return list
}

// entry returns the entry of a position, which may hold another one's evaluation. An entry has the
// upper bits of the hash, so that its place comes from the others, too.
func (c *evalCache) entry(key uint64) *atomic.Uint64 {
	return lookahead.Place(c.entries, key*0x9e3779b97f4a7c15)
}

// evaluate returns the static evaluation of p, the position at the line's end, where the game is
// not over.
func (s *search) evaluate(p rules.Position, key uint64) staticEval {
	entry := s.evals.entry(key)
	hash := staticEval(key) & evalKey
	if cached := staticEval(entry.Load()); cached.has(evalInUse) && cached&evalKey == hash {
		return cached
	}
	e := hash | evalInUse
	if s.line.WinsNow(p) {
		e |= evalWins
	} else {
		score, reachesGoal := s.eval.Evaluate(p)
		e |= staticEval(uint16(score))
		if reachesGoal && s.rules.GoalWins(p, p.Side().Other()) {
			e |= evalAttacked
		}
	}
	entry.Store(uint64(e))
	return e
}

// lost reports whether the side to move in p, the position at the line's end, loses with
// the opponent's next move whatever it plays; static is its evaluation. ms is a buffer.
func (s *search) lost(p rules.Position, key uint64, static staticEval, ms *rules.MoveSet) bool {
	if !static.has(evalAttacked) || static.has(evalEvadable) {
		return false
	}
	if !s.line.HasEvasion(p, ms) {
		return true
	}
	s.evals.entry(key).Store(uint64(static | evalEvadable))
	return false
}
