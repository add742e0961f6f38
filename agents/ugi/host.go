// Package ugi implements UGI, the line protocol of Gygès engines on standard input and output, in both directions:
// [Kind] makes an external program an agent, and [Serve] makes an agent an engine for another program. [Check] tests a
// program's conformance, point by point. README.md, its manual, has the protocol and our extensions.
package ugi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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

// config holds the parameters of an agent that is a program, but for those that begin with optionPrefix.
type config struct {
	Command  string        `param:"cmd" help:"the program and its arguments, separated by blanks; words with blanks in double quotes"`
	Dir      string        `param:"dir" help:"folder to run it in; a program named with a slash is looked for from there"`
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

// optionPrefix begins the names of the parameters that set options of the program.
const optionPrefix = "opt."

// Kind returns the kind of agent that is an external program.
func Kind() agents.Kind {
	params := agents.ParamsOf(&struct {
		config
		Option string `param:"opt." help:"opt.NAME=VALUE sends setoption NAME VALUE when the program has started"`
	}{})
	return agents.Kind{
		Name:   "ugi",
		Doc:    "an external program that speaks the UGI protocol",
		Params: params,
		New:    newHost,
	}
}

// host is a program as an agent, started before the first game and used for all games until it fails.
type host struct {
	client
	config config
	given  []agents.Param // options of the spec, by name
	rules  []*rules.Rules // that the program must be able to play

	sent  [len(limitOptions)]float64 // limits set as options; 0: none
	told  position
	setup agents.Setup
	rng   *rand.Rand // for set-ups, which a program without the extensions can't choose
}

func newHost(c agents.Config) (agents.Agent, error) {
	h := &host{rules: c.Rules}
	c.Decode(&h.config)
	h.command, h.dir = splitCommand(h.config.Command), h.config.Dir
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		if option, ok := strings.CutPrefix(name, optionPrefix); ok {
			value := c.Values[name]
			if strings.ContainsAny(value, "\r\n") {
				return nil, fmt.Errorf("parameter %s: expected one line, found %.60q", name, value)
			}
			h.given = append(h.given, agents.Param{Name: option, Value: value})
		}
	}
	return h, findProgram(h.command, h.dir)
}

// Capabilities returns none: the protocol has limits only.
func (h *host) Capabilities() agents.Capabilities { return agents.Capabilities{} }

func (h *host) Trace() []string { return h.trace.last() }

// fail kills the program, which is in an unknown state, unless err is nil or the context's. It returns err.
func (h *host) fail(ctx context.Context, err error) error {
	if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		h.kill()
	}
	return err
}

func (h *host) NewGame(ctx context.Context, s agents.Setup) error {
	if h.config.Restart == everyGame && h.setup.Rules != nil { // it has played
		if err := h.Close(); err != nil {
			return err
		}
	}
	h.setup, h.rng = s, s.Rand()
	return h.fail(ctx, h.newGame(ctx))
}

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
		commands = fmt.Sprintf("setoption rules %s\nsetoption seed %d\n", h.setup.Rules, h.setup.Seed)
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

// run starts the program with the options of the spec unless it runs, and checks that it can play by the rules.
func (h *host) run(ctx context.Context, sets ...*rules.Rules) error {
	if h.proc == nil {
		h.sent = [len(limitOptions)]float64{}
		if err := h.launch(ctx, h.config.Start); err != nil {
			return err
		}
		commands := ""
		for _, o := range h.given {
			commands += setOption(o.Name, o.Value)
		}
		if err := h.fail(ctx, h.proc.send([]byte(commands))); err != nil {
			return err
		}
	}
	for _, r := range sets {
		again, err := rules.Parse(r.String())
		switch o := r.Options(); {
		case h.extended && (err != nil || again.Options() != o):
			return fmt.Errorf("expected rules that their name describes completely, found %s", r)
		case !h.extended && (o.Kang || !o.Relocation): // positions of the standard game don't tell them
			return fmt.Errorf("the engine can't play %s: it lacks the option rules", r)
		}
	}
	return nil
}

func setOption(name, value string) string { return "setoption " + name + " " + value + "\n" }

func (h *host) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if err := cmp.Or(q.Check(h.Capabilities()), ctx.Err()); err != nil {
		return agents.Decision{}, err
	}
	if o, _ := g.Outcome(); o != rules.Undecided {
		return agents.Decision{}, rules.ErrOver
	}
	if !h.extended {
		switch {
		case g.Rules().SettingUp(g.Position()):
			m, err := random.Move(g, h.rng)
			return agents.Decision{Move: m}, err
		case g.Legal().Contains(rules.Pass):
			return agents.Decision{Move: rules.Pass}, nil
		}
	}
	own := agents.Limits{Depth: h.config.Depth, Nodes: h.config.Nodes, MoveTime: h.config.MoveTime}
	d, err := h.choose(ctx, g, h.timed(g, q.Limits.Tighter(own)))
	return d, h.fail(ctx, err)
}

func (h *host) choose(ctx context.Context, g *rules.Game, lim agents.Limits) (d agents.Decision, err error) {
	if err := h.wait(ctx, "", h.config.Ready); err != nil {
		return d, err
	}
	if h.proc == nil { // the search before failed, and its game goes on all the same
		if err := h.newGame(ctx); err != nil {
			return d, err
		}
	}
	var commands []byte
	if h.extended {
		commands = append(h.told.command(g), "\nisready\ngo"...)
		commands = append(appendLimits(commands, lim, g.Position().Side()), '\n')
	} else {
		options, err := h.limit(ctx, lim)
		if err != nil {
			return d, err
		}
		commands = []byte(options + "setpos data " + formatRows(g.Rules(), g.Position()) + "\nisready\ngo\n")
	}
	budget, grace := h.config.Move, h.config.Grace
	if most := cmp.Or(lim.MoveTime, lim.Clock.Left); most > 0 {
		budget = most
		if h.extended || h.sent[len(h.sent)-1] > 0 { // the program keeps to it by itself
			budget, grace = budget+grace/2, grace-grace/2
		}
	}
	answer, err := h.search(ctx, commands, h.config.Ready, budget, grace)
	if err != nil {
		return d, err
	}
	d, err = h.decide(g, answer)
	d.Answered = h.proc.read
	return d, err
}

// timed returns limits with a move time in place of the clock, unless the program
// divides its time by itself: if it has our extensions and the option moveOverhead.
func (h *host) timed(g *rules.Game, lim agents.Limits) agents.Limits {
	if told := h.extended && h.offers("moveOverhead"); lim.Clock != (agents.Clock{}) && !told {
		own := agents.Limits{MoveTime: lim.Clock.MoveTime(g)}
		lim.Clock = agents.Clock{}
		lim = lim.Tighter(own)
	}
	return lim
}

// appendLimits appends the limits of side's next move as they follow go.
func appendLimits(text []byte, lim agents.Limits, side rules.Side) []byte {
	if lim.Depth > 0 {
		text = fmt.Appendf(text, " depth %d", min(lim.Depth, maxPly))
	}
	if lim.Nodes > 0 {
		text = fmt.Appendf(text, " nodes %d", lim.Nodes)
	}
	if lim.MoveTime > 0 {
		text = fmt.Appendf(text, " movetime %d", max(lim.MoveTime.Milliseconds(), 1))
	}
	if c := lim.Clock; c != (agents.Clock{}) {
		who := [2]string{"w", "b"}[side]
		text = fmt.Appendf(text, " %stime %d %sinc %d", who, c.Left.Milliseconds(), who, c.Increment.Milliseconds())
	}
	return text
}

// position is the position that the program was told last, as the command that it grows into: in a long game the moves
// that are new are a small part of it.
type position struct {
	start rules.Position
	moves []rules.Move
	text  []byte // empty: none in this game
}

// command returns that of a game.
func (p *position) command(g *rules.Game) []byte {
	moves, known := g.Moves(), len(p.moves)
	if len(p.text) == 0 || p.start != g.Start() || len(moves) < known || !slices.Equal(moves[:known], p.moves) {
		p.start, p.moves, known = g.Start(), p.moves[:0], 0
		p.text = append(p.text[:0], "setpos pos "+g.Rules().FormatPosition(p.start)+" moves"...)
	}
	for _, m := range moves[known:] {
		p.text = m.AppendText(append(p.text, ' '))
	}
	p.moves = append(p.moves, moves[known:]...)
	return p.text
}

// limitOptions are the options of a program that are limits, the one of time last.
var limitOptions = [...]string{"maxNodes", "maxPly", "maxTime"}

// limit returns the commands that set limits as options: those on offer that have changed, or the spec's if lower.
func (h *host) limit(ctx context.Context, lim agents.Limits) (commands string, err error) {
	wanted := [...]float64{float64(lim.Nodes), float64(lim.Depth), lim.MoveTime.Seconds()}
	for i, name := range limitOptions {
		if !h.offers(name) {
			wanted[i] = 0
		}
		for _, g := range h.given {
			x, err := strconv.ParseFloat(g.Value, 64)
			if strings.EqualFold(g.Name, name) && err == nil && 0 < x && x < wanted[i] {
				wanted[i] = x
			}
		}
	}
	for i, limit := range h.sent {
		if limit > 0 && wanted[i] == 0 { // there is no way to unset an option
			if err := h.Close(); err != nil {
				return "", err
			}
			if err := h.newGame(ctx); err != nil {
				return "", err
			}
			break
		}
	}
	for i, limit := range wanted {
		if limit != h.sent[i] {
			commands += setOption(limitOptions[i], strconv.FormatFloat(limit, 'f', -1, 64))
		}
	}
	h.sent = wanted
	return commands, nil
}

func (h *host) decide(g *rules.Game, answer result) (agents.Decision, error) {
	m, err := h.readMove(g, answer.move)
	if err != nil {
		return agents.Decision{}, &agents.Failure{Kind: agents.BadMove, Err: err}
	}
	if h.setup.OnRepetition == agents.AskNext && g.OnlyRepeats(m) {
		for _, other := range slices.Backward(h.results) {
			if legal, err := h.readMove(g, other.move); err == nil && g.Legal().Contains(legal) {
				m, answer = legal, other
				break
			}
		}
	}
	return agents.Decision{
		Move: m, Depth: answer.depth, Nodes: answer.nodes, Scored: answer.scored, Score: answer.agentScore(h.extended),
	}, nil
}

// readMove reads a move in the program's numbers.
func (h *host) readMove(g *rules.Game, text string) (rules.Move, error) {
	p := g.Position()
	turn := !h.extended && p.Side() == rules.North
	if turn {
		p = p.Rotate()
	}
	m, err := parseMove(g.Rules(), p, text)
	if err != nil {
		return rules.NoMove, fmt.Errorf("the engine answered %.120q: %w", text, err)
	}
	if turn {
		m = m.Rotate()
	}
	return m, nil
}
