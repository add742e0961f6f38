package queue

import (
	"fmt"
	"math"
	"slices"

	"gyges/agents"
	"gyges/tournament"
)

// TimeScaling says how time controls are adapted to machines of different speeds.
// Games without time limits don't depend on it.
type TimeScaling string

// The kinds of time scaling.
const (
	// Scaled multiplies all times by how much slower a worker's machine is than the
	// coordinator's, so that agents search as far as they would there.
	Scaled TimeScaling = "scaled"

	// Pinned lets only machines play that are as fast as the coordinator's, give or
	// take a tenth.
	Pinned TimeScaling = "pinned"

	// AsIs leaves times as they are.
	AsIs TimeScaling = "as-is"
)

// Bounds of what is scaled, and of what counts as equally fast.
const (
	maxScale  = 16.0
	tolerance = 0.1
)

func (p TimeScaling) valid() bool { return slices.Contains([]TimeScaling{Scaled, Pinned, AsIs}, p) }

// timeScale returns what times are multiplied by on a machine of the given speed, in
// a run that was made for another one, or why the machine may not play it.
func (d *runConfig) timeScale(speed float64, timed bool) (float64, error) {
	if !timed || d.Speed == 0 || speed == 0 || d.TimeScaling == AsIs {
		return 1, nil
	}
	f := d.Speed / speed
	switch {
	case d.TimeScaling == Pinned && math.Abs(f-1) > tolerance:
		return 0, fmt.Errorf("its times are pinned to machines of %.0f positions a second, this one makes %.0f", d.Speed, speed)
	case d.TimeScaling == Pinned:
		return 1, nil
	case f > maxScale || f < 1/maxScale:
		return 0, fmt.Errorf("it is made for machines of %.0f positions a second, this one makes %.0f, more than %v times off", d.Speed, speed, maxScale)
	}
	return f, nil
}

// isTimed tells whether anything in a run depends on the clock.
func isTimed(c *tournament.Config, registry *agents.Registry) bool {
	return c.Limits.MoveTime > 0 || c.Clock.Base > 0 || slices.ContainsFunc(c.Agents, func(s agents.Spec) bool {
		return agentIsTimed(s, registry)
	})
}

func agentIsTimed(s agents.Spec, registry *agents.Registry) bool {
	if s.Get(moveTimeParam) != "" || s.Get(clockParam) != "" {
		return true
	}
	kind, err := registry.Kind(s)
	if err != nil {
		return false // it won't be made
	}
	v := agents.Values{}
	for _, p := range s.Params {
		v[p.Name] = p.Value
	}
	inner, err := innerSpecs(kind, v)
	return err == nil && slices.ContainsFunc(inner, func(s agents.Spec) bool { return agentIsTimed(s, registry) })
}

// What all kinds call the time for a move, and for a game.
const (
	moveTimeParam = "movetime"
	clockParam    = "clock"
)
