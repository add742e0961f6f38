// Package ugi implements UGI, the line protocol of Gygès engines on standard input and output, in
// both directions. README.md, its manual, has the protocol and our extensions.
//
// [Kind] makes an external program an agent. Its host chooses what to say for a game, a client has
// the dialogue with the program, and a process starts the program, and sends and receives lines,
// which a trace keeps. A [Log] has what is known of all programs; its method Check tests one.
//
// [Serve] makes an agent an engine for another program. Its server answers the commands:
// server_options.go has those that set something, server_search.go the search.
package ugi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/rules"
	"gyges/rules/base/settings"
)

// config holds the parameters of an agent that is a program, but for those that begin with
// optionPrefix.
type config struct {
	Command  string        `param:"cmd" help:"the program and its arguments, separated by blanks; words with blanks in double quotes"`
	Dir      string        `param:"dir" help:"folder to run it in; a program named with a slash is looked for from there"`
	Engine   string        `param:"engine" help:"name by which workers on other machines find their program in place of cmd and dir; default: the player's name"`
	Depth    int           `param:"depth" check:"1..1000" help:"plies to search, if the program has an option for it"`
	Nodes    int64         `param:"nodes" check:"1..1000000000000" help:"nodes for a move, if the program has an option for it"`
	MoveTime time.Duration `param:"movetime" check:"1ms..1h" help:"time for a move"`
	Start    time.Duration `param:"start" default:"10s" check:"1ms..24h" help:"time to start and send ugiok"`
	Ready    time.Duration `param:"ready" default:"10s" check:"1ms..24h" help:"time to send readyok"`
	Move     time.Duration `param:"move" default:"1m" check:"1ms..24h" help:"time for a move that no movetime bounds; then stop is sent"`
	Grace    time.Duration `param:"grace" default:"1s" check:"1ms..24h" help:"how much later than its time a move may come"`
	Restart  restart       `param:"restart" default:"crash" help:"start the program anew after a crash only, or for every game"`
}

// restart is when a program is started anew.
type restart string

const everyGame restart = "game"

// Choices lists the values.
func (restart) Choices() []settings.Choice {
	return []settings.Choice{{Name: "crash"}, {Name: string(everyGame)}}
}

const optionPrefix = agents.OptionPrefix

// Kind returns the kind of agent that is an external program. The log is of all its programs; nil:
// there is none.
func Kind(log *Log) agents.Kind {
	params := agents.ParamsOf(&struct {
		config
		Option string `param:"opt." zero:"empty" help:"opt.NAME=VALUE sends setoption NAME VALUE when the program has started"`
	}{})
	return agents.Kind{
		Name:   "ugi",
		Doc:    "an external program that speaks the UGI protocol",
		Params: params,
		New:    log.newHost,
	}
}

// host is a program as an agent, started before the first game and used for all games until it
// fails.
type host struct {
	*client
	config config
	given  []agents.Param   // options of the spec, by name
	rules  []*rules.Rules   // that the program must be able to play
	idle   chan<- io.Closer // programs that are kept; nil: none are

	told  position
	setup agents.Setup
	rng   *rand.Rand // for set-ups, which a program without the extensions can't choose
}

// newHost returns the agent of a configuration. Its program is started by Start, or by the first
// game, unless one is kept that runs; see [agents.Registry.Keeping].
func (l *Log) newHost(c agents.Config) (agents.Agent, error) {
	h := &host{client: &client{log: l}, rules: c.Rules, idle: c.Idle}
	c.Decode(&h.config)
	h.label = cmp.Or(c.Values["name"], h.config.Command)
	h.command = splitCommand(h.config.Command)
	h.dir = h.config.Dir
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		option, ok := strings.CutPrefix(name, optionPrefix)
		if !ok {
			continue
		}
		value := c.Values[name]
		if strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("parameter %s: expected one line, found %.60q", name, value)
		}
		for _, other := range h.given {
			if keyOf(other.Name) == keyOf(option) {
				return nil, fmt.Errorf("option %s is given twice, as %s, too", option, other.Name)
			}
		}
		h.given = append(h.given, agents.Param{Name: option, Value: value})
	}
	if err := findProgram(h.command, h.dir); err != nil {
		return nil, err
	}
	select {
	case program := <-c.Idle:
		h.client = program.(*client)
		h.untold = true
		if h.proc != nil && h.proc.hasEnded() { // while nobody used it
			h.kill()
		}
	default: // there is none
	}
	return h, nil
}

// Close ends the program, or keeps it, unless games begin with a new one or it owes an answer.
func (h *host) Close() error {
	if !h.pending.any() && h.config.Restart != everyGame {
		select {
		case h.idle <- h.client:
			return nil
		default: // none are kept, or there are enough
		}
	}
	return h.client.Close()
}

// Capabilities returns none: the protocol has limits only.
func (h *host) Capabilities() agents.Capabilities { return agents.Capabilities{} }

// Trace returns the last lines of the dialogue.
func (h *host) Trace() []string { return h.trace.last() }

// fail kills the program, which is in an unknown state, unless err is nil or the context's. It
// returns err.
func (h *host) fail(ctx context.Context, err error) error {
	if err != nil && !errors.Is(err, ctx.Err()) {
		h.kill()
	}
	return err
}

// NewGame prepares the program, which is started anew if the spec says so.
func (h *host) NewGame(ctx context.Context, s agents.Setup) error {
	played := h.setup.Rules != nil
	if h.config.Restart == everyGame && played {
		if err := h.Close(); err != nil {
			return err
		}
	}
	h.setup = s
	h.rng = s.Rand()
	return h.fail(ctx, h.newGame(ctx))
}

// newGame prepares the program for the game of the setup.
func (h *host) newGame(ctx context.Context) error {
	h.told.text = h.told.text[:0]
	if err := h.wait(ctx, "", h.config.Ready); err != nil {
		return err
	}
	if err := h.run(ctx, h.setup.Rules); err != nil {
		return err
	}
	commands := ""
	if h.extended {
		commands = h.optionCommand("rules", h.setup.Rules.String())
		commands += h.optionCommand("seed", strconv.FormatUint(h.setup.Seed, 10))
	}
	return h.wait(ctx, commands+"isready\n", h.config.Ready)
}

// Start starts the program, and blocks until it is ready.
func (h *host) Start(ctx context.Context) error {
	if err := h.run(ctx, h.rules...); err != nil {
		return err
	}
	return h.fail(ctx, h.wait(ctx, "isready\n", h.config.Ready))
}

// run starts the program with the options of the spec unless it runs, and checks that it can play
// by the rules.
func (h *host) run(ctx context.Context, sets ...*rules.Rules) error {
	if h.proc == nil {
		h.sent = limitValues{}
		if err := h.launch(ctx, h.config.Start); err != nil {
			return err
		}
		h.program = h.look()
		h.untold = true
	}
	if h.untold {
		if err := h.checkOptions(); err != nil {
			return h.fail(ctx, err)
		}
		// An option of the spec may have replaced a limit.
		for i, limit := range h.sent {
			if limit > 0 {
				h.sent[i] = math.NaN()
			}
		}
		commands := ""
		for _, option := range h.given {
			commands += h.optionCommand(option.Name, option.Value)
		}
		if err := h.fail(ctx, h.proc.send([]byte(commands))); err != nil {
			return err
		}
		h.untold = false
	}
	for _, r := range sets {
		if err := h.checkRules(r); err != nil {
			return err
		}
	}
	return nil
}

// checkRules returns an error unless the program can be told the rules, or plays by them without.
func (h *host) checkRules(r *rules.Rules) error {
	o := r.Options()
	if !h.extended {
		if o.Kang || !o.Relocation { // positions of the standard game don't tell them
			return fmt.Errorf("the engine can't play %s: it lacks the option rules", r)
		}
		return nil
	}
	// The program knows the rules by their name alone.
	again, err := rules.Parse(r.String())
	if err != nil || again.Options() != o {
		return fmt.Errorf("expected rules that their name describes completely, found %s", r)
	}
	return h.checkKnown(r)
}

// Choose returns the program's move, or makes the decisions that the protocol has no words for.
func (h *host) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (d agents.Decision, err error) {
	if err := q.Check(h.Capabilities()); err != nil {
		return d, err
	}
	if err := ctx.Err(); err != nil {
		return d, err
	}
	if o, _ := g.Outcome(); o != rules.Undecided {
		return d, rules.ErrOver
	}
	if !h.extended { // the protocol has no placements and no pass
		if g.Rules().SettingUp(g.Position()) {
			d.Move, err = random.Move(g, h.rng)
			return d, err
		}
		if g.Legal().Contains(rules.Pass) {
			return agents.Decision{Move: rules.Pass}, nil
		}
	}
	own := agents.Limits{Depth: h.config.Depth, Nodes: h.config.Nodes, MoveTime: h.config.MoveTime}
	limits := h.withoutClock(g, q.Limits.Tighter(own))
	d, err = h.choose(ctx, g, limits)
	return d, h.fail(ctx, err)
}

// choose has the program choose a move within limits.
func (h *host) choose(
	ctx context.Context, g *rules.Game, limits agents.Limits,
) (d agents.Decision, err error) {
	if err := h.wait(ctx, "", h.config.Ready); err != nil {
		return d, err
	}
	if h.proc == nil { // the search before failed, and its game goes on all the same
		if err := h.newGame(ctx); err != nil {
			return d, err
		}
	}
	// All is sent at once: limits and position, then go as soon as the program is ready.
	var commands []byte
	if h.extended {
		commands = append(h.told.command(g), "\nisready\ngo"...)
		commands = appendLimits(commands, limits, g.Position().Side())
		commands = append(commands, '\n')
	} else {
		options, err := h.limitCommands(ctx, limits)
		if err != nil {
			return d, err
		}
		rows := formatRows(g.Rules(), g.Position())
		commands = []byte(options + "setpos data " + rows + "\nisready\ngo\n")
	}
	budget, grace := h.times(limits)
	if err := h.search(ctx, commands, h.config.Ready, budget, grace); err != nil {
		return d, err
	}
	d, err = h.decide(g)
	d.Answered = h.proc.lastRead
	return d, err
}

// position is the position that the program was told last, as the command that it grows into: in a
// long game the moves that are new are a small part of it.
type position struct {
	start rules.Position
	moves []rules.Move
	text  []byte // empty: none in this game
}

// command returns the command that tells the program the position of a game and its history.
func (p *position) command(g *rules.Game) []byte {
	if len(p.text) == 0 || !continues(g, p.start, p.moves) {
		p.start = g.Start()
		p.moves = p.moves[:0]
		p.text = append(p.text[:0], "setpos pos "+g.Rules().FormatPosition(p.start)+" moves"...)
	}
	added := g.Moves()[len(p.moves):]
	for _, m := range added {
		p.text = append(p.text, ' ')
		p.text = m.AppendText(p.text)
	}
	p.moves = append(p.moves, added...)
	return p.text
}

// continues reports whether a game has a start, and begins with the moves from there.
func continues(g *rules.Game, start rules.Position, moves []rules.Move) bool {
	if g.Start() != start || len(g.Moves()) < len(moves) {
		return false
	}
	return slices.Equal(g.Moves()[:len(moves)], moves)
}

// decide returns the decision that the program's answer is.
func (h *host) decide(g *rules.Game) (d agents.Decision, err error) {
	answer := h.answer
	m, err := h.readMove(g, answer.move)
	if err != nil {
		return d, failure(agents.BadMove, "%w", err)
	}
	if h.setup.OnRepetition == agents.AskNext && g.OnlyRepeats(m) {
		// The choice at the next lower depth that is legal is played.
		for _, other := range slices.Backward(h.results) {
			next, err := h.readMove(g, other.move)
			if err == nil && g.Legal().Contains(next) {
				m = next
				answer = other
				break
			}
		}
	}
	return agents.Decision{
		Move:   m,
		Depth:  answer.depth,
		Nodes:  answer.nodes,
		Scored: answer.scored,
		Score:  answer.agentScore(h.extended),
	}, nil
}

// readMove reads a move in the program's numbers, which are the mover's unless the program has the
// extensions.
func (h *host) readMove(g *rules.Game, text string) (rules.Move, error) {
	p := g.Position()
	turned := !h.extended && p.Side() == rules.North
	if turned {
		p = p.Rotate()
	}
	m, err := parseMove(g.Rules(), p, text)
	if err != nil {
		return rules.NoMove, fmt.Errorf("the engine answered %.120q: %w", text, err)
	}
	if turned {
		m = m.Rotate()
	}
	return m, nil
}
