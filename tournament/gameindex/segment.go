package gameindex

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sort"

	"gyges/rules/base/files"
)

// turn is one turn of a game: the key of its position; from the highest bit on what was played (42 bits: a move, or at
// the start a hash of the opening), the lowest bits of the number of the game's pair (20) and the result for the side
// to move (2: lost, drawn, won); the offset of the game's record (40), and the number of its pairing (24).
type turn [3]uint64

const (
	playedShift, pairMask, resultMask = 22, 1<<20 - 1, 3
	pairingBits, pairingMask          = 24, 1<<24 - 1
	maxOffset                         = 1 << 40

	turnBytes  = 24
	blockBytes = 4096
	perBlock   = (blockBytes - 4) / turnBytes // the last 4 bytes are a checksum
	version    = 1
)

// segment is a part of an index. In its file blocks of turns, sorted, come before its other fields as JSON, the length
// of that and its checksum.
type segment struct {
	Version     int
	ID          uint32      // random: blocks of other files don't fit
	From, To    int64       // the bytes of the records that it covers
	Size, Time  int64       // of the records when they were read: bytes, and nanoseconds since 1970
	First, Last uint32      // checksums of the records' first line, and of the last bytes before To
	Games       int         // that it covers
	Turns       int         // of these
	Pairings    [][3]string // rules, South, North
	LeftOut     int         // games that can't be replayed
	Problem     string      // of the first of them

	path string
	data []byte // of the file, if it could not be written; otherwise nil
}

// ErrDamaged is returned for an index that isn't as it was written, or doesn't fit the records.
var ErrDamaged = errors.New("the index of the games is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns the checksum of a block.
func (s *segment) sum(block int, data []byte) uint32 {
	return crc32.Update(s.ID+uint32(block), castagnoli, data[:blockBytes-4])
}

func blocks(turns int) int { return (turns + perBlock - 1) / perBlock }

// encode returns what its file has.
func (s *segment) encode(turns []turn) ([]byte, error) {
	text, err := json.Marshal(s)
	b := make([]byte, 0, blocks(len(turns))*blockBytes+len(text)+8)
	for chunk := range slices.Chunk(turns, perBlock) {
		start := len(b)
		for _, t := range chunk {
			for _, word := range t {
				b = binary.LittleEndian.AppendUint64(b, word)
			}
		}
		b = b[:start+blockBytes]
		binary.LittleEndian.PutUint32(b[len(b)-4:], s.sum(start/blockBytes, b[start:]))
	}
	b = binary.LittleEndian.AppendUint32(append(b, text...), uint32(len(text)))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(text, castagnoli)), err
}

// readSegment reads all of a segment's file but the turns.
func readSegment(path string) (*segment, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size < 8 {
		return nil, errors.Join(err, ErrDamaged)
	}
	var end [8]byte
	_, err = f.ReadAt(end[:], size-8)
	text := make([]byte, min(int64(binary.LittleEndian.Uint32(end[:])), size-8))
	if err == nil {
		_, err = f.ReadAt(text, size-8-int64(len(text)))
	}
	s := &segment{path: path}
	if err != nil || crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(end[4:]) ||
		json.Unmarshal(text, s) != nil || s.Version != version || s.From < 0 || s.To <= s.From || s.Turns < 0 ||
		int64(blocks(s.Turns))*blockBytes+int64(len(text))+8 != size {
		return nil, errors.Join(err, ErrDamaged)
	}
	return s, nil
}

// with calls take with the turns that have a key.
func (s *segment) with(key uint64, take func(turn)) error {
	var file io.ReaderAt = bytes.NewReader(s.data)
	if s.data == nil {
		f, err := os.Open(s.path)
		if err != nil {
			return errors.Join(err, ErrDamaged)
		}
		defer func() { _ = f.Close() }() // it was only read
		file = f
	}
	var data [blockBytes]byte
	var failed error
	held := -1
	at := func(i int) (t turn) {
		if block := i / perBlock; block != held && failed == nil {
			_, err := file.ReadAt(data[:], int64(block)*blockBytes)
			if err != nil || s.sum(block, data[:]) != binary.LittleEndian.Uint32(data[blockBytes-4:]) {
				failed = errors.Join(err, ErrDamaged)
			}
			held = block
		}
		for k := range t {
			t[k] = binary.LittleEndian.Uint64(data[i%perBlock*turnBytes+8*k:])
		}
		return t
	}
	for i := sort.Search(s.Turns, func(i int) bool { return at(i)[0] >= key }); i < s.Turns && failed == nil; i++ {
		t := at(i)
		switch {
		case failed != nil:
		case t[0] != key:
			return nil
		case t[1]&resultMask > 2 || int(t[2]&pairingMask) >= len(s.Pairings):
			return ErrDamaged
		default:
			take(t)
		}
	}
	return failed
}
