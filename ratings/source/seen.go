package source

import "strconv"

const (
	pageSize  = 1 << 8
	maxNumber = 1 << 24 // of ids whose content is kept as 32 bits in pages
	maxHashes = 1 << 22 // of other ids; 100 MB or so
)

// Seen remembers games by their ids and contents, so that a copy is told from another game with the same id, as in a
// stream of several runs. It keeps 32 bits of the content of the first game with each number, and a hash of 64 bits of
// any other game, of which two of four million are the same by chance once in two million files. When there are too
// many it remembers no more. The zero value is ready to use.
type Seen struct {
	pages []*[pageSize]uint32 // by number; 0: not seen
	hashes
}

// hashes are hashes of games with a number each, at most maxHashes.
type hashes struct {
	numbers map[uint64]int
	full    bool
}

// Full reports whether games were not remembered because there were too many.
func (h *hashes) Full() bool { return h.full }

// add remembers a hash with a number, and returns the number that it had before.
func (h *hashes) add(hash uint64, number int) (last int, before bool) {
	last, before = h.numbers[hash]
	switch {
	case h.numbers == nil:
		h.numbers = map[uint64]int{}
	case !before && len(h.numbers) >= maxHashes:
		h.full = true
		return last, before
	}
	h.numbers[hash] = number
	return last, before
}

// Add remembers a game and reports whether one with this id and content was there before.
func (s *Seen) Add(id []byte, content uint64) bool {
	n, err := strconv.ParseUint(string(id), 10, 63)
	if err == nil && n < maxNumber && (id[0] != '0' || len(id) == 1) {
		switch first, short := s.first(n), max(1, uint32(content)); *first {
		case 0:
			*first = short
			return false
		case short:
			return true
		}
	}
	_, before := s.add(content^Hash(id), 0)
	return before
}

// first returns the place of the content of the first game with a number.
func (s *Seen) first(n uint64) *uint32 {
	for uint64(len(s.pages)) <= n/pageSize {
		s.pages = append(s.pages, nil)
	}
	page := &s.pages[n/pageSize]
	if *page == nil {
		*page = new([pageSize]uint32)
	}
	return &(*page)[n%pageSize]
}
