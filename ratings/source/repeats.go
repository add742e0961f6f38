package source

import "hash/maphash"

// hashSeed is that of all hashes, another one in each process: no file can hold games made to have one hash.
var hashSeed = maphash.MakeSeed()

// Hash returns a hash of some texts.
func Hash(texts ...[]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, text := range texts {
		_, _ = h.Write(text) // never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// OneGame reports whether the two games of a pair are the same move for move, so that the side won and no player.
func OneGame(first, second *Result) bool { return first.Moves != 0 && first.Moves == second.Moves }

// Repeats finds game pairs, and games of no pair, that the same players have played before move for move, as agents
// without randomness do from the same opening. Games without moves and those that a fault decided are never the same.
// It keeps a hash of each, as [Seen] does, and as many at most. The zero value is ready to use.
type Repeats struct{ hashes } // with the number of the last run that it was played in

// Pair remembers a pair of a numbered run and reports whether it was played before, and whether it was in that run.
// The second game's players are the first's with sides swapped.
func (r *Repeats) Pair(run int, first, second *Result) (before, inRun bool) {
	if first.South > second.South { // players in one order: the same pair may begin with either
		first, second = second, first
	}
	if second.Moves == 0 {
		return false, false
	}
	return r.game(run, first, second.Moves)
}

// Game is Pair for a game that belongs to no pair.
func (r *Repeats) Game(run int, g *Result) (before, inRun bool) { return r.game(run, g, 0) }

func (r *Repeats) game(run int, g *Result, second uint64) (before, inRun bool) {
	if g.Moves == 0 || g.South == g.North {
		return false, false
	}
	last, before := r.add(maphash.Comparable(hashSeed, struct {
		south, north  string
		first, second uint64
	}{g.South, g.North, g.Moves, second}), run)
	return before, before && last == run
}
