//go:build unix

package tournament

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
)

// promptSpec is the spec of an engine that answers at once.
func promptSpec(tb testing.TB, name string) string {
	path, err := os.Executable()
	require.NoError(tb, err)
	return `ugi:cmd="` + path + `" ` + promptEngine + ",name=" + name
}

// processorTime is what this process has used, without the engines'.
func processorTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRun is a match with several games at a time: of agents that cost next to nothing, so that
// it is the whole machinery, and of two engines that answer at once.
func BenchmarkRun(b *testing.B) {
	for name, specs := range map[string][]string{
		"random":  {"random", "random:id=1"},
		"engines": {promptSpec(b, "one"), promptSpec(b, "two")},
	} {
		for _, workers := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
				c := testConfig(b, specs...)
				c.Rules = []*rules.Rules{rules.MustParse("standard")}
				c.Pairs = 60
				c.Workers = workers
				folder, plies, run := c.Out, 0, 0
				before := processorTime(b)
				for b.Loop() {
					run++
					c.Out = filepath.Join(folder, strconv.Itoa(run))
					s, err := Run(b.Context(), c, testRegistry(nil), func(g *record.Record) { plies += g.Plies })
					require.NoError(b, err)
					require.Equal(b, s.Scheduled, s.Played)
				}
				b.ReportMetric(float64(processorTime(b)-before)/float64(plies), "cpu-ns/ply")
				b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
			})
		}
	}
}

// BenchmarkEngineOverhead is by how much the time of a move in the record is longer than what the
// engine itself measures from reading go to writing its answer, at 10 ms a move: with an idle
// machine if it is, and with all cores at work.
func BenchmarkEngineOverhead(b *testing.B) {
	for name, busy := range map[string]int{"idle": 0, "busy": runtime.NumCPU()} {
		b.Run(name, func(b *testing.B) {
			for range busy {
				cmd := exec.CommandContext(b.Context(), os.Args[0], busyProgram)
				require.NoError(b, cmd.Start())
				defer func() { _ = cmd.Wait() }() // it is killed
				defer func() { _ = cmd.Process.Kill() }()
			}
			c := testConfig(b, promptSpec(b, "one"), promptSpec(b, "two"))
			c.Rules, c.Pairs, c.Workers = []*rules.Rules{rules.MustParse("standard:max_plies=100")}, 1, 1
			c.Limits.MoveTime = 10 * time.Millisecond
			var overhead []float64 // microseconds
			folder := c.Out
			for b.Loop() {
				c.Out = filepath.Join(folder, strconv.Itoa(len(overhead)))
				_, err := Run(b.Context(), c, testRegistry(nil), func(g *record.Record) {
					for i, ms := range g.Timing.MoveMS {
						overhead = append(overhead, 1e3*ms-float64(g.Nodes[i])/1e3)
					}
				})
				require.NoError(b, err)
			}
			slices.Sort(overhead)
			b.ReportMetric(float64(len(overhead)), "plies")
			b.ReportMetric(overhead[len(overhead)/2], "µs-median")
			b.ReportMetric(overhead[len(overhead)*99/100], "µs-99%")
		})
	}
}
