package alphabeta

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// The picker yields each move once, the suggested ones first, whether or not suggestions are legal
// or the same.
func TestPickerYieldsEachMoveOnce(t *testing.T) {
	r := rules.MustParse("standard")
	rng := rand.New(rand.NewPCG(1, 9))
	for range 20 {
		g := agenttest.RandomGame(r, rng, rng.IntN(20))
		a := agenttest.New(t, Kind(), "alphabeta:hash=1", g).(*player)
		s := &a.searches[0]
		s.begin(g, nil, budget{ctx: context.Background()})
		var ms rules.MoveSet
		g.LegalMoves(&ms)
		one, other := ms.At(rng.IntN(ms.Len())), ms.At(rng.IntN(ms.Len()))
		for depth := 1; depth <= 2; depth++ {
			f := &s.stack[0]
			f.moves = ms
			safe := ms
			r.QuickEvasions(g.Position(), &safe)
			want := map[rules.Move]bool{one: true, other: true}
			for m := range safe.All() {
				want[m] = true
			}
			k := movePicker{first: [3]rules.Move{one, one, other}}
			seen := map[rules.Move]bool{}
			for m := s.nextMove(&k, f, g.Position(), depth); m != rules.NoMove; m = s.nextMove(&k, f, g.Position(), depth) {
				require.True(t, ms.Contains(m))
				require.False(t, seen[m], "%v comes twice", m)
				seen[m] = true
				require.True(t, seen[one], "the first suggestion comes first")
				require.True(t, len(seen) < 2 || seen[other])
			}
			require.Equal(t, want, seen, "all but those that the quick filter removes")
		}
	}
}
