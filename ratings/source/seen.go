package source

import "strconv"

const (
	pageSize  = 1 << 8
	maxNumber = 1 << 24 // of ids whose content is kept as 32 bits in pages
	maxHashes = 1 << 22 // of other ids; 64 MB or so
)

// Seen remembers games by their ids and contents, so that a copy is told from another game with the same id, as in a
// stream of several runs. It keeps 32 bits of the content of the first game with each number, and a hash of 64 bits of
// any other game, of which two of four million are the same by chance once in two million files. When there are too
// many it remembers no more. The zero value is ready to use.
type Seen struct {
	pages  []*[pageSize]uint32 // by number; 0: not seen
	hashes map[uint64]struct{}
	full   bool
}

// Full reports whether games were not remembered because there were too many.
func (s *Seen) Full() bool { return s.full }

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
	key := content ^ Hash(id)
	if _, ok := s.hashes[key]; ok {
		return true
	}
	if s.hashes == nil {
		s.hashes = make(map[uint64]struct{})
	}
	if s.full = s.full || len(s.hashes) >= maxHashes; !s.full {
		s.hashes[key] = struct{}{}
	}
	return false
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
