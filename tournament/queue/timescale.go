package queue

import (
	"fmt"
	"math"
	"slices"

	"gyges/agents"
	"gyges/tournament"
)

// TimeScaling is how time controls are adapted to machines of different speeds.
// Games without time limits don't depend on it.
type TimeScaling string

// The kinds of time scaling.
const (
	// Scaled multiplies all times by the ratio of the coordinator's speed to the
	// worker's, so that agents search as many positions as they would there.
	Scaled TimeScaling = "scaled"

	// Pinned restricts the run to machines whose speed is within 10 % of the
	// coordinator's.
	Pinned TimeScaling = "pinned"

	// AsIs leaves times unchanged.
	AsIs TimeScaling = "as-is"
)

// Bounds of the factor, and of the difference in speed that Pinned allows.
const (
	maxScale  = 16.0
	tolerance = 0.1
)

func (s TimeScaling) valid() bool { return slices.Contains([]TimeScaling{Scaled, Pinned, AsIs}, s) }

// timeScale returns the factor of all times on a machine of the given speed, or an
// error if the machine is too slow or too fast for the run. timed: anything in the
// run depends on the clock.
func (r *runConfig) timeScale(speed float64, timed bool) (float64, error) {
	if !timed || r.Speed == 0 || speed == 0 || r.TimeScaling == AsIs {
		return 1, nil
	}
	f := r.Speed / speed
	switch {
	case r.TimeScaling == Pinned && math.Abs(f-1) > tolerance:
		return 0, fmt.Errorf("its times are pinned to machines of %.0f positions a second, this one makes %.0f",
			r.Speed, speed)
	case r.TimeScaling == Pinned:
		return 1, nil
	case f > maxScale || f < 1/maxScale:
		return 0, fmt.Errorf("its times are for machines of %.0f positions a second, "+
			"this one makes %.0f, more than %v times off", r.Speed, speed, maxScale)
	}
	return f, nil
}

// The parameters of all kinds for the time of a move, and of a game.
const (
	moveTimeParam = "movetime"
	clockParam    = "clock"
)

// isTimed reports whether anything in a run depends on the clock.
func isTimed(c *tournament.Config, registry *agents.Registry) bool {
	timed := c.Limits.MoveTime > 0 || c.Clock.Base > 0
	// An agent that can't be made stops the run elsewhere.
	_ = eachSpec(registry, c.Agents, func(s agents.Spec, _ agents.Kind, _ agents.Values) error {
		timed = timed || s.Get(moveTimeParam) != "" || s.Get(clockParam) != ""
		return nil
	})
	return timed
}
