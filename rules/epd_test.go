package rules

import "testing"

// FuzzEPD reads any line: it is a position with its counts, or wrong.
func FuzzEPD(f *testing.F) {
	f.Add("321123/000000/000000/000000/000000/321123 s ;D1 24 ;D2 574")
	f.Add("321123/000000/000000/000000/000000/321123 s ;D21 1")
	f.Add("321123/000000/000000/000000/000000/321123 s;D1 18446744073709551616")
	r := MustParse("simplified")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := r.ParseEPD(text)
		if err != nil {
			return
		}
		if again, err := r.ParsePosition(l.Text); err != nil || again != l.Position || len(l.Counts) == 0 {
			t.Fatalf("bad line %+v", l)
		}
		for _, c := range l.Counts {
			if c.Depth < 0 || c.Depth > maxPerftDepth {
				t.Fatalf("depth %d", c.Depth)
			}
		}
	})
}
