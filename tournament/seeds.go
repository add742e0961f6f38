package tournament

import "hash/fnv"

// What a seed is for; the first thing mixed into the run's seed.
const (
	forOpening uint64 = 1
	forGame    uint64 = 2
)

// Seeds of a run are mixed from its own by [agents.MixSeed]:
//
//	opening: forOpening, rules, round
//	agent:   forGame, rules, first agent, second agent, round, game of the pair (0, 1), side (South 0, North 1)
//
// Texts are mixed in by their [hashText]; an agent's is what tables call it: its
// name= or the whole spec. Seeds don't depend on what else the run plays: the same
// two agents meet in the same games when others join or pairs are added; and an
// agent that has a name plays the same from wherever its files are read.

// hashText is the FNV-1a hash of 64 bits.
func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
}
