package main

import (
	"strings"
	"testing"

	"gyges/rules"
)

// FuzzEPD reads any text: every line is a position with its counts, is left out,
// or is named as wrong.
func FuzzEPD(f *testing.F) {
	f.Add("# counts\n\n321123/000000/000000/000000/000000/321123 s ;D1 24 ;D2 574\n")
	f.Add("321123/000000/000000/000000/000000/321123 s ;D21 1\r\nx ;D1 1")
	f.Add("321123/000000/000000/000000/000000/321123 s;D1 18446744073709551616")
	f.Add(strings.Repeat(";", maxEPDLine+1))
	r := rules.MustParse("simplified")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseEPD("file", strings.NewReader(text), r)
		if err == nil && len(lines) == 0 {
			t.Fatal("nothing found and nothing wrong")
		}
		for _, l := range lines {
			if again, err := r.ParsePosition(l.text); err != nil || again != l.position || len(l.counts) == 0 {
				t.Fatalf("bad line %+v", l)
			}
			for _, c := range l.counts {
				if c.depth < 0 || c.depth > maxDepth {
					t.Fatalf("depth %d", c.depth)
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
