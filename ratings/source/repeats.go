package source

import (
	"hash/maphash"

	"github.com/cespare/xxhash/v2"
)

// hashSeed is the seed of the hashes of players and games. Each process has its own.
var hashSeed = maphash.MakeSeed()

// Hash returns a hash of some texts, the same in every process: games are sorted by it.
func Hash(texts ...[]byte) uint64 {
	var h xxhash.Digest
	h.Reset()
	for _, text := range texts {
		_, _ = h.Write(text) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// OneGame reports whether the two games of a pair are the same move for move, so that the side won
// and no player.
func OneGame(first, second *Outcome) bool { return first.Moves != 0 && first.Moves == second.Moves }

// Repeats finds game pairs, and games of no pair, that the same players have played before move for
// move, as agents without randomness do from the same opening. Games without moves and those that a
// fault decided are never the same. It keeps a hash of each, as [Seen] does, and as many at most.
// The zero value is ready to use.
type Repeats struct{ hashes }

// Pair counts n pairs of a numbered run, -1 to take one back, and reports whether there are others,
// and whether the last of them is of that run. The second game's players are the first's with sides
// swapped.
func (r *Repeats) Pair(run int, first, second *Outcome, n int) (repeated, inRun bool) {
	if first.South > second.South { // players in one order: the same pair may begin with either
		first, second = second, first
	}
	if second.Moves == 0 {
		return false, false
	}
	return r.game(run, first, second.Moves, n)
}

// Game is Pair for a game that belongs to no pair.
func (r *Repeats) Game(run int, g *Outcome, n int) (repeated, inRun bool) {
	return r.game(run, g, 0, n)
}

func (r *Repeats) game(run int, g *Outcome, second uint64, n int) (repeated, inRun bool) {
	if g.Moves == 0 || g.South == g.North {
		return false, false
	}
	hash := maphash.Comparable(hashSeed, struct {
		south, north  string
		first, second uint64
	}{g.South, g.North, g.Moves, second})
	others := r.add(hash, run, n)
	repeated = others.count > 0
	return repeated, repeated && int(others.run) == run
}
