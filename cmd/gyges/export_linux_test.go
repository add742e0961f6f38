package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An export that can't be written says so once, in every format.
func TestExportToFullDisk(t *testing.T) {
	const record = `{"game":%d,"pair":%d,"rules":"r","opening":"o","policy":"","south":{"agent":"a","seed":"1"},"north":{"agent":"b","seed":"2"},"moves":[],` +
		`"scores":[],"depths":[],"nodes":[],"result":"1-0","reason":"goal","plies":0,"timing":{"start":"2026-01-01T00:00:00Z","seconds":1,"move_ms":[]}}` + "\n"
	var games strings.Builder
	for i := range 10_000 { // more than the buffers hold
		fmt.Fprintf(&games, record, i, i/2)
	}
	for _, format := range []string{"pgn", "csv", "jsonl"} {
		code, _, errText := gyges(t.Context(), games.String(), "export", "-", "--format", format, "-o", "/dev/full")
		require.Equal(t, exitNo, code, errText)
		require.Equal(t, 1, strings.Count(errText, "\n"), errText)
		require.Contains(t, errText, "write /dev/full: no space left on device")
	}
}
