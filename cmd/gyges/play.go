package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	South agents.Spec `required:"" placeholder:"AGENT" help:"Agent that plays South, as a spec; human plays at the terminal."`
	North agents.Spec `required:"" placeholder:"AGENT" help:"Agent that plays North."`
	rulesFlags
	Position string  `placeholder:"POSITION" help:"Position to start from, instead of a random set-up."`
	Setup    string  `enum:"random,agents" default:"random" placeholder:"HOW" help:"Set-up: random (default), or agents: the players place their pieces in turn. Kang has no set-up."`
	Seed     *uint64 `placeholder:"N" help:"Seed of all random choices; the same seed gives the same game. Default: a new one, which is printed."`
	agents.Limits
	OnRepetition agents.OnRepetition `enum:",forfeit,ask-next,allow" default:"" placeholder:"HOW" help:"What becomes of a move that only the rules on repetition and null moves forbid: forfeit (the game; default), ask-next (an external engine's choice before), or allow."`
	StallTimeout time.Duration       `check:"0s..24h" default:"10m" placeholder:"TIME" help:"How long beyond its limits to wait for an agent that does not answer, before it loses; 0s: no timeout. Default: 10m."`
	Out          string              `short:"o" placeholder:"FILE" help:"File to write the game to, as PGN, or as a record if the name ends in .jsonl; one that is there is replaced. An interrupted game is PGN, in FILE.pgn."`
	Scores       bool                `help:"Print what agents say of their moves to a person, too."`
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
	if _, err := os.Stat(filepath.Dir(c.Out)); err != nil {
		return fileError("--out", err)
	}
	defer func() { closeAgent(e, m.Seats[rules.South].Agent) }()
	defer func() { closeAgent(e, m.Seats[rules.North].Agent) }()
	s := &spectator{Task: &m, out: e.out, before: m.Opening, quiet: c.Quiet}
	m.OnMove = s.move
	for side, spec := range []agents.Spec{c.South, c.North} {
		err = errors.Join(err, s.seat(ctx, e, rules.Side(side), spec, seed))
	}
	if err != nil {
		return err
	}
	e.out.printf("South  %s\nNorth  %s\nRules  %v, seed %d\n",
		withSpec(m.Seats[rules.South].Name), withSpec(m.Seats[rules.North].Name), r, seed)
	s.secret = s.showSetup && !c.Scores
	s.board(r, m.Opening, rules.NoMove)
	game, err := s.play(ctx)
	if ctx.Err() != nil {
		if c.Out != "" && len(s.made) > 0 {
			path := strings.TrimSuffix(c.Out, ".pgn") + ".pgn"
			err = c.keep(path, s.unfinished())
			e.err.printf("\ngyges: the moves so far are in %s", path)
		}
		e.err.printf("\ngyges: interrupted; --position '%s' resumes it\n", r.FormatPosition(s.before))
		return cmp.Or(err, ctx.Err())
	} else if err != nil {
		return err
	}
	printResult(e.out, game)
	if c.Out != "" {
		s.finish(game)
		err = c.keep(c.Out, game)
	}
	return err
}

func (c *playCmd) keep(path string, g *record.Record) error {
	return writeFile("--out", path, func(w io.Writer) error {
		write, end := (&exporter{event: "play"}).format(strings.TrimPrefix(filepath.Ext(path), "."), w)
		return cmp.Or(write(g), end())
	})
}

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

// spectator prints a game as it is played. Moves are taken back by playing it again from its beginning.
type spectator struct {
	*game.Task
	out       *output
	before    rules.Position // before the next move
	quiet     bool
	secret    bool // leave out what agents say of their moves
	showSetup bool // draw the board after each placement, too

	made      []record.Turn
	interrupt context.CancelFunc // ends the playing, which begins again
}

// seat starts the agent that a spec names and seats it. A person has the spectator's help.
func (s *spectator) seat(ctx context.Context, e *env, side rules.Side, spec agents.Spec, seed uint64) error {
	agent, err := e.registry.Start(ctx, spec, s.Rules)
	if err != nil {
		return err
	}
	person, isPerson := agent.(*human.Person)
	if isPerson {
		person.Undo, s.showSetup = s.undo, true
		person.Hint, _ = e.registry.New(hintSpec) // it is known
	}
	s.Seats[side] = game.Seat{Name: spec.String(), Seed: seed, Person: isPerson, Agent: player{agent, s}}
	return nil
}

// player makes the moves that were made before, and then those of its agent.
type player struct {
	agents.Agent
	game *spectator
}

func (p player) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if n := len(g.Moves()); n < len(p.game.made) {
		return p.game.made[n].Decision, nil
	}
	return p.Agent.Choose(ctx, g, q)
}

var hintSpec = agents.Spec{Kind: "alphabeta"}.With("movetime", "1s")

func (s *spectator) play(ctx context.Context) (*record.Record, error) {
	for {
		turn, interrupt := context.WithCancel(ctx)
		s.interrupt = interrupt
		g, err := game.Play(turn, s.Task)
		again := turn.Err() != nil && ctx.Err() == nil
		interrupt()
		if !again {
			return g, err
		}
	}
}

// undo takes back the last move of a person, if there is one, and what followed.
func (s *spectator) undo() bool {
	for i, t := range slices.Backward(s.made) {
		if s.Seats[t.Before.Side()].Person && t.Move != rules.Pass {
			s.made, s.before = s.made[:i], t.Before
			s.board(s.Rules, t.Before, rules.NoMove)
			s.interrupt()
			return true
		}
	}
	return false
}

// finish names the persons who had help so. Then the times are none of their moves.
func (s *spectator) finish(g *record.Record) {
	for side, name := range []*string{&g.South.Agent, &g.North.Agent} {
		p, ok := s.Seats[side].Agent.(player).Agent.(*human.Person)
		if spec, err := agents.ParseSpec(*name); ok && err == nil && p.Helped {
			*name = human.Helped(spec).String()
			g.Timing.MoveMS = nil
		}
	}
}

// unfinished returns the record of the moves so far, with the result that PGN has for such games.
func (s *spectator) unfinished() *record.Record {
	g := s.Blank()
	g.Result = "*"
	for _, t := range s.made {
		g.Moves, g.Plies = append(g.Moves, t.Move.String()), max(g.Plies, t.Ply)
	}
	s.finish(g)
	return g
}

func (s *spectator) move(g *rules.Game, d agents.Decision) {
	if len(g.Moves()) <= len(s.made) {
		return // it was made before
	}
	t := record.Turn{Decision: d, Before: s.before, After: g.Position()}
	if !d.Move.IsPlacement() {
		t.Ply = g.Ply()
	}
	s.made, s.before = append(s.made, t), t.After
	if s.secret {
		t.Decision = agents.Decision{Move: d.Move}
	}
	s.turn(g.Rules(), t)
}

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

func (s *spectator) board(r *rules.Rules, p rules.Position, last rules.Move) {
	if !s.quiet {
		s.out.printf("\n%s\n", human.Board(r, p, last, nil))
	}
}
