package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// An interrupted search prints the depth completed.
func TestSolveInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, errText := gyges(ctx, "", "solve", "--depth", "9", "321123/000000/000000/000000/000000/321123 s")
	require.Equal(t, exitInterrupted, code)
	require.Regexp(t, `^no forced result within 0 plies; stopped before 9\nnodes 1, time `, out)
	require.Empty(t, errText)
}
