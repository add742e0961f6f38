package queue

import (
	"context"
	"os"
	"runtime"

	"gyges/agents"
	"gyges/agents/bench"
	"gyges/rules/base/build"
)

// Version returns the version by which coordinator and workers know that they are the same program, whose
// own line of its version is given. It has the architecture, since they may round differently; if the
// source was modified since its revision, or none is known, it has the executable's hash.
func Version(line string) string {
	line += ", " + runtime.GOARCH
	if build.Read().Unmodified() {
		return line
	}
	hash := "unknown"
	path, _ := os.Executable()
	if text, err := os.ReadFile(path); err == nil {
		hash = digest(text)[:16]
	}
	return line + ", executable " + hash
}

const speedNodes = "150000" // that [Speed] searches, some tenths of a second

// Speed measures how many positions a second a search visits on one core. 0: it can't be measured.
func Speed(ctx context.Context, registry *agents.Registry) float64 {
	spec := agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "nodes", Value: speedNodes}}}
	line, err := bench.One(ctx, registry, spec, bench.Middlegame)
	if err != nil || line.Seconds == 0 {
		return 0
	}
	return float64(line.Nodes) / line.Seconds
}
