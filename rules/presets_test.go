package rules

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDoorsOfALeg has a piece that lands on b1 and can leave it by the door alone through which it
// came.
func TestDoorsOfALeg(t *testing.T) {
	t.Parallel()
	const board = "132000/020000/000000/000000/130000/112233 s"
	for name, closed := range map[string]string{
		"standard": "the door between b1 and a1 has been used already", "simplified": "used already",
		"turkish-basic": "", "turkish-advanced": "", "russian": "",
	} {
		r := MustParse(name)
		g := NewGame(r, parse(t, r, board))
		m, err := r.ParseMove(g.Position(), "a1-b1-(a1-a2)-a3")
		short := checkText(t, g, "a1-a3")
		if closed != "" {
			require.ErrorContains(t, err, closed, name)
			require.ErrorContains(t, short, "no course leads to a3", name)
			continue
		}
		require.NoError(t, err, name)
		require.NoError(t, short, name)
		require.Equal(t, "a1-b1-(a1-a2)-a3", r.LongText(g.Position(), m), name)
	}
}

// TestProse checks that every option has its place in the prose: another value
// is another text, but for options that have no meaning beside the others.
func TestProse(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"standard", "simplified", "kang", "italian-kang"} {
		o := MustParse(base).Options()
		for _, opt := range o.List() {
			for _, v := range append(opt.Enum(), "7") {
				changed := o
				if changed.Change(opt.Key+"="+v) != nil || changed == o {
					continue
				}
				silent := strings.HasPrefix(opt.Key, "kang_") && !o.Kang ||
					strings.HasPrefix(opt.Key, "setup_") && o.Kang || opt.Key == "drop_zone" && !o.Relocation
				require.Equal(t, silent, reflect.DeepEqual(o.Prose(), changed.Prose()), "%s %s=%s", base, opt.Key, v)
			}
		}
	}
}
