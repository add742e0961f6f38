package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament"
)

// openingsCmd makes lists of openings, or screens one.
type openingsCmd struct {
	Screen string `arg:"" optional:"" placeholder:"FILE" help:"A list to be screened, a position a line; without it random openings are made."`
	rulesFlags
	Setups   bool     `help:"List all distinct set-ups in order, instead of random openings."`
	Count    int      `default:"10" placeholder:"N" help:"How many openings to make. Default: 10."`
	Plies    int      `placeholder:"N" help:"Random plies after the set-up, 0 to 40. Default: none, but 4 under Kang."`
	Seed     uint64   `default:"1" placeholder:"N" help:"Seed of all random choices; a tournament with this seed plays the same openings. Default: 1."`
	Agent    string   `placeholder:"AGENT" complete:"agents" help:"Score each opening with this agent; the score for the side to move is printed after a #."`
	MaxScore *float64 `placeholder:"POINTS" help:"Keep only openings that --agent scores from -POINTS to POINTS."`
	agents.Limits
}

func (openingsCmd) Help() string {
	return "Prints positions, one a line, in which no side can force a win within two plies: the side to move can't win " +
		"at once, and has a move after which the opponent can't either. --openings file:PATH plays such a list."
}

func (openingsCmd) examples() []example {
	return []example{
		{"gyges openings --count 5 --seed 7", ""},
		{"gyges openings --count 5 --agent alphabeta:depth=2 --max-score 0.5", "balanced openings, by that agent's score"},
	}
}

// Run prints the openings that pass.
func (c *openingsCmd) Run(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	next, total, err := c.source(ctx, e, r)
	if err != nil {
		return err
	}
	scorer, err := c.scorer(e, r)
	if err != nil {
		return err
	}
	if scorer != nil {
		defer closeAgent(e, scorer.agent)
	}
	kept, seen := 0, 0
	for ; seen < total && ctx.Err() == nil && (c.Screen != "" || kept < c.Count); seen++ {
		p, err := next(seen)
		if err != nil {
			return err
		}
		if !tournament.Screened(r, p) {
			continue
		}
		text := r.FormatPosition(p)
		if scorer != nil {
			score, err := scorer.score(ctx, p)
			if errors.Is(err, errNoScore) {
				return fmt.Errorf("--agent: %w, found %.60q", err, c.Agent)
			}
			if err != nil {
				return failure{err}
			}
			if c.MaxScore != nil && (score > *c.MaxScore || score < -*c.MaxScore) {
				continue
			}
			text += fmt.Sprintf(" # %+.2f", score)
		}
		e.out.printf("%s\n", text)
		kept++
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	e.err.printf("kept %d of %d openings\n", kept, seen)
	if c.Screen == "" && !c.Setups && kept < c.Count {
		return errNo
	}
	return nil
}

// source returns a function for the i-th opening to screen, and the number of openings at most.
func (c *openingsCmd) source(
	ctx context.Context, e *env, r *rules.Rules,
) (next func(i int) (rules.Position, error), total int, err error) {
	const maxCount, maxTries = 1_000_000, 100 // tries for each opening
	if c.Screen != "" {
		o, err := readInput(ctx, e, c.Screen, tournament.ReadOpenings)
		if err != nil {
			return nil, 0, err
		}
		return func(i int) (rules.Position, error) { return o.Opening(r, c.Seed, int64(i)) }, len(o.Positions), nil
	}
	if err := errors.Join(between("--count", c.Count, 1, maxCount), between("--plies", c.Plies, 0, 40)); err != nil {
		return nil, 0, err
	}
	o := tournament.Openings{Policy: tournament.RandomOpenings, Plies: c.Plies}
	if c.Setups {
		if c.Plies > 0 {
			return nil, 0, errors.New("--plies: expected none with --setups")
		}
		all := r.Setups()
		if all.Len() == 0 {
			return nil, 0, fmt.Errorf("--setups: rules %v have no set-ups", r)
		}
		return func(i int) (rules.Position, error) { return all.At(int64(i)), nil }, int(min(all.Len(), math.MaxInt32)), nil
	}
	return func(i int) (rules.Position, error) { return o.Opening(r, c.Seed, int64(i)) }, maxTries * c.Count, nil
}

// openingScorer scores openings.
type openingScorer struct {
	rules  *rules.Rules
	agent  agents.Agent
	limits agents.Limits
	seed   uint64
}

// scorer makes the agent of --agent; nil if there is none.
func (c *openingsCmd) scorer(e *env, r *rules.Rules) (*openingScorer, error) {
	if c.Agent == "" {
		if c.MaxScore != nil {
			return nil, fmt.Errorf("--max-score: expected an --agent that scores")
		}
		return nil, nil
	}
	if c.MaxScore != nil && *c.MaxScore < 0 {
		return nil, fmt.Errorf("--max-score: expected a number from 0, found %v", *c.MaxScore)
	}
	s := &openingScorer{rules: r, seed: c.Seed, limits: c.Limits}
	if err := checkSettings(&c.Limits); err != nil {
		return nil, err
	}
	var err error
	if s.agent, err = newAgent(e, c.Agent); err != nil {
		return nil, fmt.Errorf("--agent: %w", err)
	}
	return s, nil
}

// errNoScore is returned for an agent without an evaluation.
var errNoScore = errors.New("expected an agent that gives scores, like alphabeta:depth=2")

// score returns the agent's score of an opening in points, for the side to move.
func (s *openingScorer) score(ctx context.Context, p rules.Position) (float64, error) {
	err := s.agent.NewGame(ctx, agents.Setup{Rules: s.rules, Side: p.Side(), Seed: s.seed})
	if err != nil {
		return 0, err
	}
	d, err := s.agent.Choose(ctx, rules.NewGame(s.rules, p), s.limits)
	if err == nil && !d.Scored {
		err = errNoScore
	}
	return float64(d.Score) / 100, err
}
