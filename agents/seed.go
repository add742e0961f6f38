package agents

// MixSeed derives a seed from another by mixing numbers in, one after another, each by one step of SplitMix64 (Steele,
// Lea and Flood: Fast Splittable Pseudorandom Number Generators, 2014):
//
//	for each part x: seed = finish(seed XOR x + 0x9e3779b97f4a7c15)
//
// A step is a bijection of the seed for a given x and of x for a given seed, so
// different seeds, or parts that differ in one place, never give the same result.
func MixSeed(seed uint64, parts ...uint64) uint64 {
	for _, x := range parts {
		z := (seed ^ x) + 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		seed = z ^ z>>31
	}
	return seed
}
