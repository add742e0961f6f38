//go:build unix

package main

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ctrl-C ends a command that waits for a pipe that nobody writes to. Where the
// file is read more than once a pipe is refused.
func TestPipeInPlaceOfAFile(t *testing.T) {
	for args, refused := range map[string]string{
		"rate PIPE":               "",
		"games PIPE":              "",
		"games show PIPE 5":       "",
		"export PIPE":             "",
		"import PIPE --out new":   "",
		"export - -o PIPE":        "",
		"report PIPE":             "",
		"perft --epd PIPE":        "",
		"openings PIPE":           "",
		"tactics run PIPE":        "",
		"tournament PIPE":         "",
		"selfplay PIPE":           "",
		"train PIPE":              "",
		"tune spsa PIPE":          "",
		"tune texel PIPE":         "",
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
			require.Contains(t, errText, pipe+": expected a regular file, found a pipe or a device")
		})
	}
}

// A line without an end is refused wherever lines are read.
func TestDeviceInPlaceOfAFile(t *testing.T) {
	for args, want := range map[string]string{
		"rate /dev/zero":             "/dev/zero: line 1: expected at most 16777216 bytes",
		"import /dev/zero --out new": "/dev/zero: line 1: expected at most 16777216 bytes",
		"rate --strict /dev/zero":    "/dev/zero: line 1: expected at most 16777216 bytes",
		"games /dev/zero":            "/dev/zero:1: expected a record of at most 16777216 bytes",
		"export /dev/zero":           "/dev/zero:1: expected a record of at most 16777216 bytes",
		"perft --epd /dev/zero":      "/dev/zero:1: expected at most 4096 bytes",
		"openings /dev/zero":         "/dev/zero:1: expected a line of at most 4096 bytes",
		"tactics run /dev/zero":      "/dev/zero:1: expected at most 65536 bytes",
		"tournament /dev/zero":       "/dev/zero: expected a file of at most 1048576 bytes",
		"tune spsa /dev/zero":        "/dev/zero: expected a file of at most 1048576 bytes",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			code, _, errText := gyges(t.Context(), "", strings.Fields(args)...)
			require.Equal(t, exitUsage, code, errText)
			require.Contains(t, errText, want)
		})
	}
}
