package rules

import (
	"strings"
	"testing"
)

// FuzzEPD reads any text: every line is a position with its counts, is left out,
// or is named as wrong.
func FuzzEPD(f *testing.F) {
	f.Add("# counts\n\n321123/000000/000000/000000/000000/321123 s ;D1 24 ;D2 574\n")
	f.Add("321123/000000/000000/000000/000000/321123 s ;D21 1\r\nx ;D1 1")
	f.Add("321123/000000/000000/000000/000000/321123 s;D1 18446744073709551616")
	f.Add(strings.Repeat(";", maxEPDLine+1))
	r := MustParse("simplified")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := r.ReadEPD("file", strings.NewReader(text))
		if err == nil && len(lines) == 0 {
			t.Fatal("nothing found and nothing wrong")
		}
		for _, l := range lines {
			if again, err := r.ParsePosition(l.Text); err != nil || again != l.Position || len(l.Counts) == 0 {
				t.Fatalf("bad line %+v", l)
			}
			for _, c := range l.Counts {
				if c.Depth < 0 || c.Depth > MaxPerftDepth {
					t.Fatalf("depth %d", c.Depth)
				}
			}
		}
		if err == nil {
			return
		}
		for line := range strings.Lines(err.Error()) {
			if !strings.HasPrefix(line, "file:") {
				t.Fatalf("an error that names no line: %q", line)
			}
		}
	})
}
