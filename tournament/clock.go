package tournament

import "time"

// Clock is the time each side has for a whole game. Agents see only how long the
// move at hand may take; keeping that is their own affair until the clock is
// overrun. The zero value is no clock.
type Clock struct {
	Base      time.Duration // for the game, 1 ms to 24 h; 0: no clock
	Increment time.Duration // added after each move
	Margin    time.Duration // by which the clock may be overrun without loss
}

// String prints base and increment: "1m0s+1s".
func (c Clock) String() string { return c.Base.String() + "+" + c.Increment.String() }

func (c Clock) valid() bool {
	if c.Base == 0 {
		return c == Clock{}
	}
	return time.Millisecond <= c.Base && c.Base <= maxMoveTime &&
		0 <= c.Increment && c.Increment <= maxMoveTime && 0 <= c.Margin && c.Margin <= maxMoveTime
}

// share returns how long a move may take with so much left: a thirtieth of it
// and most of the increment, but never more than nine tenths of what is left.
// 0 without a clock.
func (c Clock) share(left time.Duration) time.Duration {
	if c.Base == 0 {
		return 0
	}
	return max(min(left/30+c.Increment*4/5, left*9/10), time.Millisecond)
}

// spend takes a move's time off the clock. It returns by how much the clock was
// overrun beyond doubt, 0 if it wasn't.
func (c Clock) spend(left *time.Duration, took time.Duration) (overrun time.Duration) {
	if c.Base == 0 {
		return 0
	}
	*left -= took
	if *left < -c.Margin {
		return -*left
	}
	*left = max(*left, 0) + c.Increment
	return 0
}

// marginText is the margin as manifests hold it.
func marginText(c Clock) string {
	if c.Margin == 0 {
		return ""
	}
	return c.Margin.String()
}
