package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament/training"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// folderFiles returns the files of a folder by their names.
func folderFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(text)
	}
	return all
}

const smallSPSA = `
agent: alphabeta:depth=1,hash=1
rules: simplified
parameters:
  weight.mobility: {c: 20, start: -50, r: 0.05}
  lmp_share: {c: 100, min: 0, max: 900}
steps: 12
pairs: 3
verification: {every: 5, pairs: 4}
`

// history and weights of a run are the same whatever the workers, and when it is
// stopped in the middle of anything and gone on with.
func TestTuningRunsRepeatThemselves(t *testing.T) {
	t.Parallel()
	config := writeConfig(t, smallSPSA)
	dir := t.TempDir()
	tune := func(ctx context.Context, out string, more ...string) (int, string) {
		code, _, errText := gyges(ctx, "", append([]string{"tune", "spsa", config, "--out", filepath.Join(dir, out)},
			more...)...)
		return code, errText
	}
	files := func(out string) string {
		var all string
		for _, name := range []string{training.HistoryFile, training.WeightsFile, training.ManifestFile} {
			data, err := os.ReadFile(filepath.Join(dir, out, name))
			require.NoError(t, err)
			all += string(data)
		}
		entries, err := os.ReadDir(filepath.Join(dir, out))
		require.NoError(t, err)
		require.Len(t, entries, 3, "the games of steps are gone")
		return all
	}
	code, errText := tune(t.Context(), "one", "--workers", "1")
	require.Zero(t, code, errText)
	code, errText = tune(t.Context(), "three", "--workers", "3")
	require.Zero(t, code, errText)
	require.Equal(t, files("one"), files("three"))

	// All steps were made, but not the result: as after a kill in between.
	code, errText = tune(t.Context(), "three")
	require.Zero(t, code, errText)
	require.Equal(t, files("one"), files("three"))

	stops := 0
	for code = exitInterrupted; code == exitInterrupted; stops++ {
		require.Less(t, stops, 200)
		ctx, cancel := context.WithCancel(t.Context())
		path := filepath.Join(dir, "stopped", training.HistoryFile)
		go stopAtNextStep(ctx, cancel, path)
		code, errText = tune(ctx, "stopped")
		if cancel(); code == exitInterrupted {
			require.Contains(t, errText, "Stopped. Go on with the same command and --out "+filepath.Join(dir, "stopped"))
		}
	}
	require.Zero(t, code, errText)
	require.Greater(t, stops, 1)
	require.Equal(t, files("one"), files("stopped"))

	path := filepath.Join(dir, "one", training.HistoryFile)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(whole), "mobility", "charm")), 0o600))
	code, errText = tune(t.Context(), "one")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errText, "expected the history of this run, found one of other parameters")
}

// A tuning without verification says so, with a match against the agent at the start, which isn't that of the spec.
func TestUnverifiedTuning(t *testing.T) {
	t.Parallel()
	config := writeConfig(t, strings.Replace(smallSPSA, "verification: {every: 5, pairs: 4}", "limits: {nodes: 300}", 1))
	out := filepath.Join(t.TempDir(), "out")
	code, text, errText := gyges(t.Context(), "", "tune", "spsa", config, "--out", out)
	require.Zero(t, code, errText)
	require.Regexp(t, `\nA match against the start: gyges match alphabeta:depth=1,hash=1,weight.mobility=-?[\d.]+,lmp_share=\d+,`+
		`name=new alphabeta:depth=1,hash=1,weight.mobility=-50,lmp_share=250,name=old --rules simplified --nodes 300\n`+
		`Verdict: nothing was verified, so no gain is shown; play this match, or give verification.pairs\n$`, text)
}

// An engine whose start is interrupted is no mistake in the file.
func TestInterruptedStartOfATuning(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	config := writeConfig(t, fmt.Sprintf("agent: 'ugi:cmd=\"%s\" -test.list=^$'\nparameters: {opt.x: {c: 1}}\n", program))
	out := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, errText := gyges(ctx, "", "tune", "spsa", config, "--out", out)
	require.Equal(t, exitInterrupted, code, errText)
	require.NotContains(t, errText, "agent")
	require.NoDirExists(t, out)
}

// stopAtNextStep cancels when a history has grown.
func stopAtNextStep(ctx context.Context, cancel func(), path string) {
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for before := size(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if size() > before {
			cancel()
		}
	}
}
