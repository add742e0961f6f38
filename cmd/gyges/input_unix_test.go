//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe or a device in place of a file is refused; Ctrl-C ends a command that waits for a pipe that
// nobody reads.
func TestPipeInPlaceOfAFile(t *testing.T) {
	for args, refused := range map[string]string{
		"rate /dev/zero":          "regular file",
		"rate PIPE":               "regular file",
		"games PIPE":              "regular file",
		"games show PIPE 5":       "regular file",
		"export PIPE":             "regular file",
		"import PIPE --out new":   "regular file",
		"export - -o PIPE":        "",
		"report PIPE":             "regular file",
		"perft --epd PIPE":        "regular file",
		"openings PIPE":           "regular file",
		"tactics run PIPE":        "regular file",
		"tournament PIPE":         "regular file",
		"selfplay PIPE":           "regular file",
		"train PIPE":              "regular file",
		"tune spsa PIPE":          "regular file",
		"tune texel PIPE":         "regular file",
		"rules PIPE.yaml":         "regular file",
		"moves --rules PIPE.yaml": "regular file",
		"play --south alphabeta:weights=PIPE --north random":                      "regular file",
		"tournament --agent random --agent greedy --openings file:PIPE --dry-run": "regular file",
		"worker --nats nats://h:1 --nats-user u --nats-password-file PIPE":        "regular file",
		"worker --nats nats://h:1 --tls-ca PIPE":                                  "regular file",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			pipe := filepath.Join(t.TempDir(), "pipe.yaml")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			words := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(args, "PIPE.yaml", "PIPE"), "PIPE", pipe))
			ctx, cancel := context.WithCancel(t.Context())
			if refused == "" {
				cancel()
			}
			defer cancel()
			code, _, errText := gyges(ctx, "", words...)
			if refused == "" {
				require.Equal(t, exitInterrupted, code, errText)
				require.Empty(t, errText)
				return
			}
			require.Equal(t, exitUsage, code, errText)
			require.Contains(t, errText, ": expected a regular file, found a pipe or a device")
		})
	}
}

// A line without an end is refused wherever lines are read.
func TestEndlessLine(t *testing.T) {
	for args, want := range map[string]string{
		"rate zero":             "zero: line 1: expected at most 16777216 bytes",
		"import zero --out new": "zero: line 1: expected at most 16777216 bytes",
		"rate --strict zero":    "zero: line 1: expected at most 16777216 bytes",
		"games zero":            "zero:1: expected a record of at most 16777216 bytes",
		"export zero":           "zero:1: expected a record of at most 16777216 bytes",
		"perft --epd zero":      "zero:1: expected a line of at most 4096 bytes",
		"openings zero":         "zero:1: expected a line of at most 4096 bytes",
		"tactics run zero":      "zero:1: expected at most 65536 bytes",
		"tournament zero":       "zero: expected a file of at most 1048576 bytes",
		"tune spsa zero":        "zero: expected a file of at most 1048576 bytes",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("zero", nil, 0o600))
			require.NoError(t, os.Truncate("zero", 80<<20)) // a hole: it takes no room
			code, _, errText := gyges(t.Context(), "", strings.Fields(args)...)
			require.Equal(t, exitUsage, code, errText)
			require.Contains(t, errText, want)
		})
	}
}
