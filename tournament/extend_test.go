package tournament

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// A run that goes on with further agents and pairs has the records of one that had them from the
// beginning, plays only what is missing, and says so, whether it had ended, was stopped or was
// killed.
func TestExtendByAgents(t *testing.T) {
	t.Parallel()
	for _, f := range []schedule.Name{"round-robin", "gauntlet", "ladder", "self-play"} {
		for _, stop := range []string{"finished", "stopped", "killed", "killed while it was extended", "in the middle"} {
			c := formatConfig(t, f, 5)
			c.Pairs, c.Workers = 3, 3
			_, err := Run(t.Context(), c, testRegistry(nil), nil)
			require.NoError(t, err)
			want, all := timeless(t, c.Out), c
			c.Out, c.Pairs, c.Agents = t.TempDir(), 2, c.Agents[:3]
			if stop == "in the middle" {
				if f != "round-robin" && f != "self-play" {
					continue
				}
				c.Agents = []agents.Spec{all.Agents[0], all.Agents[3], all.Agents[4]}
			}
			if stop == "stopped" {
				_, _ = stopAfter(t, c, 3) // it may be through by then
			} else {
				_, err = Run(t.Context(), c, testRegistry(nil), nil)
				require.NoError(t, err)
			}
			games := filepath.Join(c.Out, GamesFile)
			text, err := os.ReadFile(games)
			require.NoError(t, err)
			if stop == "killed" {
				text = text[:2*len(text)/3]
				require.NoError(t, os.WriteFile(games, text, 0o644))
			}
			before := int64(strings.Count(string(text), "\n"))
			all.Out, all.Extend = c.Out, true
			if stop == "killed while it was extended" {
				require.NoError(t, os.Rename(games, filepath.Join(c.Out, aheadFile)))
			}
			began := int64(0)
			all.OnBegin = func(kept int64, _ func(int64) bool) { began = kept }
			s, err := Run(t.Context(), all, testRegistry(nil), nil)
			require.NoError(t, err, "%s %s", f, stop)
			require.Equal(t, want, timeless(t, all.Out), "%s %s", f, stop)
			require.Equal(t, []int64{before, before}, []int64{began, s.Kept}, "%s %s", f, stop)
			require.Equal(t, all.Agents, readManifest(t, all.Out).Config.Agents)
			all.Extend = false
			requireResumes(t, all, want)
		}
	}
}

// Who is suspended, and when, follows from the games in their new order.
func TestExtendASuspension(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "error", "scored", "panic:after=3", "random:id=1")
	c.Rules, c.Pairs, c.Suspend, c.Workers = []*rules.Rules{rules.MustParse("simplified")}, 20, 5, 3
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	want, all := timeless(t, c.Out), c
	c.Out, c.Agents = t.TempDir(), c.Agents[:3]
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	all.Out, all.Extend = c.Out, true
	requireResumes(t, all, want)
}

func TestExtendByAgentsRefuses(t *testing.T) {
	t.Parallel()
	names := func(ids ...int) (list []agents.Spec) {
		for _, id := range ids {
			list = append(list, agents.Spec{Kind: "random", Params: []agents.Param{{Name: "id", Value: fmt.Sprint(id)}}})
		}
		return list
	}
	for _, c := range []struct {
		format  schedule.Name
		agents  []agents.Spec
		message string
	}{
		{"swiss", nil, "holds a swiss tournament, which can't be extended"}, // by pairs
		{"swiss", names(0, 1, 2, 3, 4), "holds a swiss tournament, which can't be extended"},
		{"knockout", names(0, 1, 2, 3, 4), "holds a knockout tournament, which can't be extended"},
		{"round-robin", names(0, 1, 3, 4), "agents was"},
		{"round-robin", names(1, 0, 2), "agents was"},
		{"round-robin", names(1, 0, 2, 3), "now [\"random:id=1"},
		{"round-robin", names(0, 1, 2, 2), "is listed twice"},
		{"gauntlet", names(9, 0, 1, 2), "--extend plays the run's agents as they met, and others between or after them"},
		{"ladder", names(0, 9, 1, 2), "--extend plays the run's agents as they met"},
		{"round-robin", append(names(0, 1, 2), agents.Spec{Kind: "brokenstart"}), ""},
		{"round-robin", append(names(0, 1, 2), agents.Spec{Kind: "broken"}), "out of ideas"},
	} {
		old := formatConfig(t, c.format, 3)
		_, err := Run(t.Context(), old, testRegistry(nil), nil)
		require.NoError(t, err)
		want, manifest := timeless(t, old.Out), readManifest(t, old.Out)
		more := old
		more.Agents, more.Extend = c.agents, true
		if c.agents == nil {
			more.Agents, more.Pairs = old.Agents, old.Pairs+1
		}
		_, err = Run(t.Context(), more, testRegistry(nil), nil)
		if c.message == "" {
			require.NoError(t, err) // it fails in its games
			continue
		}
		require.ErrorContains(t, err, c.message)
		require.Equal(t, want, timeless(t, old.Out), "nothing was touched")
		require.Equal(t, manifest, readManifest(t, old.Out))
	}
	old := formatConfig(t, "round-robin", 3)
	_, err := Run(t.Context(), old, testRegistry(nil), nil)
	require.NoError(t, err)
	old.Agents = names(0, 1, 2, 3)
	_, err = Run(t.Context(), old, testRegistry(nil), nil)
	require.ErrorAs(t, err, new(*ExtendError))
}

// A stopped run has as many games when it goes on as it said, however often it is stopped.
func TestCountsOnResume(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "scored", "random:id=1")
	c.Pairs, c.Workers = 4, 1
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	want := timeless(t, c.Out)
	lines := slices.Collect(func(yield func(string) bool) {
		for _, g := range readGames(t, c.Out) {
			line, _ := record.Lines(g)
			if g.Game != 4 && g.Game != 7 && g.Game < 20 && !yield(string(line)) { // 18, 4 of them before the gap
				return
			}
		}
	})
	games := ""
	for _, l := range lines {
		games += l
	}
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, GamesFile), []byte(games), 0o644))
	began := int64(0)
	c.OnBegin = func(kept int64, has func(int64) bool) {
		began = kept
		require.True(t, has(3) && !has(4) && has(5) && has(6) && !has(7) && has(19) && !has(20))
	}
	s, err := stopAfter(t, c, 4) // those that were read
	require.Error(t, err)
	require.EqualValues(t, []int64{18, 18, 18}, []int64{began, s.Kept, s.Played})
	require.Len(t, readGames(t, c.Out), 18)
	c.OnBegin = func(kept int64, _ func(int64) bool) { began = kept }
	s, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, []int64{18, 18, s.Scheduled}, []int64{began, s.Kept, s.Played})
	require.Equal(t, want, timeless(t, c.Out))
}
