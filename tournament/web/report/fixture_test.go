package report

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
)

// hostile is a name that would do harm wherever it isn't escaped.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'` + "`|*_&amp;\\ </style></script><!-- \x1b[31m\u202e é {{.}} ${x}"

// drawGame is a game of moves drawn at random, with figures drawn too.
func drawGame(set string, number int64, south, north string) *record.Record {
	g, rng := runtest.DrawGame(set, number, south, north), rand.New(rand.NewPCG(7, uint64(number)))
	for range g.Moves {
		score := record.Score(rng.IntN(600) - 300)
		if rng.IntN(10) == 0 {
			score = record.NoScore
		}
		g.Scores, g.Depths = append(g.Scores, score), append(g.Depths, 1+rng.IntN(4))
		g.Nodes = append(g.Nodes, int64(10+rng.IntN(5000)))
		g.Timing.MoveMS = append(g.Timing.MoveMS, float64(1+rng.IntN(4000))/1000)
	}
	return g
}

// drawRun is games between three players, each pair under both rule sets.
func drawRun(names ...string) []*record.Record {
	var games []*record.Record
	number := int64(0)
	for _, set := range []string{"standard", "kang"} {
		for i, a := range names {
			for _, b := range names[i+1:] {
				for range 6 {
					games = append(games, drawGame(set, number, a, b), drawGame(set, number+1, b, a))
					number += 2
				}
			}
		}
	}
	games[3].Result, games[3].Reason = "0-1", string(record.FaultIllegal)
	games[3].Fault = &record.Fault{Side: "south", Kind: record.FaultIllegal, Detail: "a1-goal is not legal: <no course> leads to goal"}
	return games
}

// collect counts games as one run, and rates them as gyges rate does.
func collect(t testing.TB, o Options, about RunInfo, games []*record.Record) (*Collector, table.Tables) {
	c := NewCollector(o)
	c.AddRun(about)
	for _, g := range games {
		c.Add(g)
	}
	rated, err := c.Fit(context.Background(), ratings.Options{}, false)
	require.NoError(t, err)
	return c, rated
}

// manifestFS is the folder of a run with a manifest alone.
func manifestFS(text string) fs.FS {
	return fstest.MapFS{tournament.ManifestFile: {Data: []byte(text)}}
}

// sampleRun is the run of the golden files.
func sampleRun() RunInfo {
	m, err := tournament.ReadManifest(manifestFS(`{"schema": 1, "status": "finished", "games": {"scheduled": 72, "played": 72},
 "config": {"name": "sample", "rules": ["standard", "kang"], "agents": ["alpha:x=1", "beta", "gamma's"],
  "schedule": "round-robin", "pairs": 6,
  "openings": {"policy": "random", "plies": 4}, "limits": {"nodes": 5000},
  "clock": "1m0s+1s", "seed": "18446744073709551615", "workers": 2,
  "on_repetition": "forfeit", "stall_timeout": "10m0s", "suspend": 10},
 "start": "2026-01-02T03:04:05Z", "end": "2026-01-02T03:05:06.5Z", "program": {"version": "v1.2.3", "go": "go1.26"}, "host": {"os": "linux", "arch": "amd64", "cpus": 2}}`))
	if err != nil {
		panic(err)
	}
	return RunInfo{Name: "results/sample", Manifest: m, Charts: []Chart{sampleChart()}}
}

func sampleChart() Chart {
	c := Chart{Title: "Loss", XName: "epoch", YName: "cross-entropy"}
	for _, name := range []string{"training", "validation"} {
		line := Curve{Name: name}
		for i := range 12 {
			line.Add(Point{X: float64(i), Y: 0.7/float64(i+1) + 0.1*float64(len(name)-8), Error: 0.02})
		}
		c.Curves = append(c.Curves, line)
	}
	return c
}

// samplePage is the page of the golden files.
func samplePage(t testing.TB) *Page {
	c, rated := collect(t, Options{Games: 500, Seed: 1}, sampleRun(), drawRun("alpha:x=1", "beta", "gamma's"))
	rated.Notes = []string{"left out: 1 game that can't be read"}
	p := Build(c, Input{Title: "sample", Tables: rated, Commands: []string{"gyges rate results/sample"}, Program: "gyges test"})
	return p
}

func number(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}

func mapped[T any](list []T, f func(T) string) []string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = f(x)
	}
	return texts
}
