package tuning

// MixSeed derives a seed from the run's, for a purpose and a number: the
// finalizer of SplitMix64 (Steele, Lea, Flood 2014) after each.
func MixSeed(seed uint64, parts ...uint64) uint64 {
	for _, x := range parts {
		z := (seed ^ x) + 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		seed = z ^ z>>31
	}
	return seed
}
