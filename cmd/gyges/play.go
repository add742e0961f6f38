package main

import (
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

// playCmd plays one game between agents, or with a person at the terminal, and prints it.
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

// Run seats the agents, plays the game and keeps its record.
func (c *playCmd) Run(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	seed := rand.Uint64N(1e9) // short enough to type
	if c.Seed != nil {
		seed = *c.Seed
	}
	opening, err := c.opening(r, seed)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(c.Out)); err != nil {
		return fileError("--out", err)
	}
	// The spectator prints each move. It is told of them by the game, not by the agents.
	task := &game.Task{Rules: r, Opening: opening, Settings: game.Settings{
		Openings: schedule.Openings{Policy: "play"}, Limits: c.Limits, OnRepetition: c.OnRepetition,
		StallTimeout: c.StallTimeout,
	}}
	s := &spectator{Task: task, out: e.out, before: opening, quiet: c.Quiet}
	task.OnMove = s.move
	// Agents may be programs, which end with the game.
	defer func() {
		for _, seat := range s.Seats {
			closeAgent(e, seat.Agent)
		}
	}()
	errSouth := s.seat(ctx, e, rules.South, c.South, seed)
	errNorth := s.seat(ctx, e, rules.North, c.North, seed)
	if err := errors.Join(errSouth, errNorth); err != nil {
		return err
	}
	e.out.printf("South  %s\n", withSpec(c.South.String()))
	e.out.printf("North  %s\n", withSpec(c.North.String()))
	e.out.printf("Rules  %v, seed %d\n", r, seed)
	// What agents say would help a person who plays against them.
	s.secret = s.showSetup && !c.Scores
	s.board(r, opening, rules.NoMove)
	played, err := s.play(ctx)
	if ctx.Err() != nil {
		return c.interrupted(ctx, e, s)
	}
	if err != nil {
		return err
	}
	printResult(e.out, played)
	if c.Out == "" {
		return nil
	}
	s.finish(played)
	return writeGame(c.Out, played)
}

// interrupted keeps the moves so far, and says how to go on with the game.
func (c *playCmd) interrupted(ctx context.Context, e *env, s *spectator) (err error) {
	if c.Out != "" && len(s.made) > 0 {
		path := strings.TrimSuffix(c.Out, ".pgn") + ".pgn"
		err = writeGame(path, s.unfinished())
		e.err.printf("\ngyges: the moves so far are in %s", path)
	}
	e.err.printf("\ngyges: interrupted; --position '%s' resumes it\n",
		s.Rules.FormatPosition(s.before))
	if err != nil {
		return err
	}
	return ctx.Err()
}

// writeGame writes a game to the file of --out, in the format that its name ends in.
func writeGame(path string, g *record.Record) error {
	// Any ending but those of records and tables stands for PGN.
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	return writeFile("--out", path, func(out io.Writer) error {
		write, end := gameWriter(out, format, "play", nil)
		if err := write(g); err != nil {
			return err
		}
		return end()
	})
}

// opening returns the position that the game begins in.
func (c *playCmd) opening(r *rules.Rules, seed uint64) (rules.Position, error) {
	agentsPlace := c.Setup == "agents"
	if c.Position != "" {
		if agentsPlace {
			return rules.Position{}, errors.New("--position can't be combined with --setup agents")
		}
		p, err := parsePosition(r, []string{c.Position})
		if err != nil {
			return p, err
		}
		return p, checkGoesOn("--position", rules.NewGame(r, p))
	}
	if agentsPlace {
		return r.Start(), nil
	}
	// The same opening begins a tournament with this seed.
	return schedule.DrawSetup(r, seed)
}

// spectator prints a game as it is played.
//
// A person can take moves back. A game knows no way back, since clocks, repetitions and agents all
// depend on the moves before. So the game is interrupted and played again from its beginning: the
// moves that remain are made again at once, see [player], and are not printed again.
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

// player makes the moves that were made before, and then those of its agent.
type player struct {
	agents.Agent
	game *spectator
}

// Choose implements [agents.Agent].
func (p player) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	n, made := len(g.Moves()), p.game.made
	if n < len(made) {
		return made[n].Decision, nil
	}
	return p.Agent.Choose(ctx, g, q)
}

// hintSpec is the agent that gives hints to persons.
var hintSpec = agents.Spec{Kind: "alphabeta"}.With("movetime", "1s")

// seat starts the agent that a spec names and seats it. A person has the spectator's help.
func (s *spectator) seat(
	ctx context.Context, e *env, side rules.Side, spec agents.Spec, seed uint64,
) error {
	agent, err := e.registry.Start(ctx, spec, s.Rules)
	if err != nil {
		return err
	}
	// A person may take back moves and ask for hints; who does is marked in the record.
	person, isPerson := agent.(*human.Person)
	if isPerson {
		person.Undo = s.undo
		person.Hint, _ = e.registry.New(hintSpec) // it is known
		s.showSetup = true
	}
	s.Seats[side] = game.Seat{
		Name: spec.String(), Seed: seed, Person: isPerson, Agent: player{agent, s},
	}
	return nil
}

// play plays the game to its end, each time that moves were taken back from the beginning.
func (s *spectator) play(ctx context.Context) (*record.Record, error) {
	for {
		// The agents are not started again: they see a game with fewer moves.
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
	// The other player's answer is taken back, too. A pass is no choice, so the move before it is
	// taken back with it.
	for i, t := range slices.Backward(s.made) {
		seat := s.Seats[t.Before.Side()]
		if !seat.Person || t.Move == rules.Pass {
			continue
		}
		s.made = s.made[:i]
		s.before = t.Before
		s.board(s.Rules, t.Before, rules.NoMove)
		s.interrupt()
		return true
	}
	return false
}

// finish names the persons who had help so. Then the times are none of their moves.
func (s *spectator) finish(g *record.Record) {
	for side, name := range []*string{&g.South.Agent, &g.North.Agent} {
		person, isPerson := s.Seats[side].Agent.(player).Agent.(*human.Person)
		if !isPerson || !person.Helped {
			continue
		}
		g.Timing.MoveMS = nil
		if spec, err := agents.ParseSpec(*name); err == nil {
			*name = human.Helped(spec).String()
		}
	}
}

// unfinished returns the record of the moves so far, with the result that PGN has for such games.
func (s *spectator) unfinished() *record.Record {
	g := s.Blank()
	g.Result = "*"
	for _, t := range s.made {
		g.Moves = append(g.Moves, t.Move.String())
		g.Plies = max(g.Plies, t.Ply)
	}
	s.finish(g)
	return g
}

// move prints a move unless it was made before.
func (s *spectator) move(g *rules.Game, d agents.Decision) {
	if len(g.Moves()) <= len(s.made) {
		return
	}
	// Placements have no number.
	t := record.Turn{Decision: d, Before: s.before, After: g.Position()}
	if !d.Move.IsPlacement() {
		t.Ply = g.Ply()
	}
	s.made = append(s.made, t)
	s.before = t.After
	if s.secret {
		t.Decision = agents.Decision{Move: d.Move}
	}
	s.turn(g.Rules(), t)
}

// turn prints a move, what its agent said of it, and the board.
func (s *spectator) turn(r *rules.Rules, t record.Turn) {
	number := "    "
	if t.Ply > 0 {
		number = fmt.Sprintf("%3d.", t.Ply)
	}
	long := r.LongText(t.Before, t.Move)
	move := fmt.Sprintf("%s %v  %s", number, t.Before.Side(), long)
	// What an agent said of its move: a better one, score, depth and nodes, remarks, and the time.
	var said []string
	if t.Best != rules.NoMove {
		said = append(said, "best "+r.LongText(t.Before, t.Best))
	}
	if info := t.Info(func(n int64) string { return fmt.Sprint(n) }); info != "" {
		said = append(said, info)
	}
	said = append(said, t.More...)
	if t.MS != nil {
		took := fmt.Sprintf("%.1fms", *t.MS)
		if *t.MS >= 1000 {
			took = fmt.Sprintf("%.2fs", *t.MS/1000)
		}
		said = append(said, took)
	}
	line := fmt.Sprintf("%-48s  %s", move, strings.Join(said, ", "))
	s.out.printf("%s\n", strings.TrimRight(line, " "))
	if s.showSetup || !r.SettingUp(t.After) {
		s.board(r, t.After, t.Move)
	}
}

// board draws a position, in which the last move is marked.
func (s *spectator) board(r *rules.Rules, p rules.Position, last rules.Move) {
	if s.quiet {
		return
	}
	s.out.print("\n" + human.Board(r, p, last, nil) + "\n")
}
