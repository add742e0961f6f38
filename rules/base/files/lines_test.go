package files

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	t.Parallel()
	var lines []string
	each := func(n int, line string) error {
		lines = append(lines, fmt.Sprint(n, " ", line))
		if line == "bad" {
			return errors.New("expected good")
		}
		return nil
	}
	require.NoError(t, Lines(strings.NewReader("# first\n\n one \r\n two"), "f", 9, 30, each))
	require.Equal(t, []string{"3 one", "4 two"}, lines)
	require.EqualError(t, Lines(strings.NewReader("bad\nx\nbad"), "f", 9, 30, each), "f:1: expected good\nf:3: expected good")
	require.EqualError(t, Lines(strings.NewReader("x\n"+strings.Repeat("y", 10)), "f", 9, 30, each),
		"f:2: expected a line of at most 9 bytes, found a longer one")
	require.NoError(t, Lines(strings.NewReader("123456789\n123456789"), "f", 9, 30, each), "as long as they may be")
	require.EqualError(t, Lines(strings.NewReader("# 1\n"+strings.Repeat("x\n", 31)), "f", 9, 30, each),
		"f:32: expected at most 30 lines, found more")
	err := Lines(strings.NewReader(strings.Repeat("bad\n", 100)), "f", 9, 30, each)
	require.Equal(t, maxBadLines, strings.Count(err.Error(), "expected good"))
}

// Byte order marks, also those of several texts put together, are no part of a line.
func TestByteOrderMarks(t *testing.T) {
	var got []string
	err := Lines(strings.NewReader("\ufeff# x\n\ufeffa\r\n\n\ufeffb"), "x", 10, 10, func(_ int, line string) error {
		got = append(got, line)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, got)
}

// A line that is too long is left out, however long it is, unless reading is bounded: then it is
// the last one.
func TestLongLines(t *testing.T) {
	t.Parallel()
	text := "one\n" + strings.Repeat("x", 100_000) + "\ntwo\nend"
	for maxRead, want := range map[int]string{1 << 20: "one, too long, two, end", 16: "one, endless"} {
		lines := NewLineReader(strings.NewReader(text), 16)
		lines.MaxRead = maxRead
		var got []string
		for line, err := range lines.All() {
			switch {
			case errors.Is(err, ErrEndless):
				line = "endless"
			case errors.Is(err, ErrTooLong):
				line = "too long"
			}
			got = append(got, line)
		}
		require.Equal(t, want, strings.Join(got, ", "))
		require.Equal(t, len(got) == 4, lines.Torn())
	}
}
