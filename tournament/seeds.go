package tournament

import "hash/fnv"

// What a seed is for; the first thing mixed into the run's seed.
const (
	forOpening uint64 = 1
	forGame    uint64 = 2
)

// deriveSeed mixes numbers into the run's seed, one after another:
//
//	h = run; for each part x: h = finish(h XOR x + 0x9e3779b97f4a7c15)
//
// finish is the output function of SplitMix64 (Steele, Lea and Flood: Fast
// Splittable Pseudorandom Number Generators, 2014). Each step is a bijection of
// h for a given x and of x for a given h, so runs of different seeds, or parts
// that differ in one place, never share a seed by construction. Texts are mixed
// in by their [hashText].
//
// Seeds are made of
//
//	opening: forOpening, rules, round
//	agent:   forGame, rules, first agent, second agent, round, game of the pair (0, 1), side (South 0, North 1)
//
// where an agent's text is what tables call it: its name= or the whole spec. They
// don't depend on what else the run plays: the same two agents meet in the same
// games when others join or pairs are added; and one that has a name plays the same
// from wherever its files are read.
func deriveSeed(run uint64, parts ...uint64) uint64 {
	h := run
	for _, x := range parts {
		h = finish((h ^ x) + 0x9e3779b97f4a7c15)
	}
	return h
}

func finish(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hashText is the FNV-1a hash of 64 bits.
func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
}
