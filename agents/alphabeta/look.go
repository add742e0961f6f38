package alphabeta

import (
	"math/bits"
	"sync/atomic"

	"gyges/agents"
	"gyges/rules"
)

// look is what a position shows without being searched.
type look struct {
	score    agents.Score // the evaluation, for the side to move; 0 if it wins
	wins     bool         // the side to move wins with its next move
	attacked bool         // the opponent would, if it were to move
}

// looks remembers what positions look like, found again by their hashes. Eight
// bytes each: 45 bits of the hash, a flag for each side, one that the place is
// taken, 16 bits of score.
type looks struct{ places []atomic.Uint64 }

const (
	looksTaken    = 1 << 16
	looksWins     = 1 << 17
	looksAttacked = 1 << 18
	looksKey      = ^uint64(1<<19 - 1)
)

func (l *looks) reset(megabytes int) {
	if n := megabytes << 20 / 8; len(l.places) != n {
		l.places = make([]atomic.Uint64, n)
	} else {
		clear(l.places)
	}
}

// place returns where what is known of a position stands.
func (l *looks) place(key uint64) *atomic.Uint64 {
	i, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(l.places)))
	return &l.places[i]
}

// look looks at p, the position at the line's end, where the game is not over.
func (s *search) look(p rules.Position, key uint64) look {
	place := s.looks.place(key)
	if x := place.Load(); (x^key)&looksKey == 0 && x&looksTaken != 0 {
		return look{agents.Score(int16(x)), x&looksWins != 0, x&looksAttacked != 0}
	}
	var l look
	x := key&looksKey | looksTaken
	if s.line.WinsNow(p) {
		l.wins = true
		x |= looksWins
	} else {
		l.score, l.attacked = s.eval.Judge(p)
		if l.attacked = l.attacked && s.line.Decisive(p, p.Side().Other()); l.attacked {
			x |= looksAttacked
		}
		x |= uint64(uint16(int16(l.score)))
	}
	place.Store(x)
	return l
}
