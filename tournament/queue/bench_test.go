package queue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament"
)

// instant is a config of games that are over after one ply.
func instant(b *testing.B) tournament.Config {
	c := testConfig(b, b.N, "random", "other")
	c.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=1")}
	return c
}

// BenchmarkPair plays pairs of instant games on a server, with a worker, all in
// this process: what a pair costs beside its games. Compare BenchmarkLocalPair.
func BenchmarkPair(b *testing.B) {
	s := testServer(b)
	nc, err := s.Connect("bench", discard())
	require.NoError(b, err)
	b.Cleanup(nc.Close)
	startWorker(b, connect(b, s), nil)
	c := instant(b)
	c.Pool = testPool(b, nc, func(o *Options) { o.Window = 4096; o.Lease = 30 * time.Second })
	b.ResetTimer()
	_, err = tournament.Run(b.Context(), c, testRegistry(), nil)
	require.NoError(b, err)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}

// BenchmarkLocalPair is the same in goroutines, without a server.
func BenchmarkLocalPair(b *testing.B) {
	c := instant(b)
	c.Workers = 2
	b.ResetTimer()
	_, err := tournament.Run(b.Context(), c, testRegistry(), nil)
	require.NoError(b, err)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}
