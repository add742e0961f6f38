package game

import (
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// SeatOf returns the seat of a player, without its agent.
func SeatOf(spec agents.Spec) Seat {
	clock, _ := ParseClock(spec.Get("clock")) // both have been checked
	moveTime, _ := time.ParseDuration(spec.Get("movetime"))
	return Seat{
		Name:     spec.String(),
		Clock:    clock,
		MoveTime: moveTime,
	}
}

// TimeUse says how a side used the time for the moves that it made in a recorded game.
type TimeUse struct {
	MoveTime time.Duration   // that it had; 0: no bound
	Overruns []time.Duration // moves that took longer, within the margin

	Used float64       // of the clock and its increments, a share; 0 without a clock
	Left time.Duration // on the clock at the least, before the increment of a move
}

// UseOfTime returns how a side used its time, whose player has a spec. Where it was another machine
// that played the game, whose times may be scaled, it is as without limits.
func UseOfTime(r *record.Record, side rules.Side, player string) (u TimeUse) {
	const machine = 10 * time.Millisecond // that it may take beside the player
	if r.Timing.Worker != "" || len(r.Timing.MoveMS) == 0 {
		return u
	}
	// Most games have no limits of time, and parsing a spec takes longer than some moves.
	hasOwn := strings.Contains(player, "clock=") || strings.Contains(player, "movetime=")
	if !hasOwn && r.Limits.Clock+r.Limits.MoveTime == "" {
		return u
	}
	var task Task
	spec, _ := agents.ParseSpec(player)
	task.Seats[side] = SeatOf(spec)
	task.Clock, _ = ParseClock(r.Limits.Clock)
	task.Limits.MoveTime, _ = time.ParseDuration(r.Limits.MoveTime)
	u.MoveTime = task.moveTime(side)
	clock := task.clock(side)
	left := clock.Base
	u.Left = left
	var used time.Duration
	turn := 0
	ofSide := turnsOf(r, side)
	for i, ms := range r.Timing.MoveMS {
		if !ofSide[i] {
			continue
		}
		took := time.Duration(ms * float64(time.Millisecond))
		if i >= len(r.Moves)-r.Plies { // it is no placement
			turn++
			if u.MoveTime > 0 && took >= u.MoveTime+machine {
				u.Overruns = append(u.Overruns, took)
			}
		}
		u.Left = min(u.Left, max(left-took, 0))
		left = clock.After(left, took, turn)
		used += took
	}
	if clock.Base > 0 {
		u.Used = float64(used) / float64(used+left)
	}
	return u
}

// turnsOf reports of each move, placements among them, whether a side made it.
func turnsOf(r *record.Record, side rules.Side) []bool {
	turns := make([]bool, len(r.Moves))
	row := "1" // in which the side places its pieces
	if side == rules.North {
		row = "6"
	}
	for i, placement := range r.Moves[:len(r.Moves)-r.Plies] {
		turns[i] = strings.HasSuffix(placement, row)
	}
	for i, mover := range r.Movers() {
		turns[i] = mover == side
	}
	return turns
}
