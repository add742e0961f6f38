package training

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/texel"
	"gyges/rules"
)

// writeSplits writes a folder of training positions, named by letters: the positions of each split.
func writeSplits(t *testing.T, r *rules.Rules, letters [dataset.NumSplits]string) string {
	t.Helper()
	var splits [dataset.NumSplits][]*dataset.Position
	for split, list := range letters {
		for _, letter := range list {
			p := dataset.Position{
				Rules: r, Position: r.RandomSetup(rand.New(rand.NewPCG(uint64(letter), 0))), Game: int64(letter), ToEnd: 1, Wins: 1,
			}
			if letter >= 'A' && letter <= 'Z' { // a win with the next move
				p.Score, p.Scored = 29999, true
			}
			splits[split] = append(splits[split], &p)
		}
	}
	dir := filepath.Join(t.TempDir(), "positions")
	require.NoError(t, dataset.Write(t.Context(), dir, splits, map[string]string{"made": dir}))
	return dir
}

// No position is in two splits over all folders: what is trained on is left out of validation and test, and what
// validates out of test. The same folder, by another path or as a copy, counts once.
func TestPositionsOfFolders(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("simplified")
	a := writeSplits(t, r, [dataset.NumSplits]string{"abX", "p", "cdp"})
	b := writeSplits(t, r, [dataset.NumSplits]string{"ce", "abq", "aeqtX"})
	link, copied := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.Symlink(b, link))
	require.NoError(t, os.CopyFS(copied, os.DirFS(a)))
	env := testEnv(Observer{})
	in := newPositionReader(&env, r, a, b, a+"/", link, copied)
	require.Equal(t, []string{a, b}, in.folders)
	in.choice = texel.Choice{Leaves: true}
	read := func() (found [dataset.NumSplits]string) {
		for split := range found {
			for p, err := range in.positions(t.Context(), dataset.Split(split)) {
				require.NoError(t, err)
				if !in.choice.Excludes(&p) {
					found[split] += string(rune(p.Game))
				}
			}
		}
		return found
	}
	require.Equal(t, [dataset.NumSplits]string{"abce", "pq", "dt"}, read())
	require.Equal(t, 7, in.leftOut, "c and p of the first, a and b, and a, e and q of the second")
	in.folders = in.folders[1:]
	require.Equal(t, [dataset.NumSplits]string{"ce", "q", "t"}, read(), "what the other folder trains on stays left out")
}
