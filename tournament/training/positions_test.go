package training

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/texel"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
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

// The metadata of positions name the first agents in their games, and say if there were more.
func TestAgentsOfPositions(t *testing.T) {
	t.Parallel()
	for n, more := range map[int]bool{maxAgents: false, maxAgents + 2: true} {
		dir := t.TempDir()
		var text []byte
		for i := range n {
			name := fmt.Sprintf("random:id=%03d", i)
			line, err := record.Lines(runtest.DrawGame("simplified", int64(i), name, name))
			require.NoError(t, err)
			text = append(text, line...)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.GamesFile), text, 0o600))
		_, err := new(Positions).Extract(t.Context(), testEnv(Observer{}), dir, nil)
		require.NoError(t, err)
		metadata, err := dataset.Provenance(filepath.Join(dir, PositionsDir))
		require.NoError(t, err)
		agents := strings.Fields(metadata["agents"])
		require.Equal(t, more, agents[len(agents)-1] == "…")
		require.Equal(t, fmt.Sprintf("random:id=%03d", maxAgents-1), agents[maxAgents-1])
	}
}
