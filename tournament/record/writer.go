package record

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"

	"gyges/rules/base/jsonl"
)

// Writer appends records to a file, one a line, as [jsonl.Writer] does.
type Writer struct{ *jsonl.Writer }

// NewWriter returns a writer that appends to w, which is to be empty. Close doesn't close w.
func NewWriter(w io.Writer) *Writer { return newWriter(jsonl.NewWriter(w)) }

// Append returns a writer that goes on with an open file of records, which has
// a number of games in size bytes and stands at its end. Close closes the file.
func Append(f jsonl.File, games, size int64) *Writer {
	return newWriter(jsonl.Resume(f, games, size))
}

// Open opens a file of records to append to, as [jsonl.Open] does.
func Open(path string) (*Writer, error) {
	w, err := jsonl.Open(path, MaxLine, func([]byte) error { return nil })
	if err != nil {
		return nil, err
	}
	return newWriter(w), nil
}

// newWriter returns a writer that ends each line with its checksum.
func newWriter(w *jsonl.Writer) *Writer {
	w.Finish = appendSum
	return &Writer{w}
}

// Write appends a record. It may stay in memory until Flush or Close.
func (w *Writer) Write(g *Record) error {
	if err := w.Writer.Write(g); err != nil {
		return fmt.Errorf("game %d: %w", g.Game, err)
	}
	return nil
}

// Lines returns games as a file of records holds them.
func Lines(games ...*Record) ([]byte, error) {
	var lines bytes.Buffer
	w := NewWriter(&lines)
	for _, g := range games {
		if err := w.Write(g); err != nil {
			return nil, err
		}
	}
	err := w.Flush()
	return lines.Bytes(), err
}

// The checksum of a line is its last member, between sumKey and sumEnd.
const (
	sumKey = `,"crc32c":"`
	sumEnd = `"}}`
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type sum [8]byte // hexadecimal digits

// sumOf returns the checksum of a line up to sumKey.
func sumOf(text []byte) (s sum) {
	var crc [4]byte
	binary.BigEndian.PutUint32(crc[:], crc32.Checksum(text, castagnoli))
	hex.Encode(s[:], crc[:])
	return s
}

// appendSum adds the checksum to a line that ends with the object of times.
func appendSum(line []byte) []byte {
	text := bytes.TrimSuffix(line, []byte("}}"))
	s := sumOf(text)
	return fmt.Appendf(text, "%s%s%s", sumKey, s[:], sumEnd)
}

// checkSum verifies the checksum of a line, and reports whether it has one at its end.
func checkSum(line []byte) (found bool, err error) {
	line = bytes.TrimRight(line, " \t\r") // as other programs may end lines
	text, found := bytes.CutSuffix(line, []byte(sumEnd))
	if !found {
		return false, nil
	}
	n := max(len(text)-len(sum{}), 0)
	text, written := text[:n], text[n:]
	text, found = bytes.CutSuffix(text, []byte(sumKey))
	if !found {
		return false, nil
	}
	if s := sumOf(text); !bytes.Equal(written, s[:]) {
		return true, fmt.Errorf(
			"the record was changed after it was written: its CRC-32C is %s, timing.crc32c is %s",
			s[:], written)
	}
	return true, nil
}
