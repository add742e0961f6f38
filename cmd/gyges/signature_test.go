package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignature fails when a search has changed and the reference has not: who
// changes a search on purpose writes its new signature down, with what it gains.
func TestSignature(t *testing.T) {
	var out bytes.Buffer
	report, err := benchSearch(context.Background(), newEnv(nil, &out, &out), defaultSearchers())
	require.NoError(t, err)
	reference, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", "bench.txt"))
	require.NoError(t, err)
	for _, total := range report.Totals {
		require.Contains(t, string(reference), fmt.Sprintf("signature %s %s,", total.Agent, total.Signature))
	}
}
