package game

import (
	"fmt"
	"math"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/tournament/schedule"
)

// Settings says how the games of a run are played, whatever their rules and players: tournaments,
// matches, self-play, tuning by matches and training embed it. Their tags say what they mean. Start
// from [DefaultSettings].
type Settings struct {
	Openings schedule.Openings `yaml:"openings" form:"openings, like random or random:plies=4" name:"openings" placeholder:"HOW" help:"How games begin:"`
	Limits   agents.Limits     `yaml:"limits" help:"Bounds of each decision, beside those in the specs of agents."`
	Clock    Clock             `yaml:"clock" form:"a clock, like 60+0.6 (seconds), 1m+600ms or 40/60+1" name:"clock" group:"Limits and time:" placeholder:"TIME" help:"Time of each side for a whole game, with an increment after each move: 60+0.6 (seconds) or 1m+600ms; 40/60+1: for 40 moves, then as much again for the next 40. A side that exceeds it loses. Results may differ from run to run."`

	// A TimeMargin of nil is 0 for a clock and 500 ms for a move time, since many engines check the
	// time at intervals, but reserve time under a clock.
	TimeMargin   *time.Duration      `yaml:"time_margin" check:"0s..24h" name:"time-margin" group:"Limits and time:" placeholder:"TIME" help:"By how much a clock or a move time may be exceeded without loss. Default: 0s for a clock, 500ms for a move time."`
	OnRepetition agents.OnRepetition `yaml:"on_repetition" zero:"forfeit" name:"on-repetition" placeholder:"HOW" help:"What becomes of a move that only the rules on repetition and null moves forbid:"`
	Adjudication Adjudication        `yaml:"adjudication" form:"an adjudication, like resign=8:4,proven" name:"adjudicate" placeholder:"HOW" help:"End games early, for one reason or several with commas:"`
	StallTimeout time.Duration       `yaml:"stall_timeout" check:"0s..24h" zero:"no timeout" name:"stall-timeout" group:"Limits and time:" placeholder:"TIME" help:"How long beyond the move time to wait for an agent that does not answer, before it loses, like 1m; 0s: no timeout."`
}

// DefaultSettings returns settings that lack only a policy of openings.
func DefaultSettings() Settings {
	return Settings{OnRepetition: agents.Forfeit, StallTimeout: 10 * time.Minute}
}

// Check adds what is wrong with the settings for games under rule sets, beside the bounds in their
// tags. Their keys begin with prefix. Whether there are openings in a run with the seed is checked
// if nothing else is wrong.
func (s *Settings) Check(p *problems.List, prefix string, list []*rules.Rules, seed uint64) {
	s.Openings.Check(p, prefix+"openings")
	p.Expect(s.Clock.Valid(), prefix+"clock", ClockForm, s.Clock)
	if len(*p) == 0 {
		s.Openings.CheckUnder(p, prefix+"openings", list, seed)
	}
}

const moveTimeMargin = 500 * time.Millisecond // where none is given

func (s *Settings) timeMargins() (clock, moveTime time.Duration) {
	if s.TimeMargin == nil {
		return 0, moveTimeMargin
	}
	return *s.TimeMargin, *s.TimeMargin
}

// Clock is the time each side has for a whole game, or for each period of it. The zero value is no
// clock.
type Clock struct {
	Moves     int           `yaml:"moves" form:"a number of moves, 1 to 1000" help:"Moves of each side in a period, placements not counted; after the last one the base is added to what is left. Default: one period, the whole game."`
	Base      time.Duration `yaml:"base" form:"a time, like 60 (seconds) or 1m" unit:"s" help:"Time of each side for a whole game, or for each period."`
	Increment time.Duration `yaml:"increment" form:"a time, like 0.6 (seconds) or 600ms" unit:"s" help:"Time added to the clock after each move."`
}

// maxPeriod bounds the moves of a period.
const maxPeriod = 1000

// ParseClock reads "BASE" or "BASE+INCREMENT", in seconds or with units: "60+0.6", "1m+600ms". For
// periods of moves "MOVES/" stands in front: "40/60+1".
func ParseClock(text string) (Clock, error) {
	moves, times, hasPeriods := strings.Cut(text, "/")
	if !hasPeriods {
		times = text
	}
	base, increment, more := strings.Cut(times, "+")
	if hint := settings.ZeroHint(text); hint != "" {
		return Clock{}, fmt.Errorf("expected a time and an increment, like 60+0.6%s, found %.80q",
			hint, text)
	}
	var c Clock
	var err error
	if hasPeriods {
		c.Moves, err = settings.Parse[int](moves)
	}
	if err == nil {
		c.Base, err = parseTime(base)
	}
	if err == nil && more {
		c.Increment, err = parseTime(increment)
	}
	missing := c.Base == 0 || hasPeriods && c.Moves == 0
	if err != nil || missing || !c.Valid() {
		return Clock{}, fmt.Errorf(ClockForm, text)
	}
	return c, nil
}

// MaxTime bounds the times of clocks and moves.
const MaxTime = 24 * time.Hour

// ClockForm is the format of the error of a clock.
const ClockForm = "expected a time from 1ms to 24h and an increment, " +
	"like 60+0.6 (seconds) or 1m+600ms, or for 1 to 1000 moves, like 40/60+1, found %.80q"

// parseTime reads a time with its unit, or a number of seconds.
func parseTime(text string) (time.Duration, error) {
	seconds, err := settings.Parse[float64](text)
	if err == nil && math.Abs(seconds) <= MaxTime.Seconds() {
		return time.Duration(math.Round(seconds * 1e9)), nil
	}
	return settings.Parse[time.Duration](text)
}

// String prints base and increment, behind the moves of a period: "1m0s+1s", "40/1m0s+1s".
func (c Clock) String() string {
	period := ""
	if c.Moves != 0 {
		period = fmt.Sprintf("%d/", c.Moves)
	}
	return period + c.Base.String() + "+" + c.Increment.String()
}

// UnmarshalText implements [encoding.TextUnmarshaler] by [ParseClock].
func (c *Clock) UnmarshalText(text []byte) (err error) {
	*c, err = ParseClock(string(text))
	return err
}

// MarshalText implements [encoding.TextMarshaler] by [Clock.String]; no clock is an empty text.
func (c Clock) MarshalText() ([]byte, error) {
	if c == (Clock{}) {
		return nil, nil
	}
	return []byte(c.String()), nil
}

// Valid reports whether the times are in range.
func (c Clock) Valid() bool {
	if c.Base == 0 {
		return c == Clock{}
	}
	validMoves := problems.Within(c.Moves, 0, maxPeriod)
	validBase := problems.Within(c.Base, time.Millisecond, MaxTime)
	return validMoves && validBase && problems.Within(c.Increment, 0, MaxTime)
}

// limits returns the limits of a side's next move, with what is left on its clock after a number of
// turns of its own.
func (c Clock) limits(left time.Duration, turns int) agents.Limits {
	if c.Base == 0 {
		return agents.Limits{}
	}
	clock := agents.Clock{
		Left:      max(left, time.Millisecond),
		Increment: c.Increment,
		Overhead:  agents.DefaultMoveOverhead,
	}
	if c.Moves > 0 {
		clock.MovesToGo = c.Moves - turns%c.Moves
	}
	return agents.Limits{Clock: clock}
}

// After returns what is left on a side's clock after one of its moves. turn is the number of the
// move among the side's own in the game, from 1; 0: it is a placement, which takes time and brings
// the increment, but counts for no period.
func (c Clock) After(left, took time.Duration, turn int) time.Duration {
	left = max(left-took, 0) + c.Increment
	isCounted := c.Moves > 0 && turn > 0
	if isCounted && turn%c.Moves == 0 {
		left += c.Base
	}
	return left
}

// spend takes the time of a move off the clock as [Clock.After] does, and returns by how much that
// was overrun; 0 within the time margin.
func (c Clock) spend(left *time.Duration, took, margin time.Duration, turn int) time.Duration {
	if c.Base == 0 {
		return 0
	}
	overrun := took - *left
	if overrun > margin {
		return overrun
	}
	*left = c.After(*left, took, turn)
	return 0
}

// scaled returns the game with the times of all limits and clocks multiplied by its time scale.
func (g *Task) scaled() *Task {
	switch g.TimeScale {
	case 0, 1:
		return g
	}
	to := *g
	scale := func(d *time.Duration) {
		if *d != 0 {
			*d = max(time.Duration(float64(*d)*g.TimeScale), time.Millisecond)
		}
	}
	scale(&to.Limits.MoveTime)
	scale(&to.Clock.Base)
	scale(&to.Clock.Increment)
	for side := range to.Seats {
		seat := &to.Seats[side]
		scale(&seat.MoveTime)
		scale(&seat.Clock.Base)
		scale(&seat.Clock.Increment)
	}
	return &to
}
