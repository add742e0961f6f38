package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// With --verify rate and report count only games whose moves show their result; a run doesn't resume with others.
func TestVerify(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	call := func(args ...string) (code int, out, errText string) {
		t.Helper()
		return gyges(t.Context(), "", args...)
	}
	play := []string{
		"tournament", "--agent", "random", "--agent", "greedy", "--pairs", "4", "--rules", "simplified", "--out", run,
	}
	code, _, errText := call(play...)
	require.Zero(t, code, errText)
	path := filepath.Join(run, "games.jsonl")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	rated := func(verify ...string) string {
		t.Helper()
		code, out, errText := call(append([]string{"rate", run, "--format", "json"}, verify...)...)
		require.Zero(t, code, errText)
		return out
	}
	require.Contains(t, rated("--verify"), `"games": 8,`)
	require.Equal(t, rated(), rated("--verify"))

	plain := regexp.MustCompile(`,"crc32c":"[0-9a-f]*"`).ReplaceAllString(string(good), "")
	for want, change := range map[string]func(line string) string{
		"expected 0-1 by goal, found 1-0 by goal": func(line string) string {
			return strings.Replace(line, `"result":"0-1"`, `"result":"1-0"`, 1)
		},
		"expected 0-1 by goal, found 0-1 by boredom": func(line string) string {
			return strings.Replace(line, `"reason":"goal"`, `"reason":"boredom"`, 1)
		},
		"north: expected greedy, found master": func(line string) string {
			return strings.Replace(line, `"north":{"agent":"greedy"`, `"north":{"agent":"master"`, 1)
		},
		"seed of south: expected": func(line string) string {
			return regexp.MustCompile(`"seed":"\d`).ReplaceAllString(line, `"seed":"`)
		},
		"opening: expected": func(line string) string {
			return regexp.MustCompile(`"opening":"...`).ReplaceAllString(line, `"opening":"111`)
		},
	} {
		lines := strings.SplitAfter(plain, "\n")
		require.Contains(t, lines[0], `"result":"0-1","reason":"goal"`)
		lines[0] = change(lines[0])
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
		require.Contains(t, rated(), `"games": 8,`)
		left := rated("--verify")
		require.Contains(t, left, `"games": 7,`)
		require.Contains(t, left, "left out: 1 game that can't be read; the first is "+path+":1: game 0: "+want)
		code, _, errText := call("rate", run, "--verify", "--strict")
		require.Equal(t, 2, code)
		require.Contains(t, errText, path+":1: game 0: "+want)
		code, _, errText = call("report", run, "--verify", "-o", filepath.Join(run, "x.html"))
		require.Zero(t, code, errText)
		require.Contains(t, errText, "left out: "+path+":1: game 0: "+want)
		code, _, errText = call(play...)
		require.Equal(t, 2, code, errText)
		require.Contains(t, errText, "games.jsonl:1: game 0: "+want)
		require.Contains(t, errText, "; without this line its games are played again")
	}
}
