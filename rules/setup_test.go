package rules

import (
	"math/rand/v2"
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
		require.Equal(t, Undecided, r.Outcome(p))
		require.False(t, r.SettingUp(p))
		require.Equal(t, South, p.Side())
		require.False(t, seen[p], "each once")
		require.True(t, !seen[p.Mirror()], "or its image")
		seen[p] = true
	}
	require.Equal(t, "112233/000000/000000/000000/000000/112233 s", r.FormatPosition(all.At(0)))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		p := r.RandomSetup(rng)
		require.True(t, seen[p] || seen[p.Mirror()], "none is missing")
	}
	require.Zero(t, MustParse("kang").Setups().Len())
}

// On two rows there are 12!/(2!2!2!6!) arrangements, none of which can be told from its image on a row of its own.
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
