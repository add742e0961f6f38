package alphabeta

import (
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func BenchmarkProf(b *testing.B) {
	pr, err := rules.FindPreset(os.Getenv("PRESET"))
	if err != nil {
		b.Fatal(err)
	}
	r, err := rules.New(pr.Name, pr.Options)
	if err != nil {
		b.Fatal(err)
	}
	var r0, r1 syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r0)
	total := int64(0)
	defer func() {
		syscall.Getrusage(syscall.RUSAGE_SELF, &r1)
		b.ReportMetric(float64(r1.Utime.Nano()-r0.Utime.Nano())/float64(total), "cpu-ns/node")
	}()
	for b.Loop() {
		nodes := int64(0)
		rng := rand.New(rand.NewPCG(1, 2))
		for gm := 0; gm < 6; gm++ {
			g := agenttest.RandomGame(r, rng, 0)
			if r.Options().Kang {
				g = agenttest.RandomGame(r, rng, 8)
			}
			a := agenttest.New(b, Kind(), "alphabeta"+os.Getenv("SPEC"), g)
			for i := 0; i < 10; i++ {
				if o, _ := g.Outcome(); o != rules.Undecided {
					break
				}
				d, err := a.Choose(context.Background(), g, agents.Limits{Nodes: 8000})
				if err != nil {
					b.Fatal(err)
				}
				nodes += d.Nodes
				g.Play(d.Move)
			}
		}
		total += nodes
		b.ReportMetric(float64(nodes), "nodes/op")
	}
}
