package source

import "strconv"

const (
	pageSize  = 1 << 8
	maxNumber = 1 << 24 // of ids whose content is kept as 32 bits in pages
	maxHashes = 1 << 22 // of other ids; 100 MB or so
)

// Seen remembers games by their ids and contents, so that a copy is told from another game with the
// same id, as in a stream of several runs. It keeps 32 bits of the content of the first game with
// each number, and a hash of 64 bits of any other game, of which two of four million are the same
// by chance once in two million files. When there are too many it remembers no more. The zero value
// is ready to use.
type Seen struct {
	pages []*[pageSize]uint32 // by number; 0: not seen
	hashes
}

// hashes are how often a game with a hash has come, of at most maxHashes.
type hashes struct {
	times map[uint64]times
	full  bool
}

// times are how often a game has come, and the number of the run in which it came last.
type times struct{ count, run int32 }

// Full reports whether games were not remembered because there were too many.
func (h *hashes) Full() bool { return h.full }

// add counts n more games with a hash, -1 to take one back, and returns what is known of the others
// with that hash.
func (h *hashes) add(hash uint64, run, n int) (others times) {
	t := h.times[hash]
	others = t
	if n < 0 {
		others.count = max(0, t.count-1) // 0: there may have been no room for it
	}
	if t.count+int32(n) <= 0 {
		delete(h.times, hash)
		return others
	}
	if t.count == 0 && len(h.times) >= maxHashes {
		h.full = true
		return others
	}
	if h.times == nil {
		h.times = map[uint64]times{}
	}
	h.times[hash] = times{t.count + int32(n), int32(run)}
	return others
}

// Add remembers a game and reports whether one with this id and content was there before.
func (s *Seen) Add(id []byte, content uint64) bool {
	if s.Has(id, content) {
		return true
	}
	if n, ok := number(id); ok && *s.first(n) == 0 {
		*s.first(n) = short(content)
	} else {
		s.add(content^Hash(id), 0, 1)
	}
	return false
}

// Has reports whether a game with this id and content was added.
func (s *Seen) Has(id []byte, content uint64) bool {
	n, isNumber := number(id)
	if isNumber && *s.first(n) == short(content) {
		return true
	}
	others := s.times[content^Hash(id)]
	return others.count > 0
}

// number returns the number that an id is, if it is a small one.
func number(id []byte) (n uint64, ok bool) {
	n, err := strconv.ParseUint(string(id), 10, 63)
	if err != nil || n >= maxNumber {
		return 0, false
	}
	isPadded := id[0] == '0' && len(id) > 1 // 7 and 07 are two
	return n, !isPadded
}

// short returns 32 bits of a hash, which are never 0.
func short(content uint64) uint32 { return max(1, uint32(content)) }

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
