package rules

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A move only repeats exactly when it is legal without the two rules and isn't with them.
func TestOnlyRepeats(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"standard", "simplified", "kang", "standard:null_move=allow"} {
		strict := MustParse(name)
		o := strict.Options()
		o.NullMove, o.Repetition = AllowNull, NoRepetition
		loose, err := New("loose", o)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(1, 2))
		repeats := 0
		for range 10 {
			g := NewGame(strict, strict.RandomSetup(rng))
			for range 60 {
				if o, _ := g.Outcome(); o != Undecided {
					break
				}
				free := NewGame(loose, g.Position())
				for m := range free.Legal().All() {
					require.Equal(t, g.Check(m) != nil, g.OnlyRepeats(m), "%v", m)
					if g.OnlyRepeats(m) {
						repeats++
					}
				}
				for m := range g.Legal().All() {
					require.False(t, g.OnlyRepeats(m))
				}
				g.PlayLegal(g.Legal().At(rng.IntN(g.Legal().Len())))
			}
		}
		require.Positive(t, repeats, name)
		settingUp := NewGame(strict, strict.Start())
		require.False(t, settingUp.OnlyRepeats(Pass))
		require.False(t, settingUp.OnlyRepeats(NoMove))
	}
}
