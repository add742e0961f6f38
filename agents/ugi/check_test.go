package ugi

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// check returns the results of a check of a test engine by the point's name.
func check(t *testing.T, args ...string) (results map[string]CheckResult, passed int) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	results = map[string]CheckResult{}
	passed, points, err := Check(t.Context(), append([]string{exe}, args...), "",
		func(r CheckResult) { results[r.Name] = r })
	require.NoError(t, err)
	require.Equal(t, 12, points)
	return results, passed
}

func TestCheckedEngines(t *testing.T) {
	const boards, win, stop, time = "moves on 20 boards", "plays a win in one", "answers stop, once", "keeps to maxTime"
	for habit, want := range map[string]map[string]Verdict{
		"good":    {},
		"exit":    {boards: Fail, win: Note, time: Fail},
		"illegal": {boards: Fail, win: Fail, time: Fail},
		"twice":   {boards: Fail, win: Note, stop: Fail},
		"thrice":  {boards: Fail, win: Note, stop: Fail},
		"deaf":    {win: Note, "exits on quit": Note, "exits at end of input": Note},
		"public":  {"exits at end of input": Note},
	} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			results, passed := check(t, habit)
			require.Len(t, results, 12)
			found, failed := map[string]Verdict{}, 0
			for name, r := range results {
				if r.Verdict != Pass {
					found[name] = r.Verdict
				}
				if r.Verdict == Fail {
					failed++
				}
			}
			require.Equal(t, want, found, "%v", results)
			require.Equal(t, 12-failed, passed)
		})
	}
}

func TestCheckIsCancelled(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = Check(ctx, []string{exe, "good"}, "", func(CheckResult) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}
