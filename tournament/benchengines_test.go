//go:build unix

package tournament

import (
	"fmt"
	"math/rand/v2"
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

	"gyges/agents"
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

// BenchmarkEnginePly is a move of an external engine that answers at once, at several plies of a
// game; cpu-ns/ply is what this process uses for it.
func BenchmarkEnginePly(b *testing.B) {
	const window = 20 // plies that are played from there
	for _, ply := range []int{10, 100, 390} {
		b.Run(fmt.Sprintf("ply=%d", ply), func(b *testing.B) {
			spec, err := agents.ParseSpec(promptSpec(b, "one"))
			require.NoError(b, err)
			r := rules.MustParse("standard")
			agent, err := testRegistry(nil).Start(b.Context(), spec, r)
			require.NoError(b, err)
			defer func() { require.NoError(b, agent.Close()) }()
			moves := longGame(r, ply+window)
			start, plies := time.Duration(0), 0
			for b.Loop() {
				b.StopTimer()
				g := rules.NewGame(r, r.Start())
				for _, m := range moves[:ply] {
					g.PlayLegal(m)
				}
				require.NoError(b, agent.NewGame(b.Context(), agents.Setup{Rules: r}))
				before := processorTime(b)
				b.StartTimer()
				for _, m := range moves[ply : ply+window] {
					if _, err := agent.Choose(b.Context(), g, agents.Request{}); err != nil {
						b.Fatal(err)
					}
					g.PlayLegal(m)
				}
				start, plies = start+processorTime(b)-before, plies+window
			}
			b.ReportMetric(float64(start.Nanoseconds())/float64(plies), "cpu-ns/ply")
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
		})
	}
}

// longGame returns the moves of a game at random of at least a number of plies.
func longGame(r *rules.Rules, plies int) []rules.Move {
	for seed := uint64(0); ; seed++ {
		rng, g := rand.New(rand.NewPCG(seed, 0)), rules.NewGame(r, r.Start())
		for o, _ := g.Outcome(); o == rules.Undecided && len(g.Moves()) < plies; o, _ = g.Outcome() {
			legal := g.Legal()
			m := legal.At(rng.IntN(legal.Len()))
			for tries := 0; m.IsGoal() && tries < 10; tries++ {
				m = legal.At(rng.IntN(legal.Len()))
			}
			g.PlayLegal(m)
		}
		if len(g.Moves()) == plies {
			return g.Moves()
		}
	}
}

// BenchmarkEngines is a match of two engines that answer at once, with several games at a time.
func BenchmarkEngines(b *testing.B) {
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			c := testConfig(b, promptSpec(b, "one"), promptSpec(b, "two"))
			c.Rules, c.Pairs, c.Workers = []*rules.Rules{rules.MustParse("standard")}, 60, workers
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
