package agents

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInfo(t *testing.T) {
	for want, d := range map[string]Decision{
		"":                           {},
		"+0.35, depth 4, 1234 nodes": {Scored: true, Score: 35, Depth: 4, Nodes: 1234},
		"-12.00":                     {Scored: true, Score: -1200},
		"wins in 3, depth 5":         {Scored: true, Score: WinIn(3), Depth: 5},
		"loses in 2, 7 nodes":        {Scored: true, Score: -WinIn(2), Nodes: 7},
	} {
		require.Equal(t, want, d.Info(func(n int64) string { return strconv.FormatInt(n, 10) }))
	}
}
