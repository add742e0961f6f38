package tactics

import (
	"context"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/rules"
)

// Attempt is what an agent found.
type Attempt struct {
	Task   *Task
	Move   rules.Move
	Solved bool
	// Proven says that the agent announced the result itself: a win in exactly so
	// many plies. It is never set for only moves, which prove nothing.
	Proven bool
}

// Try lets an agent decide each task, as the side to move in a new game. The
// error is the context's, or the agent's.
func Try(ctx context.Context, tasks []Task, a agents.Agent, lim agents.Limits) ([]Attempt, error) {
	attempts := make([]Attempt, 0, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		setup := agents.Setup{Rules: t.rules, Side: t.position.Side(), Seed: 1}
		if err := a.NewGame(ctx, setup); err != nil {
			return attempts, fmt.Errorf("%s: %w", t.Position, err)
		}
		d, err := a.Choose(ctx, t.game(), lim)
		if ctx.Err() != nil {
			return attempts, ctx.Err() // what was cut short says nothing
		}
		if err != nil {
			return attempts, fmt.Errorf("%s: %w", t.Position, err)
		}
		plies, proven := d.Score.Proven()
		attempts = append(attempts, Attempt{
			Task: t, Move: d.Move, Solved: slices.Contains(t.moves, d.Move),
			Proven: d.Scored && proven && t.Class == winIn(plies),
		})
	}
	return attempts, nil
}

// winIn returns the class of a win in so many plies, "" if there is none.
func winIn(plies int) Class {
	switch plies {
	case 1:
		return WinIn1
	case 3:
		return WinIn3
	case 5:
		return WinIn5
	default:
		return ""
	}
}
