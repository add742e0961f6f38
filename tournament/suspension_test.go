package tournament

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// An agent that only loses by faults is kept out of the games that are left, at the same game
// whatever the number of workers and however often the run was stopped; the others play on.
func TestSuspension(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "error", "scored", "random:id=1")
	c.Rules, c.Pairs, c.Suspend, c.Workers = []*rules.Rules{rules.MustParse("simplified")}, 25, 5, 1
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, Finished, s.Status)
	require.EqualValues(t, 5, s.Faults)
	row, notPlayed := 0, 0
	for i, g := range readGames(t, c.Out) {
		require.EqualValues(t, i, g.Game)
		requireSound(t, g)
		there := g.South.Agent == "error" || g.North.Agent == "error"
		switch {
		case !there:
			require.Nil(t, g.Fault)
			require.NotEmpty(t, g.Moves)
		case row < 5:
			require.Equal(t, record.FaultError, g.Fault.Kind)
			row++
		default:
			require.Equal(t, "suspended", g.Reason)
			require.Equal(t, "after 5 faults in a row", g.Fault.Detail)
			require.Equal(t, g.Fault.Side == "south", g.South.Agent == "error")
			require.Equal(t, map[bool]string{true: "0-1", false: "1-0"}[g.Fault.Side == "south"], g.Result)
			require.Empty(t, g.Moves)
			notPlayed++
		}
	}
	require.Equal(t, 3*2*25-5, notPlayed)
	want := timeless(t, c.Out)

	c.Out, c.Workers = t.TempDir(), 4
	for _, n := range []int64{4, 12, 30, 60} {
		_, _ = stopAfter(t, c, n) // it may have ended before it stops
	}
	_, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
}

// A game without a fault of its own sets the count of an agent back to nothing.
func TestFaultsInARow(t *testing.T) {
	s := newSuspensions(2, 3)
	south, north := &record.Fault{Side: "south"}, &record.Fault{Side: "north"}
	for _, step := range []struct {
		seated [2]int
		fault  *record.Fault
		want   bool
	}{
		{[2]int{0, 1}, south, false},
		{[2]int{0, 1}, nil, false},
		{[2]int{0, 1}, south, false},
		{[2]int{1, 0}, south, false}, // 1's, so it says 0 played well
		{[2]int{2, 0}, north, false},
		{[2]int{1, 2}, south, true},
		{[2]int{1, 0}, &record.Fault{Side: "south", Kind: record.FaultSuspended}, false},
		{[2]int{0, 2}, south, true},
	} {
		require.Equal(t, step.want, s.note(step.seated, step.fault), step)
	}
	require.Equal(t, []bool{true, true, false}, []bool{s.has(0), s.has(1), s.has(2)})

	both := newSuspensions(2, 2)
	require.False(t, both.note([2]int{0, 1}, north))
	require.False(t, both.note([2]int{1, 0}, north))
	require.True(t, both.note([2]int{0, 1}, south))
	require.False(t, both.note([2]int{1, 0}, south), "1 has played well between its faults")

	alone := newSuspensions(1, 1)
	require.False(t, alone.note([2]int{}, south))
	require.False(t, alone.note([2]int{}, north), "against itself it wins, too")

	never := newSuspensions(0, 2)
	for range 100 {
		require.False(t, never.note([2]int{0, 1}, south))
	}
}

// With no opponent left the run stops, and goes on when no agent is suspended any more.
func TestSuspensionStopsTheRun(t *testing.T) {
	for _, format := range []schedule.Name{schedule.RoundRobin, "gauntlet", "ladder"} {
		c := testConfig(t, "illegal", "random")
		switch format {
		case "gauntlet":
			c = testConfig(t, "illegal", "random", "scored")
		case "ladder": // the two others don't meet
			c = testConfig(t, "random", "illegal", "scored")
		}
		c.Rules, c.Pairs, c.Suspend, c.Schedule = []*rules.Rules{rules.MustParse("simplified")}, 30, 3, format
		for range 2 { // again when it goes on
			s, err := Run(t.Context(), c, testRegistry(nil), nil)
			require.ErrorContains(t, err, "too few agents are left: illegal lost 3 games in a row by faults; the ")
			require.Equal(t, Failed, s.Status)
			require.Equal(t, Failed, readManifest(t, c.Out).Status)
		}
		c.Suspend = 0
		s, err := Run(t.Context(), c, testRegistry(nil), nil)
		require.NoError(t, err)
		require.Greater(t, s.Faults, s.Scheduled/2)
	}
}

// A run that ends at an error ends when those that still meet are rated within it: once b is
// suspended in a ladder, a has no opponent.
func TestUntilErrorWithoutTheSuspended(t *testing.T) {
	c := testConfig(t, "random:name=a", "error", "random:name=c", "random:name=d")
	c.Rules, c.Pairs, c.Suspend, c.Schedule = []*rules.Rules{rules.MustParse("simplified")}, 1000, 3, "ladder"
	c.UntilError = 60
	s, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.NoError(t, err)
	require.True(t, s.Decided)
}
