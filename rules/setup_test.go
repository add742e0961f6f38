package rules

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ninety arrangements of a row, six of them their own mirror images: of the 8100
// set-ups 36 are symmetric, so 4068 are distinct.
func TestSetups(t *testing.T) {
	t.Parallel()
	r := MustParse("standard")
	all := r.Setups()
	require.EqualValues(t, 4068, all.Len())
	seen := map[Position]bool{}
	for k := range all.Len() {
		p := all.At(k)
		require.False(t, seen[p], "each once")
		require.True(t, !seen[p.Mirror()], "or its image")
		seen[p] = true
	}
	require.Equal(t, "112233/000000/000000/000000/000000/112233 s", r.FormatPosition(all.At(0)))
	require.Zero(t, MustParse("kang").Setups().Len())
}

// On two rows there are 12!/(2!2!2!6!) arrangements, none of which can be told from its image on a
// row of its own.
func TestSetupsOnTwoRows(t *testing.T) {
	t.Parallel()
	all := MustParse("cosmoludo").Setups()
	const each = 83160
	self := int64(6 * 5 * 4) // one of six places and its image for each height
	require.Equal(t, (int64(each)*each+self*self)/2, all.Len())
	last := all.At(all.Len() - 1)
	require.Equal(t, 12, last.Occupied().Count())
	require.NotEqual(t, last, all.At(all.Len()-2))
}

// optionValues returns rule sets that have each value of each option: of a number the lowest, the
// highest and the usual one.
func optionValues() []string {
	var sets []string
	for _, base := range []string{"standard", "kang"} {
		for _, opt := range MustParse(base).Options().List() {
			values := opt.Enum()
			if low, high, ok := strings.Cut(opt.Tag.Get("check"), ".."); ok {
				values = []string{low, opt.Text(), high}
			}
			for _, v := range values {
				sets = append(sets, base+":"+opt.Key+"="+v)
			}
		}
	}
	return sets
}

// Under each value of each option the set-ups that are drawn, those that are listed and those that
// players can place are the same.
func TestSetupsAgreeUnderAllOptions(t *testing.T) {
	t.Parallel()
	sets := optionValues()
	require.Contains(t, sets, "standard:setup_zone=two_rows")
	require.Contains(t, sets, "kang:kang_entry=optional")
	for _, set := range sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			r := MustParse(set)
			rng := rand.New(rand.NewPCG(5, 6))
			all := r.Setups()
			if r.Options().Kang {
				require.Equal(t, r.Start(), r.RandomSetup(rng))
				require.False(t, r.SettingUp(r.Start()))
				require.Zero(t, all.Len())
				return
			}
			var drawn, listed, placed [NumSquares][4]bool // where a piece of each height stood
			for range 400 {
				p := r.RandomSetup(rng)
				require.True(t, isListed(all, p), "drawn, but not listed: %s", r.FormatPosition(p))
				requirePlaceable(t, r, p, rng)
				note(&drawn, p)

				p = all.At(rng.Int64N(all.Len()))
				requirePlaceable(t, r, p, rng)
				note(&listed, p)
				note(&listed, p.Mirror())

				p = placedAtRandom(r, rng)
				require.True(t, isListed(all, p), "placed, but not listed: %s", r.FormatPosition(p))
				note(&placed, p)
			}
			require.Equal(t, placed, drawn)
			require.Equal(t, placed, listed)
		})
	}
}

func note(seen *[NumSquares][4]bool, p Position) {
	for s := range Square(NumSquares) {
		seen[s][p.At(s)] = true
	}
}

// isListed reports whether a set-up or its mirror image is among those listed, which are in the
// order of their digits.
func isListed(all *Setups, p Position) bool {
	digits := func(p Position) (list []Height) {
		for s := range Square(NumSquares) {
			list = append(list, p.At(s))
		}
		return list
	}
	for _, wanted := range []Position{p, p.Mirror()} {
		k := sort.Search(int(all.Len()), func(k int) bool {
			return slices.Compare(digits(all.At(int64(k))), digits(wanted)) >= 0
		})
		if k < int(all.Len()) && all.At(int64(k)) == wanted {
			return true
		}
	}
	return false
}

// placedAtRandom returns the position after placements of all pieces, each by chance.
func placedAtRandom(r *Rules, rng *rand.Rand) Position {
	g := NewGame(r, r.Start())
	for r.SettingUp(g.Position()) {
		g.PlayLegal(g.Legal().At(rng.IntN(g.Legal().Len())))
	}
	return g.Position()
}

// requirePlaceable places the pieces of a set-up, in whatever order the rules ask for.
func requirePlaceable(t *testing.T, r *Rules, setup Position, rng *rand.Rand) {
	g := NewGame(r, r.Start())
	for r.SettingUp(g.Position()) {
		var wanted []Move
		for i := range g.Legal().Len() {
			m := g.Legal().At(i)
			next := r.Apply(g.Position(), m)
			missing := func(s Square) bool { return next.At(s) != 0 && next.At(s) != setup.At(s) }
			if !slices.ContainsFunc(slices.Collect(next.Occupied().All()), missing) {
				wanted = append(wanted, m)
			}
		}
		require.NotEmpty(t, wanted, "%s can't be placed after %v", r.FormatPosition(setup), g.Moves())
		g.PlayLegal(wanted[rng.IntN(len(wanted))])
	}
	require.Equal(t, setup, g.Position())
	o, _ := g.Outcome()
	require.Equal(t, Undecided, o)
}
