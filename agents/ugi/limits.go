package ugi

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"gyges/agents"
	"gyges/rules"
)

// How a host tells a program the limits of a move: behind go if the program has our extensions,
// else as options.

// clockSides are the letters of South and North before time and inc: those of White and Black.
var clockSides = [2]string{rules.South: "w", rules.North: "b"}

// withoutClock returns limits with a move time in place of the clock, unless the program
// divides its time by itself: if it has our extensions and the option moveOverhead.
func (h *host) withoutClock(g *rules.Game, limits agents.Limits) agents.Limits {
	if limits.Clock == (agents.Clock{}) {
		return limits
	}
	if h.extended && h.offers("moveOverhead") { // it is told the clock
		return limits
	}
	share := agents.Limits{MoveTime: limits.Clock.MoveTime(g)}
	limits.Clock = agents.Clock{}
	return limits.Tighter(share)
}

// appendLimits appends the limits of side's next move as they follow go.
func appendLimits(text []byte, limits agents.Limits, side rules.Side) []byte {
	if limits.Depth > 0 {
		text = fmt.Appendf(text, " depth %d", min(limits.Depth, maxPly))
	}
	if limits.Nodes > 0 {
		text = fmt.Appendf(text, " nodes %d", limits.Nodes)
	}
	if limits.MoveTime > 0 {
		text = fmt.Appendf(text, " movetime %d", max(limits.MoveTime.Milliseconds(), 1))
	}
	if c := limits.Clock; c != (agents.Clock{}) {
		text = fmt.Appendf(text, " %[1]stime %[2]d %[1]sinc %[3]d",
			clockSides[side], c.Left.Milliseconds(), c.Increment.Milliseconds())
		if c.MovesToGo > 0 {
			text = fmt.Appendf(text, " movestogo %d", c.MovesToGo)
		}
	}
	return text
}

// limitOptions are the options of a program that are limits.
var limitOptions = [...]string{"maxNodes", "maxPly", timeOption: "maxTime"}

const timeOption = 2

// limitValues are values of limitOptions; 0: none; NaN: one that isn't known.
type limitValues [len(limitOptions)]float64

// limitCommands returns the commands that set limits as options: those on offer that have changed,
// or the spec's if lower.
func (h *host) limitCommands(ctx context.Context, limits agents.Limits) (string, error) {
	// A limit that the program can't be told stays 0, and a tighter one of the spec holds.
	wanted := limitValues{float64(limits.Nodes), float64(limits.Depth), limits.MoveTime.Seconds()}
	unset := false
	for i, name := range limitOptions {
		if !h.offers(name) {
			wanted[i] = 0
		}
		for _, option := range h.given {
			x, _ := strconv.ParseFloat(option.Value, 64) // 0 if it is none
			if keyOf(option.Name) == keyOf(name) && x > 0 {
				wanted[i] = min(wanted[i], x)
			}
		}
		if wanted[i] == 0 && h.sent[i] != 0 {
			unset = true
		}
	}
	if unset { // only a new start does that
		if err := h.client.Close(); err != nil {
			return "", err
		}
		if err := h.newGame(ctx); err != nil {
			return "", err
		}
	}
	commands := ""
	for i, limit := range wanted {
		if limit != h.sent[i] {
			commands += h.optionCommand(limitOptions[i], strconv.FormatFloat(limit, 'f', -1, 64))
		}
	}
	h.sent = wanted
	return commands, nil
}

// times returns how long the host waits for a move within limits before it sends stop, and how much
// longer then.
func (h *host) times(limits agents.Limits) (budget, grace time.Duration) {
	grace = h.config.Grace
	budget = cmp.Or(limits.MoveTime, limits.Clock.Left)
	if budget == 0 {
		return h.config.Move, grace
	}
	// A program that knows its time gets half of the grace before it is told to stop.
	if h.extended || h.sent[timeOption] > 0 {
		budget += grace / 2
		grace -= grace / 2
	}
	return budget, grace
}
