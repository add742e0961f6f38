package source

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"
)

const (
	maxRanges = 1 << 16 // of numbers
	maxHashes = 1 << 22 // of other ids; 64 MB or so
)

// Seen remembers the ids of games. Numbers are kept as ranges, which in a run's
// records are few; of other ids it keeps a hash of 64 bits, of which two of four
// million are the same by chance once in two million files. When either has
// grown too long it remembers no more. The zero value is ready to use.
type Seen struct {
	ranges []idRange // ascending, apart from each other
	seed   maphash.Seed
	hashes map[uint64]struct{}
	full   bool
}

// idRange is the numbers from low to high.
type idRange struct{ low, high uint64 }

// MarshalJSON writes the numbers, for [Seen.UnmarshalJSON]; other ids are left
// out.
func (s *Seen) MarshalJSON() ([]byte, error) {
	list := [][2]uint64{}
	for _, r := range s.ranges {
		list = append(list, [2]uint64{r.low, r.high})
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what [Seen.MarshalJSON] wrote.
func (s *Seen) UnmarshalJSON(text []byte) error {
	var list [][2]uint64
	err := json.Unmarshal(text, &list)
	*s = Seen{}
	for _, r := range list {
		s.ranges = append(s.ranges, idRange{r[0], r[1]})
	}
	return err
}

// Full tells that ids were not remembered because there were too many.
func (s *Seen) Full() bool { return s.full }

// Add remembers an id and reports whether it was there before.
func (s *Seen) Add(id []byte) bool {
	if n, err := strconv.ParseUint(string(id), 10, 63); err == nil && (id[0] != '0' || len(id) == 1) {
		return s.AddNumber(n)
	}
	if s.hashes == nil {
		s.hashes, s.seed = make(map[uint64]struct{}), maphash.MakeSeed()
	}
	h := maphash.Bytes(s.seed, id)
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

// AddNumber is Add for a number.
func (s *Seen) AddNumber(n uint64) bool {
	// Ids mostly come in order: look at the last range first.
	i := len(s.ranges)
	if i == 0 || n < s.ranges[i-1].low {
		i, _ = slices.BinarySearchFunc(s.ranges, n, func(r idRange, n uint64) int { return cmp.Compare(r.high, n) })
	} else if n <= s.ranges[i-1].high {
		return true
	}
	if i < len(s.ranges) && s.ranges[i].low <= n {
		return true
	}
	before := i > 0 && s.ranges[i-1].high+1 == n
	after := i < len(s.ranges) && n+1 == s.ranges[i].low
	switch {
	case before && after:
		s.ranges[i-1].high = s.ranges[i].high
		s.ranges = slices.Delete(s.ranges, i, i+1)
	case before:
		s.ranges[i-1].high = n
	case after:
		s.ranges[i].low = n
	case len(s.ranges) >= maxRanges:
		s.full = true
	default:
		s.ranges = slices.Insert(s.ranges, i, idRange{n, n})
	}
	return false
}
