package main

import (
	"errors"
	"fmt"
	"time"

	"gyges/agents"
)

// limitsFlags bound every decision of a game, beside the agents' own
// parameters. Commands that play games embed them.
type limitsFlags struct {
	Depth    *int           `placeholder:"N" help:"Let agents search at most N plies."`
	Nodes    *int           `placeholder:"N" help:"Let agents visit at most N positions for a move (MCTS: iterations)."`
	MoveTime *time.Duration `name:"movetime" placeholder:"TIME" help:"Let agents think at most so long for a move, like 500ms. Results may differ from run to run."`
}

// clockFlags give each side time for a whole game.
type clockFlags struct {
	Clock     *time.Duration `placeholder:"TIME" help:"Time of each side for a whole game, like 1m; who overruns it loses. Results may differ from run to run."`
	Increment *time.Duration `placeholder:"TIME" help:"Time added to the clock after each move."`
	Margin    *time.Duration `placeholder:"TIME" help:"How much a clock or a move time may be overrun without loss. Default: nothing for a clock, 500ms for a move time."`
}

// apply puts the limits that were given in place of those of l.
func (f limitsFlags) apply(l *agents.Limits) error {
	var errs []error
	if f.Depth != nil {
		l.Depth = *f.Depth
		errs = append(errs, positive("--depth", *f.Depth > 0, *f.Depth))
	}
	if f.Nodes != nil {
		l.Nodes = int64(*f.Nodes)
		errs = append(errs, positive("--nodes", *f.Nodes > 0, *f.Nodes))
	}
	if f.MoveTime != nil {
		l.MoveTime = *f.MoveTime
		errs = append(errs, positive("--movetime", *f.MoveTime > 0, *f.MoveTime))
	}
	return errors.Join(errs...)
}

func positive(flag string, ok bool, found any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s: expected more than 0, found %v", flag, found)
}

// repetitionFlag says what becomes of moves that only repeat.
type repetitionFlag struct {
	OnRepetition string `placeholder:"HOW" help:"What becomes of a move that only the rules on repetition and null moves forbid: forfeit (the game; default), ask-next (an external engine's choice before), or allow."`
}

// apply puts the policy that was given in place of p.
func (f repetitionFlag) apply(p *agents.OnRepetition) error {
	given := agents.OnRepetition(f.OnRepetition)
	if !given.Valid() {
		return fmt.Errorf("--on-repetition: expected %s, %s or %s, found %q", agents.Forfeit, agents.AskNext, agents.Allow, given)
	}
	if given != "" {
		*p = given
	}
	return nil
}
