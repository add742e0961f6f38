package lookahead

import "math/bits"

// Place returns the entry, or the bucket of entries, that a hash has in a table. Its upper bits
// decide.
func Place[E any](table []E, hash uint64) *E {
	i, _ := bits.Mul64(hash, uint64(len(table)))
	return &table[i]
}
