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
	Nodes    *int64         `placeholder:"N" help:"Let agents visit at most N positions for a move (MCTS: iterations)."`
	MoveTime *time.Duration `name:"movetime" placeholder:"TIME" help:"Let agents think at most so long for a move, like 500ms. Results may differ from run to run."`
}

// clockFlags give each side time for a whole game.
type clockFlags struct {
	Clock      *time.Duration `placeholder:"TIME" help:"Time of each side for a whole game, like 1m; a side that exceeds it loses. Results may differ from run to run."`
	Increment  *time.Duration `placeholder:"TIME" help:"Time added to the clock after each move."`
	TimeMargin *time.Duration `placeholder:"TIME" help:"By how much a clock or a move time may be exceeded without loss. Default: 0s for a clock, 500ms for a move time."`
}

// gameFlags are those of tournaments and matches: how games are played, and the
// folder of their records.
type gameFlags struct {
	limitsFlags
	clockFlags
	repetitionFlag
	Adjudicate   string         `placeholder:"HOW" help:"End games early: resign=POINTS:MOVES and draw=POINTS:MOVES when both players score so, proven=N when the solver sees the end within N plies, plies=N as a draw; several with commas. Default: none."`
	StallTimeout *time.Duration `placeholder:"TIME" help:"How long beyond --movetime to wait for an agent that does not answer, before it loses, like 1m; 0s: no timeout. Default: 10m."`
	Suspend      *int           `placeholder:"N" help:"Games in a row a player loses by faults until it is suspended; 0: never. Default: 10."`
	Seed         *uint64        `placeholder:"N" help:"Seed of all random choices. Default: 1."`
	Workers      *int           `placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out          string         `placeholder:"DIR" help:"Folder for the records; a run that was stopped there resumes. Default: a new one, results/NAME-TIME."`
	Extend       bool           `help:"Resume the run in --out with more pairs than it was begun with."`
}

// apply replaces the limits of l by those that were given.
func (f limitsFlags) apply(l *agents.Limits) error {
	override(&l.Depth, f.Depth)
	override(&l.Nodes, f.Nodes)
	override(&l.MoveTime, f.MoveTime)
	return errors.Join(positive("--depth", f.Depth), positive("--nodes", f.Nodes), positive("--movetime", f.MoveTime))
}

// positive returns an error if a flag was given and is not above 0.
func positive[T int | int64 | time.Duration](flag string, value *T) error {
	if value == nil || *value > 0 {
		return nil
	}
	return fmt.Errorf("%s: expected more than 0, found %v", flag, *value)
}

// repetitionFlag is the policy on moves that only repeat.
type repetitionFlag struct {
	OnRepetition string `placeholder:"HOW" help:"What becomes of a move that only the rules on repetition and null moves forbid: forfeit (the game; default), ask-next (an external engine's choice before), or allow."`
}

// apply replaces p by the policy that was given.
func (f repetitionFlag) apply(p *agents.OnRepetition) error {
	given := agents.OnRepetition(f.OnRepetition)
	if !given.Valid() {
		return fmt.Errorf("--on-repetition: expected %s, %s or %s, found %.60q",
			agents.Forfeit, agents.AskNext, agents.Allow, given)
	}
	if given != "" {
		*p = given
	}
	return nil
}
