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

// Of an engine that doesn't start nothing else is checked, in one line.
func TestCheckStillbornEngine(t *testing.T) {
	results, passed := check(t, "stillborn")
	require.Zero(t, passed)
	const first, rest = "starts and sends ugiok", "11 more points"
	require.Equal(t, map[string]CheckResult{
		first: {first, Fail, `the engine ended (exit status 7): no weights found\x1b[2J`},
		rest:  {rest, Skip, "not checked, since the engine doesn't start"},
	}, results)
}

func TestCheckIsCancelled(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{exe, "good"}, "context canceled"}, {[]string{"no-such-engine"}, "executable file not found"},
		{nil, "expected cmd=PROGRAM"},
	} {
		_, _, err = Check(ctx, c.command, "", func(CheckResult) { cancel() })
		require.ErrorContains(t, err, c.want)
	}
}
