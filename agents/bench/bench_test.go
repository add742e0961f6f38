package bench_test

import (
	"fmt"
	"gyges/agents/bench"
	"gyges/agents/builtin"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignature fails when a search has changed and the reference has not. A change
// on purpose updates the reference, and measures the gain.
func TestSignature(t *testing.T) {
	reference, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", "speed.md"))
	require.NoError(t, err)
	registry := builtin.Registry()
	for _, spec := range bench.DefaultSpecs() {
		_, total, err := bench.Run(t.Context(), registry, spec)
		require.NoError(t, err)
		require.Contains(t, string(reference), fmt.Sprintf("signature %s %s,", total.Agent, total.Signature))
	}
}
