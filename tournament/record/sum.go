package record

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/crc32"
)

// The checksum of a line is its last member, between sumKey and sumEnd.
const (
	sumKey = `,"crc32c":"`
	sumEnd = `"}}`
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type sum [8]byte

// sumOf returns the checksum of a line up to sumKey.
func sumOf(text []byte) (s sum) {
	crc := crc32.Checksum(text, castagnoli)
	hex.Encode(s[:], []byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)})
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
	n := len(line) - len(sumKey) - len(sum{}) - len(sumEnd)
	if n < 0 || !bytes.HasPrefix(line[n:], []byte(sumKey)) || !bytes.HasSuffix(line, []byte(sumEnd)) {
		return false, nil
	}
	if s := sumOf(line[:n]); !bytes.Equal(line[n+len(sumKey):len(line)-len(sumEnd)], s[:]) {
		return true, fmt.Errorf("the record was changed after it was written: its CRC-32C is %s, timing.crc32c is %s",
			s[:], line[n+len(sumKey):len(line)-len(sumEnd)])
	}
	return true, nil
}
