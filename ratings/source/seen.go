package source

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
)

const (
	maxRanges = 1 << 16 // of numbers
	maxHashes = 1 << 22 // of other ids; 64 MB or so
)

// Seen remembers the ids of games. Numbers are kept as ranges, which in a run's records are few; of other ids it keeps
// a hash of 64 bits, of which two of four million are the same by chance once in two million files. When either has
// grown too long it remembers no more. The zero value is ready to use.
type Seen struct {
	ranges []idRange // ascending, apart from each other
	hashes map[uint64]struct{}
	full   bool
}

// idRange is the numbers from low to high.
type idRange struct{ Low, High uint64 }

// Full reports whether ids were not remembered because there were too many.
func (s *Seen) Full() bool { return s.full }

// Add remembers an id and reports whether it was there before.
func (s *Seen) Add(id []byte) bool {
	if n, err := strconv.ParseUint(string(id), 10, 63); err == nil && (id[0] != '0' || len(id) == 1) {
		return s.addNumber(n)
	}
	if s.hashes == nil {
		s.hashes = make(map[uint64]struct{})
	}
	h := maphash.Bytes(hashSeed, id)
	if _, ok := s.hashes[h]; ok {
		return true
	}
	if len(s.hashes) >= maxHashes {
		s.full = true
		return false
	}
	s.hashes[h] = struct{}{}
	return false
}

// addNumber is Add for a number.
func (s *Seen) addNumber(n uint64) bool {
	i, _ := slices.BinarySearchFunc(s.ranges, n, func(r idRange, n uint64) int { return cmp.Compare(r.High, n) })
	if i < len(s.ranges) && s.ranges[i].Low <= n {
		return true
	}
	before := i > 0 && s.ranges[i-1].High+1 == n
	after := i < len(s.ranges) && n+1 == s.ranges[i].Low
	switch {
	case before && after:
		s.ranges[i-1].High = s.ranges[i].High
		s.ranges = slices.Delete(s.ranges, i, i+1)
	case before:
		s.ranges[i-1].High = n
	case after:
		s.ranges[i].Low = n
	case len(s.ranges) >= maxRanges:
		s.full = true
	default:
		s.ranges = slices.Insert(s.ranges, i, idRange{n, n})
	}
	return false
}
