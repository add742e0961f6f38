package dataset

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
)

// played returns positions from random games, one from each ply.
func played(t testing.TB, name string, n int) []Position {
	t.Helper()
	r := rules.MustParse(name)
	rng := rand.New(rand.NewPCG(1, 2))
	var list []Position
	for game := int64(0); len(list) < n; game++ {
		g := rules.NewGame(r, r.RandomSetup(rng))
		for range 40 {
			if o, _ := g.Outcome(); o != rules.Undecided || len(list) == n {
				break
			}
			p, err := r.ParsePosition(r.FormatPosition(g.Position())) // forgets passes
			require.NoError(t, err)
			s := Position{Rules: r, Position: p, Game: game, Ply: int32(g.Ply()), ToEnd: 1 + rng.Int32N(50), Quiet: Quiet(r, p)}
			*[]*int32{&s.Wins, &s.Draws, &s.Losses}[rng.IntN(3)] = 1 + rng.Int32N(3)
			if rng.IntN(4) > 0 {
				s.Scored, s.Score = true, agents.Score(rng.IntN(601)-300)
			}
			moves := g.Legal()
			s.Move = moves.At(rng.IntN(moves.Len()))
			list = append(list, s)
			g.PlayLegal(s.Move)
		}
	}
	return list
}

// write writes positions to a new folder, round robin over the splits.
func write(t testing.TB, list []Position) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "positions")
	require.NoError(t, Write(t.Context(), dir, dealt(list), map[string]string{"agents": "random"}))
	return dir
}

// dealt returns positions round robin over the splits.
func dealt(list []Position) (splits [NumSplits][]*Position) {
	for i := range list {
		splits[i%NumSplits] = append(splits[i%NumSplits], &list[i])
	}
	return splits
}

// read reads a split to its end or its error, without the pointers.
func read(dir string, split Split, want *rules.Rules) ([]Position, error) {
	var list []Position
	for s, err := range Read(dir, split, want) {
		if err != nil {
			return list, err
		}
		list = append(list, s)
	}
	return list, nil
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"standard", "simplified", "kang", "standard:max_plies=100,null_move=allow"} {
		list := played(t, name, 4000)
		dir := write(t, list)
		var back [NumSplits][]Position
		for i := range back {
			var err error
			back[i], err = read(dir, Split(i), list[0].Rules)
			require.NoError(t, err)
		}
		for i, s := range list {
			require.Equal(t, s, back[i%NumSplits][i/NumSplits])
		}
		require.Len(t, slices.Concat(back[:]...), len(list))
		about, err := Provenance(dir)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"agents": "random"}, about)
	}
}
