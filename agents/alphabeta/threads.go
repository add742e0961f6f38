package alphabeta

// How the threads of one search share its work (T. Kerrigan, "Simplified ABDADA", 2017, after J.-C.
// Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal 19(1), 1996): all search
// the root to the same depth, and a move that leads to a node that another thread searches comes
// after the node's other moves. By then its result is mostly in the transposition table.

import (
	"sync"
	"sync/atomic"

	"gyges/agents"
	"gyges/rules"
)

// sharedDepth is the lowest depth of nodes that are not searched twice at the same time.
const sharedDepth = 2

// openNodes holds the hashes of the positions of shared nodes. A later one takes the place of an
// earlier one, which may then be searched twice.
type openNodes [1 << 12]atomic.Uint64

func (o *openNodes) slot(key uint64) *atomic.Uint64 { return &o[key%uint64(len(o))] }

// sharedNode is a node, searched with a null window, that the other threads know to be searched.
type sharedNode struct {
	key   uint64 // the position's hash
	beta  agents.Score
	depth int // 0: none
}

// deferredMove is a move that is searched later, and the number of moves that came before it: its
// reduction is the one that the thread which searches it now has given it.
type deferredMove struct {
	move   rules.Move
	number int
}

// open makes the frame's node known to the other threads.
func (s *search) open(f *frame, n sharedNode) {
	f.shared = n
	s.openNodes.slot(n.key).Store(n.key)
}

// close is the inverse of open. Where two threads search a node, the first to end closes it.
func (s *search) close(f *frame) {
	if f.shared.depth == 0 {
		return
	}
	slot := s.openNodes.slot(f.shared.key)
	slot.CompareAndSwap(f.shared.key, 0)
	f.shared.depth = 0
}

// nextShared returns the next move like nextMove, but the moves that another thread searches after
// all others, and how many moves nextMove gave before it.
func (s *search) nextShared(
	k *movePicker, f *frame, p rules.Position, depth int,
) (m rules.Move, number int) {
	sharing := s.openNodes != nil && depth > sharedDepth
	for !k.pruned {
		m := s.nextMove(k, f, p, depth)
		if m == rules.NoMove {
			break
		}
		number := k.number
		k.number++
		if number == 0 || !sharing || !s.searchedElsewhere(s.rules.Apply(p, m)) {
			return m, number
		}
		k.deferred = append(k.deferred, deferredMove{m, number})
	}
	if len(k.deferred) == 0 {
		return rules.NoMove, k.number
	}
	first := k.deferred[0]
	k.deferred = k.deferred[1:]
	return first.move, first.number
}

func (s *search) searchedElsewhere(p rules.Position) bool {
	key := p.Hash()
	return s.openNodes.slot(key).Load() == key
}

// findSettled stops the search of a node above the present one whose result another thread has
// found.
func (s *search) findSettled() {
	for ply := range s.line.Len() {
		n := s.stack[ply].shared
		if n.depth == 0 {
			continue
		}
		e, ok := s.table.find(n.key)
		if !ok {
			continue
		}
		left := s.line.Left() + s.line.Len() - ply
		score, ok := e.usable(n.beta-1, n.beta, n.depth, ply, left, s.Selective == 0)
		if ok {
			s.stopped = true
			s.settledPly = ply
			s.settledScore = score
			return
		}
	}
}

// leave ends the search of a stopped node, and returns its score where findSettled has found it:
// from there the search goes on.
func (s *search) leave(ply int) agents.Score {
	s.close(&s.stack[ply])
	if ply == 0 || ply != s.settledPly {
		return 0
	}
	s.stopped = false
	s.settledPly = 0
	return s.settledScore
}

// iterate searches the root to one depth in all threads until the first of them has the result. It
// returns that one, nil if they reached a limit before. When it returns or panics, as it does where
// a thread did, no other thread is left.
func (a *player) iterate(root rules.Position, depth int, last agents.Decision) *search {
	var first atomic.Pointer[search]
	iterate := func(s *search) {
		s.rootMove = last.Move
		s.lastScore = last.Score
		s.stopped = false
		score := s.alphaBeta(root, -infinity, infinity, depth, false)
		if !s.stopped {
			s.rootScore = score
			first.CompareAndSwap(nil, s)
			a.shared.stop.Store(true)
		}
		s.flushNodes()
	}
	helpers := a.searches[1:]
	if depth <= sharedDepth {
		helpers = nil
	}
	panics := make(chan any, len(helpers))
	var running sync.WaitGroup
	for i := range helpers {
		running.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panics <- p
					a.shared.stop.Store(true)
				}
			}()
			iterate(&helpers[i])
		})
	}
	defer func() {
		a.shared.stop.Store(true)
		running.Wait()
		a.shared.stop.Store(false)
		if len(panics) > 0 {
			panic(<-panics)
		}
	}()
	iterate(&a.searches[0])
	return first.Load()
}
