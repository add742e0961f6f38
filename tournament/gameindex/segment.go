package gameindex

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
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
	playedShift, pairMask    = 22, 1<<20 - 1
	pairingBits, pairingMask = 24, 1<<24 - 1
	maxOffset                = 1 << 40

	perBlock   = 170
	blockBytes = perBlock*24 + 16
)

func (t turn) played() uint64  { return t[1] >> playedShift }
func (t turn) pair() uint64    { return t[1] >> 2 & pairMask }
func (t turn) result() uint64  { return min(t[1]&3, 2) } // 3 is in files of others alone
func (t turn) offset() int64   { return int64(t[2] >> pairingBits) }
func (t turn) pairing() uint64 { return t[2] & pairingMask }

// block is the unit in which turns are read.
type block struct {
	Turns [perBlock]turn
	ID    uint64 // of the segment, and the block's number added
	Sum   uint64 // the checksum of all before
}

// segment is a part of an index. Its turns, sorted, are in a file of blocks.
type segment struct {
	ID       uint64 // random: blocks of other files don't fit
	From, To int64  // the bytes of the records that it covers
	Games    int    // that it covers
	Turns    int    // of these
	LeftOut  int    // games that can't be replayed
	Problem  string // of the first of them
}

// ErrDamaged is returned for an index that isn't as it was written, or doesn't fit the records.
var ErrDamaged = errors.New("the index of the games is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func blockSum(data []byte) uint64 { return uint64(crc32.Checksum(data[:blockBytes-8], castagnoli)) }

func (s *segment) name() string { return fmt.Sprintf("%016d.segment", s.From) }

// write writes the file of a segment.
func (s *segment) write(path string, turns []turn) error {
	var data []byte
	for chunk := range slices.Chunk(turns, perBlock) {
		start := len(data)
		b := block{ID: s.ID + uint64(start/blockBytes)}
		copy(b.Turns[:], chunk)
		data, _ = binary.Append(data, binary.LittleEndian, &b) // never fails
		binary.LittleEndian.PutUint64(data[len(data)-8:], blockSum(data[start:]))
	}
	return files.Replace(path, data)
}

// read reads a block of a segment's file.
func (s *segment) read(f *os.File, n int, b *block) error {
	var data [blockBytes]byte
	_, err := f.ReadAt(data[:], int64(n)*blockBytes)
	if err == nil {
		_, err = binary.Decode(data[:], binary.LittleEndian, b)
	}
	if b.ID != s.ID+uint64(n) || b.Sum != blockSum(data[:]) {
		err = cmp.Or(err, ErrDamaged)
	}
	return err
}

// find calls take with the turns in the segment's file that have a key.
func (s *segment) find(path string, key uint64, take func(turn)) error {
	f, err := files.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	var b block
	held := -1
	at := func(i int) turn {
		if n := i / perBlock; n != held && err == nil {
			held, err = n, s.read(f, n, &b)
		}
		return b.Turns[i%perBlock]
	}
	for i := sort.Search(s.Turns, func(i int) bool { return at(i)[0] >= key }); i < s.Turns; i++ {
		t := at(i)
		if err != nil || t[0] != key {
			break
		}
		take(t)
	}
	return err
}
