package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

type openingsCmd struct {
	Screen string `arg:"" optional:"" placeholder:"FILE" help:"A list to be screened, a position a line; without it random openings are made."`
	rulesFlags
	Setups   bool     `xor:"setups" help:"List all distinct set-ups in order, instead of random openings."`
	Count    int      `check:"1..1000000" default:"10" placeholder:"N" help:"How many openings to make. Default: 10."`
	Plies    int      `check:"0..40" xor:"setups" placeholder:"N" help:"Random plies after the set-up, 0 to 40. Default: none, but 4 under Kang."`
	Seed     uint64   `default:"1" placeholder:"N" help:"Seed of all random choices; a tournament with this seed plays the same openings. Default: 1."`
	Agent    []string `sep:"none" placeholder:"AGENT" complete:"agents" help:"Score each opening with this agent; the score for the side to move is printed after a #. With --book a player; repeated."`
	MaxScore *float64 `check:"0.." placeholder:"POINTS" help:"Keep only openings that --agent scores from -POINTS to POINTS."`
	agents.Limits

	Book    bool   `group:"Book:" help:"Keep of the openings those from which the stronger of two agents wins both games of a pair: --agent STRONGER --agent WEAKER, and the same for more rounds."`
	Workers int    `group:"Book:" check:"0..1024" placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out     string `group:"Book:" placeholder:"DIR" help:"Folder for the rounds of the book, which resume there. Default: a new one, results/book-TIME."`
}

// Run prints the openings that pass.
func (c *openingsCmd) Run(ctx context.Context, e *env) error {
	s, err := c.screening(ctx, e)
	if err != nil {
		return err
	}
	if c.Book {
		return c.makeBook(ctx, e, s)
	}
	if s.Agent != nil {
		defer closeAgent(e, s.Agent)
	}
	kept, seen, err := s.Run(ctx, func(p rules.Position, score float64) {
		text := s.Rules.FormatPosition(p)
		if s.Agent != nil {
			text += fmt.Sprintf(" # %+.2f", score)
		}
		e.out.printf("%s\n", text)
	})
	switch {
	case errors.Is(err, tournament.ErrNoScore):
		return fmt.Errorf("--agent: %w, found %.60q", err, c.Agent[0])
	case err != nil && s.Agent != nil && ctx.Err() == nil:
		return failure{err}
	case err != nil:
		return err
	}
	e.err.printf("kept %d of %d openings\n", kept, seen)
	if s.Openings.Policy == tournament.RandomOpenings && kept < c.Count {
		return errNo
	}
	return nil
}

// screening returns what the flags ask for, checked.
func (c *openingsCmd) screening(ctx context.Context, e *env) (s tournament.Screening, err error) {
	s = tournament.Screening{Seed: c.Seed, Count: c.Count, Limits: c.Limits, MaxScore: math.Inf(1)}
	if s.Rules, err = c.load(); err != nil {
		return s, err
	}
	s.Openings = tournament.Openings{Policy: tournament.RandomOpenings, Plies: c.Plies}
	switch {
	case c.Screen != "":
		s.Count = 0
		if s.Openings, err = readInput(ctx, e, c.Screen, tournament.ReadOpenings); err != nil {
			return s, err
		}
	case c.Setups:
		s.Openings = tournament.Openings{Policy: tournament.SetupOpenings}
		if all := s.Rules.Setups(); all.Len() == 0 {
			return s, fmt.Errorf("--setups: rules %v have no set-ups", s.Rules)
		}
	}
	switch {
	case c.Book && c.MaxScore != nil:
		return s, errors.New("--max-score and --book can't be combined")
	case c.Book && (len(c.Agent) == 0 || len(c.Agent)%2 == 1):
		return s, fmt.Errorf("--book needs pairs of agents, --agent STRONGER --agent WEAKER; found %s",
			textfmt.Plural(len(c.Agent), "agent"))
	case !c.Book && len(c.Agent) > 1:
		return s, fmt.Errorf("--agent: expected one that scores, or --book; found %d", len(c.Agent))
	case !c.Book && (c.Workers != 0 || c.Out != ""):
		return s, errors.New("--workers and --out need --book")
	case c.MaxScore == nil:
	case len(c.Agent) == 0:
		return s, errors.New("--max-score needs an --agent that scores")
	default:
		s.MaxScore = *c.MaxScore
	}
	if !c.Book && len(c.Agent) > 0 {
		s.Agent, err = newAgent(ctx, e, c.Agent[0], s.Rules)
	}
	return s, err
}

// makeBook prints the openings that are left of the candidates.
func (c *openingsCmd) makeBook(ctx context.Context, e *env, s tournament.Screening) error {
	b := tournament.BookMaking{
		Candidates: s, Config: tournament.DefaultConfig(),
		Out: cmp.Or(c.Out, tournament.DefaultOut("results", "book", time.Now())),
	}
	b.Config.Limits, b.Config.Seed, b.Config.Workers, b.Config.Log = c.Limits, c.Seed, c.Workers, e.log
	for _, text := range c.Agent {
		spec, err := agents.ParseSpec(text)
		if err != nil {
			return fmt.Errorf("--agent: %w", err)
		}
		b.Config.Agents = append(b.Config.Agents, spec)
	}
	var p *meter
	b.OnRound = func(round int, match *tournament.Config) func(*record.Game) {
		p.end()
		e.err.printf("round %d: %d openings, %s against %s, in %s\n", round, match.Pairs,
			textfmt.Escape(match.Agents[0].Label()), textfmt.Escape(match.Agents[1].Label()), match.Out)
		p = newMeter(e.err, match.Games())
		p.reading, match.OnBegin = true, p.resume
		return p.game
	}
	left, err := b.Run(ctx, e.registry)
	p.end()
	if err != nil {
		if ctx.Err() != nil {
			e.err.printf("Stopped. Go on with the same command and --out %s.\n", b.Out)
		}
		return settings.FlagErrors(&b.Config, err)
	}
	slices.Sort(left)
	for _, position := range left {
		e.out.printf("%s\n", position)
	}
	e.err.printf("kept %s; the games are in %s\n", textfmt.Plural(len(left), "opening"), b.Out)
	return nil
}
