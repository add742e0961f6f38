//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe or a device in place of a file is refused, at once, wherever a command reads one.
func TestPipeInPlaceOfAFile(t *testing.T) {
	for _, args := range []string{
		"rate PIPE", "rate /dev/zero", "games PIPE", "games show PIPE 5", "export PIPE", "import PIPE --out new",
		"report PIPE", "report /dev/zero", "review PIPE", "perft --epd PIPE", "openings PIPE", "tactics run PIPE",
		"tournament PIPE", "selfplay PIPE", "train PIPE", "tune spsa /dev/zero", "tune texel PIPE",
		"play --south alphabeta:weights=PIPE --north random",
		"tournament --agent random --agent greedy --openings file:PIPE",
		"worker --nats nats://h:1 --nats-creds PIPE",
		"worker --nats nats://h:1 --tls-ca PIPE",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			pipe := filepath.Join(t.TempDir(), "pipe.yaml")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			words := strings.Fields(strings.ReplaceAll(args, "PIPE", pipe))
			code, _, errText := gyges(t.Context(), "", words...)
			require.Equal(t, exitUsage, code, errText)
			require.Contains(t, errText, ": expected a regular file, found a pipe or a device")
		})
	}
}

// A pipe among the files of a run is noted, and not waited for.
func TestPipeInARun(t *testing.T) {
	t.Chdir(t.TempDir())
	code, _, errText := gyges(t.Context(), "", "match", "greedy", "random", "--rules", "simplified", "--pairs", "1", "--out", "run")
	require.Zero(t, code, errText)
	for _, name := range []string{"history.jsonl", "reviews.jsonl", "tuning.json"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join("run", name), 0o600))
	}
	code, page, errText := gyges(t.Context(), "", "report", "run", "-o", "-")
	require.Zero(t, code, errText)
	require.Equal(t, 3, strings.Count(page, ": expected a regular file, found a pipe or a device"))
}
