package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/human"
	"gyges/rules"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

type playCmd struct {
	South string `required:"" placeholder:"AGENT" help:"Agent that plays South, as a spec; human plays at the terminal."`
	North string `required:"" placeholder:"AGENT" help:"Agent that plays North."`
	rulesFlags
	Position string  `placeholder:"POSITION" help:"Position to start from, instead of a random set-up."`
	Setup    string  `enum:"random,agents" default:"random" placeholder:"HOW" help:"Set-up: random (default), or agents: the players place their pieces in turn. Kang has no set-up."`
	Seed     *uint64 `placeholder:"N" help:"Seed of all random choices; the same seed gives the same game. Default: a new one, which is printed."`
	agents.Limits
	OnRepetition agents.OnRepetition `enum:",forfeit,ask-next,allow" default:"" placeholder:"HOW" help:"What becomes of a move that only the rules on repetition and null moves forbid: forfeit (the game; default), ask-next (an external engine's choice before), or allow."`
	StallTimeout time.Duration       `check:"0s..24h" default:"10m" placeholder:"TIME" help:"How long beyond its limits to wait for an agent that does not answer, before it loses; 0s: no timeout. Default: 10m."`
	Quiet        bool                `short:"q" help:"Print the moves, not the board."`
}

func (c *playCmd) Run(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	seed := rand.Uint64N(1e9) // short enough to type
	if c.Seed != nil {
		seed = *c.Seed
	}
	m := game.Task{Rules: r, Settings: game.Settings{
		Openings: schedule.Openings{Policy: "play"}, Limits: c.Limits, OnRepetition: c.OnRepetition,
		StallTimeout: c.StallTimeout,
	}}
	if m.Opening, err = c.opening(r, seed); err != nil {
		return err
	}
	defer func() { closeAgent(e, m.Seats[rules.South].Agent) }()
	defer func() { closeAgent(e, m.Seats[rules.North].Agent) }()
	if err := c.seat(ctx, e, &m, seed); err != nil {
		return err
	}
	e.out.printf("South  %s\nNorth  %s\nRules  %v, seed %d\n",
		withSpec(m.Seats[rules.South].Name), withSpec(m.Seats[rules.North].Name), r, seed)
	s := &spectator{out: e.out, before: m.Opening, quiet: c.Quiet, showSetup: m.Seats[0].Person || m.Seats[1].Person}
	s.board(r, m.Opening, rules.NoMove)
	m.OnMove = s.move
	game, err := game.Play(ctx, &m)
	switch {
	case ctx.Err() != nil:
		e.err.printf("\ngyges: interrupted; --position '%s' resumes it\n", r.FormatPosition(s.before))
		return ctx.Err()
	case err != nil:
		return err
	}
	if game.Reason == record.Resignation {
		loser := rules.South
		if record.HalfPoints(game.Result, loser) > 0 {
			loser = rules.North
		}
		e.out.printf("%v resigned\n", loser)
	}
	printResult(e.out, game)
	return nil
}

// opening returns the position the game begins in.
func (c *playCmd) opening(r *rules.Rules, seed uint64) (rules.Position, error) {
	switch {
	case c.Position != "" && c.Setup == "agents":
		return rules.Position{}, errors.New("--position can't be combined with --setup agents")
	case c.Position != "":
		p, err := parsePosition(r, []string{c.Position})
		if o, reason := rules.NewGame(r, p).Outcome(); err == nil && o != rules.Undecided {
			err = fmt.Errorf("--position: the game is over there, %v by %s", o, reason)
		}
		return p, err
	case c.Setup == "agents" || r.Options().Kang:
		return r.Start(), nil
	}
	opening, _, err := schedule.NewOpener(schedule.Openings{Policy: schedule.RandomOpenings}, seed).Opening(r, 0)
	return opening, err
}

func (c *playCmd) seat(ctx context.Context, e *env, m *game.Task, seed uint64) error {
	var errs []error
	for side, text := range [2]string{c.South, c.North} {
		spec, err := agents.ParseSpec(text)
		if err == nil {
			kind, _ := e.registry.Kind(spec) // Start has the same error
			m.Seats[side] = game.Seat{Name: spec.String(), Seed: seed, Person: kind.Interactive}
			m.Seats[side].Agent, err = e.registry.Start(ctx, spec, m.Rules)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// spectator prints a game as it is played.
type spectator struct {
	out       *output
	before    rules.Position // before the next move
	quiet     bool
	showSetup bool // draw the board after each placement, too
}

// move prints a move that has been made, and the board after it.
func (s *spectator) move(g *rules.Game, d agents.Decision) {
	t := record.Turn{Decision: d, Before: s.before, After: g.Position()}
	if !d.Move.IsPlacement() {
		t.Ply = g.Ply()
	}
	s.turn(g.Rules(), t)
	s.before = t.After
}

// turn prints a move and the board after it.
func (s *spectator) turn(r *rules.Rules, t record.Turn) {
	number := "    "
	if t.Ply > 0 {
		number = fmt.Sprintf("%3d.", t.Ply)
	}
	line := fmt.Sprintf("%s %v  %s", number, t.Before.Side(), r.LongText(t.Before, t.Move))
	text := t.Info(func(n int64) string { return fmt.Sprint(n) })
	if t.Best != rules.NoMove {
		text = "best " + r.LongText(t.Before, t.Best) + ", " + text
	}
	for _, more := range t.More {
		text += ", " + more
	}
	if ms := t.MS; ms != nil && *ms < 1000 {
		text += fmt.Sprintf(", %.1fms", *ms)
	} else if ms != nil {
		text += fmt.Sprintf(", %.2fs", *ms/1000)
	}
	text = strings.TrimPrefix(text, ", ")
	s.out.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-48s  %s", line, text), " "))
	if s.showSetup || !r.SettingUp(t.After) {
		s.board(r, t.After, t.Move)
	}
}

// board draws a position, with blank lines around it.
func (s *spectator) board(r *rules.Rules, p rules.Position, last rules.Move) {
	if !s.quiet {
		s.out.printf("\n%s\n", human.Board(r, p, last, nil))
	}
}
