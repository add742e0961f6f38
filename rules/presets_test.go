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

// TestPlayableRow has a first row of North's that is blocked. Drops behind the
// next row are legal in the French and Italian reading, not in the English and Turkish one.
func TestPlayableRow(t *testing.T) {
	t.Parallel()
	const board = "000000/000000/000102/000100/112232/030303 s"
	for name, reason := range map[string]string{
		"standard": "", "cosmoludo": "a6 is behind the row that North can play",
		"turkish-advanced": "a6 is behind the row that North can play",
	} {
		r := MustParse(name)
		g := NewGame(r, parse(t, r, board))
		require.NoError(t, checkText(t, g, "f3xf5@a4"), name)
		if err := checkText(t, g, "f3xf5@a6"); reason == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, reason, name)
		}
	}
}

// TestOptionalEntry has a blocked first row: entering does not keep the second one from being
// played.
func TestOptionalEntry(t *testing.T) {
	t.Parallel()
	const text = "303030/111222/000000/000000/000000/000000 s 111/000 0-0 -"
	for name, want := range map[string]int{
		"italian-kang": 148, "kang:kang_entry=optional": 148, "kang": 42,
	} {
		r := MustParse(name)
		p := parse(t, r, text)
		require.Equal(t, want, r.Count(p), name)
		g := NewGame(r, p)
		require.Equal(t, want, g.Legal().Len(), name)
	}
	r := MustParse("italian-kang")
	g := NewGame(r, parse(t, r, text))
	require.NoError(t, checkText(t, g, "a2-a3"))
	require.NoError(t, checkText(t, g, "+2-b3"))
	require.ErrorContains(t, checkText(t, g, "a1-a4"), "South must move a piece of row 2")
	g = NewGame(MustParse("kang"), parse(t, r, text))
	require.ErrorContains(t, checkText(t, g, "a2-a3"), "South holds pieces and must bring one in")
}

// Each preset is found by its name.
func TestPresetsAreDistinct(t *testing.T) {
	t.Parallel()
	for _, preset := range Presets() {
		require.NotEmpty(t, preset.Doc, preset.Name)
		require.Equal(t, preset.Options, MustParse(preset.Name).Options(), preset.Name)
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
