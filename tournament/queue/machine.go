package queue

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"gyges/agents"
	"gyges/agents/bench"
	"gyges/rules/base/build"
	"gyges/tournament"
)

// Version returns the version by which coordinator and workers know that they are the same program,
// whose own line of its version is given. It has the architecture, since they may round
// differently; if the source was modified since its revision, or none is known, it has the
// executable's hash.
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

// Speed measures how many positions a second a search visits on one core, in some tenths of a
// second. 0: it can't be measured.
func Speed(ctx context.Context, registry *agents.Registry) float64 {
	spec := agents.Spec{Kind: "alphabeta"}.With("nodes", "150000")
	line, err := bench.One(ctx, registry, spec, bench.Middlegame)
	if err != nil || line.Seconds == 0 {
		return 0
	}
	return float64(line.Nodes) / line.Seconds
}

// of the factor and its inverse: beyond it the machines hardly play the same games
const maxScale = 16.0

// timeScale returns the factor of all times on a machine of the given speed, at which agents search
// as many positions as on the one that times are meant for, or an error if the machine is too slow
// or too fast for the run. A run without a speed doesn't depend on the clock.
func (r *runConfig) timeScale(speed float64) (float64, error) {
	if r.Speed == 0 || speed == 0 {
		return 1, nil
	}
	f := r.Speed / speed
	if f > maxScale || f < 1/maxScale {
		return 0, fmt.Errorf("its times are for machines of %.0f positions a second, "+
			"this one makes %.0f, more than %v times off", r.Speed, speed, maxScale)
	}
	return f, nil
}

// isTimed reports whether anything in a run depends on the clock.
func isTimed(c *tournament.Config, registry *agents.Registry) bool {
	if c.Limits.MoveTime > 0 || c.Clock.Base > 0 {
		return true
	}
	timed := false
	// An agent that can't be made stops the run elsewhere.
	_ = registry.Each(c.Agents, func(s agents.Spec, _ agents.Kind, _ agents.Values) error {
		if s.Get("movetime") != "" || s.Get("clock") != "" {
			timed = true
		}
		return nil
	})
	return timed
}
