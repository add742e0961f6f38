package record

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/ratings/source"
)

// Whatever bit of a line is flipped, the record is refused or the same as before.
func TestFlippedBitsOfALine(t *testing.T) {
	g := sample()
	whole := bytes.TrimSpace(line(t, &g))
	accepted := 0
	for bit := range 8 * len(whole) {
		flipped := bytes.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		var o source.Result
		errShort := NewReader(bytes.NewReader(flipped), "f").ReadResult(&o)
		r := NewReader(bytes.NewReader(flipped), "f")
		got, err := r.Read()
		require.Equal(t, err, errShort)
		if err == nil {
			require.Equal(t, &g, got, string(flipped))
			accepted++
		}
	}
	require.Zero(t, accepted)
}

// A line is read with or without a checksum, with any end.
func TestLinesWithoutSums(t *testing.T) {
	g := sample()
	whole := strings.TrimSpace(string(line(t, &g)))
	text, _, _ := strings.Cut(whole, `,"crc32c"`)
	for line, sum := range map[string]bool{whole: true, whole + "\r": true, text + "}}": false, text + "}}\r": false} {
		var o source.Result
		short, r := NewReader(strings.NewReader(line+"\n"), "f"), NewReader(strings.NewReader(line+"\n"), "f")
		require.NoError(t, short.ReadResult(&o))
		got, err := r.Read()
		require.NoError(t, err)
		require.Equal(t, &g, got)
		require.Equal(t, g.Short(), o)
		require.Equal(t, []bool{sum, sum}, []bool{r.HasSum(), short.HasSum()})
		_, err = r.Read()
		require.ErrorIs(t, err, io.EOF)
	}
}
