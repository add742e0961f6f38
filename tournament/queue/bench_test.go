//go:build unix

package queue

import (
	"syscall"
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

// BenchmarkCoordinator has its workers in two other processes, so that its
// processor time is what the coordinator's machine spends, server included.
func BenchmarkCoordinator(b *testing.B) {
	s := testServer(b)
	startProcess(b, workerURL+"="+s.URL())
	startProcess(b, workerURL+"="+s.URL())
	nc, err := s.Connect("bench", discard())
	require.NoError(b, err)
	b.Cleanup(nc.Close)
	c := instant(b)
	c.Executor = testPool(b, nc, func(o *Options) { o.window = 4096; o.lease = 30 * time.Second })
	benchmark(b, c)
}

// BenchmarkLocalPair is the same in goroutines, without a server.
func BenchmarkLocalPair(b *testing.B) {
	c := instant(b)
	c.Workers = 2
	benchmark(b, c)
}

func benchmark(b *testing.B, c tournament.Config) {
	b.ResetTimer()
	before := used()
	_, err := tournament.Run(b.Context(), c, testRegistry(), nil)
	require.NoError(b, err)
	b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N), "cpu-µs/pair")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}

// used returns the processor time that this process has used. Unlike pairs/s it
// depends little on what else the machine does.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
