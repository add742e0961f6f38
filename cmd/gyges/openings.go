package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/schedule"
)

// openingsCmd makes a list of openings, or screens one: an agent may score the openings.
type openingsCmd struct {
	Screen string `arg:"" optional:"" placeholder:"FILE" help:"A list to be screened, a position a line; without it random openings are made."`
	rulesFlags
	Setups   bool         `xor:"setups" help:"List all distinct set-ups in order, instead of random openings."`
	Count    int          `check:"1..1000000" default:"10" placeholder:"N" help:"How many openings to make. Default: 10."`
	Plies    int          `check:"0..40" xor:"setups" placeholder:"N" help:"Random plies after the set-up, 0 to 40. Default: none, but 4 under Kang."`
	Seed     uint64       `default:"1" placeholder:"N" help:"Seed of all random choices; a tournament with this seed plays the same openings. Default: 1."`
	Agent    *agents.Spec `placeholder:"AGENT" help:"Score each opening with this agent; the score for the side to move is printed after a #."`
	MaxScore *float64     `check:"0.." placeholder:"POINTS" help:"Keep only openings that --agent scores from -POINTS to POINTS."`
	agents.Limits
}

// Run prints each opening as soon as it is scored.
func (c *openingsCmd) Run(ctx context.Context, e *env) error {
	s, err := c.screening(ctx, e)
	if err != nil {
		return err
	}
	// Without --agent the openings have no scores.
	defer closeAgent(e, s.Agent)
	// The score is behind a mark, at which readers of lists end a line.
	kept, seen, err := s.Run(ctx, func(p rules.Position, score float64) {
		text := s.Rules.FormatPosition(p)
		if s.Agent != nil {
			text += fmt.Sprintf(" # %+.2f", score)
		}
		e.out.printf("%s\n", text)
	})
	if errors.Is(err, schedule.ErrNoScore) {
		return fmt.Errorf("--agent: %w, found %.60q", err, c.Agent)
	}
	if err != nil {
		if s.Agent != nil && ctx.Err() == nil {
			return failure{err} // of the agent
		}
		return err
	}
	e.err.printf("kept %d of %d openings\n", kept, seen)
	// Random openings are made until there are enough, or nearly all are left out.
	tooFew := s.Openings.Policy == schedule.RandomOpenings && kept < c.Count
	return answer(!tooFew)
}

// screening returns what the flags ask for, with the agent of --agent, which is to be closed.
func (c *openingsCmd) screening(ctx context.Context, e *env) (s schedule.Screening, err error) {
	s = schedule.Screening{Seed: c.Seed, Count: c.Count, Limits: c.Limits, MaxScore: math.Inf(1)}
	s.Rules, err = c.load()
	if err != nil {
		return s, err
	}
	// There are three sources: a list, all set-ups, or chance.
	s.Openings = schedule.Openings{Policy: schedule.RandomOpenings, Plies: c.Plies}
	if c.Screen != "" { // all of its openings, whatever else is asked for
		s.Count = 0
		s.Openings, err = readInput(ctx, e, c.Screen, schedule.ReadOpenings)
		if err != nil {
			return s, err
		}
	} else if c.Setups {
		s.Openings = schedule.Openings{Policy: schedule.SetupOpenings}
		if s.Rules.Setups().Len() == 0 {
			return s, fmt.Errorf("--setups: rules %v have no set-ups", s.Rules)
		}
	}
	// Without a bound every opening is kept.
	if c.MaxScore != nil {
		if c.Agent == nil {
			return s, errors.New("--max-score needs an --agent that scores")
		}
		s.MaxScore = *c.MaxScore
	}
	if c.Agent != nil {
		s.Agent, err = newAgent(ctx, e, *c.Agent, s.Rules)
	}
	return s, err
}
