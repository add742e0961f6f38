package alphabeta

import (
	"math/bits"
	"sync/atomic"

	"gyges/agents"
	"gyges/rules"
)

type staticEval struct {
	score    agents.Score // for the side to move; 0 if it wins
	wins     bool         // the side to move has a win in one
	attacked bool         // the opponent would have one if it were to move
	evadable bool         // a move that stops it is known
}

// evalCache holds static evaluations by the positions' hashes. An entry has eight bytes: 44 bits of the hash, the three
// flags, one for an entry in use, 16 bits of score.
type evalCache struct{ entries []atomic.Uint64 }

const (
	evalInUse    = 1 << 16
	evalWins     = 1 << 17
	evalAttacked = 1 << 18
	evalEvadable = 1 << 19
	evalKey      = ^uint64(1<<20 - 1)
)

func (c *evalCache) reset(megabytes int) { c.entries = cleared(c.entries, megabytes<<20/8) }

// cleared returns a list of n zero values, the same one if it has that length.
func cleared[T any](list []T, n int) []T {
	if len(list) != n {
		return make([]T, n)
	}
	clear(list)
	return list
}

// entry returns the entry of a position, which may hold another one's evaluation.
func (c *evalCache) entry(key uint64) *atomic.Uint64 {
	i, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(c.entries)))
	return &c.entries[i]
}

// evaluate returns the static evaluation of p, the position at the line's end, where the game is not over.
func (s *search) evaluate(p rules.Position, key uint64) staticEval {
	entry := s.evals.entry(key)
	if x := entry.Load(); (x^key)&evalKey == 0 && x&evalInUse != 0 {
		return staticEval{agents.Score(int16(x)), x&evalWins != 0, x&evalAttacked != 0, x&evalEvadable != 0}
	}
	var e staticEval
	x := key&evalKey | evalInUse
	if s.line.WinsNow(p) {
		e.wins = true
		x |= evalWins
	} else {
		e.score, e.attacked = s.eval.Evaluate(p)
		if e.attacked = e.attacked && s.rules.GoalWins(p, p.Side().Other()); e.attacked {
			x |= evalAttacked
		}
		x |= uint64(uint16(int16(e.score)))
	}
	entry.Store(x)
	return e
}

// lost reports whether the side to move in p, the position at the line's end, loses with
// the opponent's next move whatever it plays; static is its evaluation. ms is a buffer.
func (s *search) lost(p rules.Position, key uint64, static staticEval, ms *rules.MoveSet) bool {
	if !static.attacked || static.evadable {
		return false
	}
	if !s.line.HasEvasion(p, ms) {
		return true
	}
	entry := s.evals.entry(key)
	if x := entry.Load(); (x^key)&evalKey == 0 {
		entry.Store(x | evalEvadable)
	}
	return false
}
