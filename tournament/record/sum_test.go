package record

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/ratings/source"
	"gyges/rules/base/jsonl"
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

// Damage that leaves a beginning and an end as a writer lays them out is found without a checksum, too.
func TestDamagedLines(t *testing.T) {
	g := sample()
	whole := string(bytes.TrimSpace(line(t, &g)))
	text, _, _ := strings.Cut(whole, `,"crc32c"`)
	old := text + "}}"
	zeros := func(line string) string {
		i := strings.Index(line, `"scores"`)
		return line[:i] + strings.Repeat("\x00", 9) + line[i+9:]
	}
	for name, c := range map[string]struct {
		line, want string
		sum        bool
	}{
		"whole":                 {whole, "", true},
		"of Windows":            {whole + "\r", "", true},
		"old":                   {old, "", false},
		"old of Windows":        {old + "\r", "", false},
		"joined":                {whole + whole, "another one begins in byte 477: the line end between them is lost", false},
		"old, joined":           {old + old, "another one begins in byte 457: the line end between them is lost", false},
		"zeros":                 {zeros(whole), `invalid character '\x00'`, false},
		"old with zeros":        {zeros(old), `invalid character '\x00'`, false},
		"rest":                  {old + "}", "invalid character '}' after top-level value", false},
		"another rest":          {strings.Replace(old, `,"timing"`, `"x",,"timing"`, 1), "invalid character '\"' after object value", false},
		"another move":          {strings.Replace(whole, "a4-goal", "b4-goal", 1), "was changed after it was written: its CRC-32C is", false},
		"another time":          {strings.Replace(whole, "0.25", "0.26", 1), "timing.crc32c is", false},
		"sum elsewhere":         {text + `,"crc32c":"00000000" }}`, "expected timing.crc32c, 8 digits, at the end", false},
		"short sum":             {text + `,"crc32c":"0"}}`, "expected timing.crc32c, 8 digits, at the end", false},
		"sum before the time":   {strings.Replace(old, `"seconds"`, `"crc32c":"00000000","seconds"`, 1), "at the end of the line", false},
		"sum beside the timing": {text + `},"crc32c":"00000000"}`, "crc32c: there is no such field", false},
	} {
		t.Run(name, func(t *testing.T) {
			var o source.Result
			short, r := NewReader(strings.NewReader(c.line+"\n"), "f"), NewReader(strings.NewReader(c.line+"\n"), "f")
			err := short.ReadResult(&o)
			got, errWhole := r.Read()
			require.Equal(t, err, errWhole)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, "f:1: ")
				require.True(t, errors.As(err, new(*jsonl.LineError)))
				return
			}
			require.NoError(t, err)
			require.Equal(t, &g, got)
			require.Equal(t, g.Short(), o)
			require.Equal(t, []bool{c.sum, c.sum}, []bool{r.HasSum(), short.HasSum()})
			_, err = r.Read()
			require.ErrorIs(t, err, io.EOF)
		})
	}
}
