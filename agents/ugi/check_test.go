package ugi

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkHabit returns the verdicts on a test engine by the point's name.
func checkHabit(t *testing.T, args ...string) map[string]CheckResult {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	results := map[string]CheckResult{}
	require.NoError(t, Check(t.Context(), append([]string{exe}, args...), "", func(r CheckResult) { results[r.Name] = r }))
	require.Len(t, results, 12)
	return results
}

func TestCheckGoodEngines(t *testing.T) {
	for name, r := range checkHabit(t, "good") {
		require.Equal(t, Pass, r.Verdict, "%s: %s", name, r.Detail)
	}
	for name, r := range checkHabit(t, "server", "alphabeta:hash=1,depth=2") {
		require.Equal(t, Pass, r.Verdict, "%s: %s", name, r.Detail)
	}
}

func TestCheckBadEngines(t *testing.T) {
	const boards = "moves on 20 boards"
	for habit, want := range map[string]map[string]Verdict{
		"exit":    {"starts and sends ugiok": Pass, "moves after setpos start": Pass, boards: Fail, "exits on quit": Pass},
		"illegal": {boards: Fail, "plays a win in one": Fail, "ignores unknown commands": Pass},
		"garbage": {boards: Fail},
		"null":    {boards: Fail},
		"twice":   {"answers stop, once": Fail},
		"thrice":  {"answers stop, once": Fail},
		"deaf":    {boards: Pass, "exits on quit": Note, "exits at end of input": Note},
		"public":  {boards: Pass, "plays a win in one": Pass, "exits on quit": Pass, "exits at end of input": Note},
	} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			results := checkHabit(t, habit)
			for name, verdict := range want {
				require.Equal(t, verdict, results[name].Verdict, "%s: %s", name, results[name].Detail)
			}
		})
	}
}

// Of an engine that doesn't start nothing else is checked, in one line.
func TestCheckStillbornEngine(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	var results []CheckResult
	require.NoError(t, Check(t.Context(), []string{exe, "stillborn"}, "", func(r CheckResult) { results = append(results, r) }))
	require.Equal(t, []CheckResult{
		{"starts and sends ugiok", Fail, `the engine ended (exit status 7): no weights found\x1b[2J`},
		{"11 more points", Skip, "not checked, since the engine doesn't start"},
	}, results)
}

func TestCheckIsCancelled(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	err = Check(ctx, []string{exe, "good"}, "", func(CheckResult) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, Check(t.Context(), []string{"no-such-engine"}, "", nil), "executable file not found")
	require.ErrorContains(t, Check(t.Context(), nil, "", nil), "expected cmd=PROGRAM")
}
