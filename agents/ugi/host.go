package ugi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/rules"
)

// quitGrace is how long a program may take to quit.
const quitGrace = time.Second

// Kind returns the kind of agent that is an external program.
func Kind() agents.Kind {
	wait := func(name, standard, doc string) agents.ParamDef {
		return agents.ParamDef{Name: name, Type: agents.Duration, Default: standard, Min: 0.001, Max: maxSeconds, Doc: doc}
	}
	return agents.Kind{
		Name: "ugi",
		Doc:  "an external program that speaks the UGI protocol",
		Params: []agents.ParamDef{
			{Name: "cmd", Type: agents.Text, Doc: "the program and its arguments, separated by blanks; double quotes keep blanks in a word"},
			{Name: "dir", Type: agents.Text, Doc: "folder to run it in; a program named with a slash is looked for from there"},
			{Name: "depth", Type: agents.Int, Min: 1, Max: maxPly, Doc: "plies to search, if the program can be told"},
			{Name: "nodes", Type: agents.Int, Min: 1, Max: 1e12, Doc: "positions to visit for a move, if the program can be told"},
			{Name: "movetime", Type: agents.Duration, Min: 0.001, Max: 3600, Doc: "time for a move"},
			{Name: "opt.", Type: agents.Text, Doc: "opt.NAME=VALUE sends setoption NAME VALUE when the program has started"},
			wait("start", "10s", "time to start and say ugiok"),
			wait("ready", "10s", "time to say readyok"),
			wait("move", "1m", "time for a move that no movetime bounds; then stop is sent"),
			wait("grace", "1s", "how much later than its time a move may come"),
			{Name: "memory", Type: agents.Int, Min: 1, Max: 1 << 20, Doc: "MB of memory that the program may have, and each that it starts; on Linux"},
			{Name: "restart", Type: agents.Text, Default: "crash", Choices: []string{"crash", "game"}, Doc: "start the program anew after a crash only, or for every game"},
		},
		New: newHost,
	}
}

// host is a program as an agent. The program is started when the first game
// begins, and used for all games until it fails.
type host struct {
	command []string
	dir     string
	given   []setting // options of the spec, by name
	start   time.Duration
	ready   time.Duration
	move    time.Duration
	grace   time.Duration
	restart bool // for every game
	limits  agents.Limits
	memory  int // MB that the program may have; 0: all it wants

	proc    *process
	trace   trace
	offered []string  // names of the program's options
	ours    bool      // it understands our extensions
	sent    []setting // limits set as options
	owes    owed

	setup agents.Setup
	rng   *rand.Rand   // for set-ups, where the program has no say
	line  []byte       // what is sent next
	told  []byte       // the game as it has been told: the start and the moves
	moves []rules.Move // those in told
	found []finding    // of the last search, by depth
}

// setting is an option with its value.
type setting struct{ name, value string }

// owed is what the program has been asked and hasn't answered.
type owed struct {
	ready, move bool
	again       bool // it may answer a second time, since it was stopped as it answered
}

var (
	_ agents.Agent  = (*host)(nil)
	_ agents.Tracer = (*host)(nil)
)

func newHost(v agents.Values) (agents.Agent, error) {
	h := &host{
		command: splitCommand(v["cmd"]), dir: v["dir"],
		start: v.Duration("start"), ready: v.Duration("ready"), move: v.Duration("move"), grace: v.Duration("grace"),
		restart: v["restart"] == "game", memory: v.Int("memory"),
		limits: agents.Limits{Depth: v.Int("depth"), Nodes: int64(v.Int("nodes")), MoveTime: v.Duration("movetime")},
	}
	for name, value := range v {
		if option, ok := strings.CutPrefix(name, "opt."); ok {
			if strings.ContainsAny(value, "\r\n") {
				return nil, fmt.Errorf("parameter %s: expected one line, found %.60q", name, value)
			}
			h.given = append(h.given, setting{option, value})
		}
	}
	slices.SortFunc(h.given, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	return h, h.findProgram()
}

// CheckCommand reports whether there is a program that a command, as in the parameter
// cmd, could start.
func CheckCommand(command string) error {
	return (&host{command: splitCommand(command)}).findProgram()
}

// findProgram checks that there is something to start.
func (h *host) findProgram() error {
	if len(h.command) == 0 {
		return errors.New("expected cmd=PROGRAM, found none")
	}
	path := h.command[0]
	if h.dir != "" && strings.ContainsRune(path, filepath.Separator) && !filepath.IsAbs(path) {
		path = filepath.Join(h.dir, path)
	}
	if _, err := exec.LookPath(path); err != nil && !errors.Is(err, exec.ErrDot) {
		return fmt.Errorf("parameter cmd: %w", err)
	}
	return nil
}

// Trace implements [agents.Tracer].
func (h *host) Trace() []string { return h.trace.last() }

// Close ends the program.
func (h *host) Close() error {
	if h.proc == nil {
		return nil
	}
	p := h.proc
	h.proc = nil
	if h.owes.move { // it may not listen before it has an answer
		p.until(time.Now().Add(quitGrace))
		_ = p.say([]byte("stop\n"))
	}
	_, err := p.quit(quitGrace)
	return err
}

// fail ends the program if err is not the context's: it is in an unknown state.
func (h *host) fail(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	if h.proc != nil {
		_ = h.proc.kill() // err says more
		h.proc = nil
	}
	return err
}

// NewGame implements [agents.Agent].
func (h *host) NewGame(ctx context.Context, s agents.Setup) error {
	h.setup, h.rng = s, s.Rand()
	h.told, h.moves = h.told[:0], h.moves[:0]
	return h.fail(ctx, h.newGame(ctx))
}

func (h *host) newGame(ctx context.Context) error {
	if h.proc != nil && h.restart {
		if err := h.Close(); err != nil {
			return err
		}
	}
	if err := h.settle(ctx); err != nil {
		return err
	}
	if h.proc == nil {
		if err := h.launch(ctx); err != nil {
			return err
		}
	}
	if err := h.canPlay(h.setup.Rules); err != nil {
		return err
	}
	h.line = h.line[:0]
	if h.ours {
		h.line = fmt.Appendf(h.line, "setoption rules %s\nsetoption seed %d\n", h.setup.Rules, h.setup.Seed)
	}
	return h.sync(ctx)
}

// canPlay reports whether the program can be told these rules.
func (h *host) canPlay(r *rules.Rules) error {
	if h.ours {
		again, err := rules.Parse(r.String())
		if err != nil || again.Options() != r.Options() {
			return fmt.Errorf("expected rules that their name says all of, found %s", r)
		}
		return nil
	}
	if o := r.Options(); o.Kang || !o.Relocation {
		return fmt.Errorf("the engine plays the standard game only (it offers no option rules), not %s", r)
	}
	return nil
}

// launch starts the program and exchanges the first words.
func (h *host) launch(ctx context.Context) error {
	h.offered, h.ours, h.sent, h.owes = h.offered[:0], false, nil, owed{}
	h.trace = trace{}
	p, err := launch(h.command, h.dir, h.memory, &h.trace)
	if err != nil {
		return err
	}
	h.proc = p
	if err := h.introduce(ctx); err != nil {
		_ = p.kill() // a program half begun is of no use
		h.proc = nil
		return err
	}
	return nil
}

// introduce says hello and sets the options of the spec.
func (h *host) introduce(ctx context.Context) error {
	p := h.proc
	p.until(time.Now().Add(h.start))
	defer h.wakeUp(ctx)()
	if err := p.say([]byte("ugi\n")); err != nil {
		return err
	}
	for {
		line, err := p.hear(ctx)
		if err != nil {
			return timedOut(err, "the engine did not say ugiok within %v", h.start)
		}
		word, rest, _ := bytes.Cut(line, []byte{' '})
		switch string(bytes.TrimSpace(word)) {
		case "option":
			h.offer(optionName(string(rest)))
		case "ugiok":
			h.line = h.line[:0]
			for _, o := range h.given {
				h.line = fmt.Appendf(h.line, "setoption %s %s\n", o.name, o.value)
			}
			return h.sync(ctx)
		}
	}
}

func (h *host) offer(name string) {
	if name != "" && len(h.offered) < 1000 {
		h.offered = append(h.offered, name)
		h.ours = h.ours || name == "rules"
	}
}

// timedOut turns errLate into a failure and leaves other errors as they are.
func timedOut(err error, format string, args ...any) error {
	if errors.Is(err, errLate) {
		return &agents.Failure{Kind: agents.TimedOut, Err: fmt.Errorf(format, args...)}
	}
	return err
}

// wakeUp makes reading stop when ctx is cancelled, until its result is called.
func (h *host) wakeUp(ctx context.Context) (end func()) {
	p := h.proc
	stop := context.AfterFunc(ctx, func() { _ = p.out.SetReadDeadline(time.Unix(1, 0)) })
	return func() { stop() }
}

// sync sends what is in h.line and waits until the program is ready.
func (h *host) sync(ctx context.Context) error {
	h.proc.until(time.Now().Add(h.ready))
	defer h.wakeUp(ctx)()
	h.owes.ready = true
	if err := h.proc.say(append(h.line, "isready\n"...)); err != nil {
		return err
	}
	return h.settleBy(ctx)
}

// settle waits for what is still owed from a search that was cancelled.
func (h *host) settle(ctx context.Context) error {
	if h.proc == nil || !h.owes.ready && !h.owes.move {
		return nil
	}
	h.proc.until(time.Now().Add(h.ready))
	defer h.wakeUp(ctx)()
	return h.settleBy(ctx)
}

func (h *host) settleBy(ctx context.Context) error {
	for h.owes.ready || h.owes.move {
		line, err := h.proc.hear(ctx)
		if err != nil {
			return timedOut(err, "the engine did not say readyok within %v", h.ready)
		}
		switch word, _, _ := bytes.Cut(line, []byte{' '}); string(bytes.TrimSpace(word)) {
		case "readyok":
			h.owes.ready = false
		case "bestmove":
			h.owes.move = false
		}
	}
	return nil
}

// Choose implements [agents.Agent].
func (h *host) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	if err := ctx.Err(); err != nil {
		return agents.Decision{}, err
	}
	if o, _ := g.Outcome(); o != rules.Undecided {
		return agents.Decision{}, rules.ErrOver
	}
	if !h.ours {
		switch {
		case g.Rules().SettingUp(g.Position()):
			m, err := random.Move(g, h.rng)
			return agents.Decision{Move: m}, err
		case g.Legal().Contains(rules.Pass):
			return agents.Decision{Move: rules.Pass}, nil
		}
	}
	d, err := h.choose(ctx, g, lim.Tighter(h.limits))
	return d, h.fail(ctx, err)
}

func (h *host) choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	if err := h.settle(ctx); err != nil {
		return agents.Decision{}, err
	}
	if h.proc == nil { // the search before failed, and its game goes on all the same
		if err := h.newGame(ctx); err != nil {
			return agents.Decision{}, err
		}
	}
	h.line = h.line[:0]
	if !h.ours {
		if err := h.limit(ctx, lim); err != nil {
			return agents.Decision{}, err
		}
	}
	h.line = append(h.line, "setpos "...)
	h.position(g)
	h.line = append(h.line, "\nisready\ngo"...)
	if h.ours {
		h.line = appendGo(h.line, lim)
	}
	h.line = append(h.line, '\n')
	answer, err := h.ask(ctx, lim)
	if err != nil {
		return agents.Decision{}, err
	}
	return h.decide(g, answer)
}

func appendGo(line []byte, lim agents.Limits) []byte {
	if lim.Depth > 0 {
		line = fmt.Appendf(line, " depth %d", min(lim.Depth, maxPly))
	}
	if lim.Nodes > 0 {
		line = fmt.Appendf(line, " nodes %d", lim.Nodes)
	}
	if lim.MoveTime > 0 {
		line = fmt.Appendf(line, " movetime %d", max(lim.MoveTime.Milliseconds(), 1))
	}
	return line
}

// position appends the position, and with our extensions the way to it.
func (h *host) position(g *rules.Game) {
	if !h.ours {
		h.line = append(append(h.line, "data "...), formatRows(g.Rules(), g.Position())...)
		return
	}
	moves := g.Moves()
	if n := len(h.moves); len(h.told) == 0 || len(moves) < n || !slices.Equal(h.moves, moves[:n]) {
		h.told = fmt.Appendf(h.told[:0], "pos %s moves", g.Rules().FormatPosition(g.Start()))
		h.moves = h.moves[:0]
	}
	for _, m := range moves[len(h.moves):] {
		h.told = m.AppendText(append(h.told, ' '))
		h.moves = append(h.moves, m)
	}
	h.line = append(h.line, h.told...)
}

// limit sets the limits as options, where the program offers them and they
// have changed.
func (h *host) limit(ctx context.Context, lim agents.Limits) error {
	want := []setting{}
	add := func(name string, on bool, value string) {
		if i := slices.IndexFunc(h.offered, func(o string) bool { return strings.EqualFold(o, name) }); on && i >= 0 {
			want = append(want, setting{name, value})
		}
	}
	add("maxPly", lim.Depth > 0, strconv.Itoa(lim.Depth))
	add("maxNodes", lim.Nodes > 0, strconv.FormatInt(lim.Nodes, 10))
	add("maxTime", lim.MoveTime > 0, strconv.FormatFloat(lim.MoveTime.Seconds(), 'f', -1, 64))
	if slices.Equal(want, h.sent) {
		return nil
	}
	if len(h.sent) > 0 { // there is no way to unset an option
		if err := h.Close(); err != nil {
			return err
		}
		if err := h.newGame(ctx); err != nil {
			return err
		}
		h.line = h.line[:0]
	}
	for _, o := range want {
		h.line = fmt.Appendf(h.line, "setoption %s %s\n", o.name, tighter(o, h.given))
	}
	h.sent = want
	return nil
}

// tighter returns the lower of a limit and what the spec has for it.
func tighter(o setting, given []setting) string {
	for _, g := range given {
		a, errA := strconv.ParseFloat(g.value, 64)
		b, errB := strconv.ParseFloat(o.value, 64)
		if strings.EqualFold(g.name, o.name) && errA == nil && errB == nil && 0 < a && a < b {
			return g.value
		}
	}
	return o.value
}

// ask sends a question and returns the answer. What is heard before readyok
// belongs to an earlier question.
func (h *host) ask(ctx context.Context, lim agents.Limits) (finding, error) {
	budget, late := h.move, h.grace
	if lim.MoveTime > 0 {
		budget = lim.MoveTime
		if slices.ContainsFunc(h.sent, func(o setting) bool { return o.name == "maxTime" }) || h.ours {
			budget, late = budget+late/2, late-late/2 // it looks at the clock itself
		}
	}
	p := h.proc
	p.until(time.Now().Add(budget))
	defer h.wakeUp(ctx)()
	h.found = h.found[:0]
	h.owes.ready, h.owes.move = true, true
	if err := p.say(h.line); err != nil {
		return finding{}, err
	}
	stopped := false
	for {
		line, err := p.hear(ctx)
		switch {
		case err == nil:
			answer, done, err := h.listen(line)
			if done || err != nil {
				return answer, err
			}
		case errors.Is(err, errLate) && !stopped:
			stopped, h.owes.again = true, true
			p.until(time.Now().Add(late))
			if err := p.say([]byte("stop\n")); err != nil {
				return finding{}, err
			}
		case errors.Is(err, errLate):
			return finding{}, timedOut(err, "the engine gave no move within %v and %v of grace", budget, late)
		default:
			if ctx.Err() != nil {
				p.until(time.Now().Add(h.grace))
				_ = p.say([]byte("stop\n")) // the answer is waited for when it is used again
			}
			return finding{}, err
		}
	}
}

// listen takes in a line that follows a question. done tells that it is the answer.
func (h *host) listen(line []byte) (answer finding, done bool, err error) {
	word, rest, _ := bytes.Cut(line, []byte{' '})
	switch string(bytes.TrimSpace(word)) {
	case "readyok":
		if h.owes.ready {
			h.owes.ready, h.owes.again = false, false
		}
	case "info":
		if h.owes.ready {
			return answer, false, nil // of the search before
		}
		var f finding
		if f.read(strings.Fields(string(rest))); f.move != "" && len(h.found) < maxPly {
			h.found = append(h.found, f)
		}
	case "bestmove":
		if h.owes.ready && h.owes.again {
			return answer, false, nil
		}
		if h.owes.ready {
			return answer, false, broken("the engine answered twice: %q came before it was asked again", escape(string(line), maxShown))
		}
		words := strings.Fields(string(rest))
		if len(words) == 0 {
			return answer, false, broken("expected a move after bestmove, found none")
		}
		h.owes.move = false
		if n := len(h.found); n > 0 && h.found[n-1].move == words[0] {
			answer = h.found[n-1]
		}
		answer.read(words[1:])
		answer.move = words[0]
		return answer, true, nil
	}
	return answer, false, nil
}

// decide turns an answer into a decision.
func (h *host) decide(g *rules.Game, answer finding) (agents.Decision, error) {
	m, err := h.readMove(g, answer.move)
	if err != nil {
		return agents.Decision{}, &agents.Failure{Kind: agents.BadMove, Err: err}
	}
	if h.setup.OnRepetition == agents.AskNext && g.OnlyRepeats(m) {
		for i := len(h.found) - 1; i >= 0; i-- {
			if other, err := h.readMove(g, h.found[i].move); err == nil && g.Legal().Contains(other) {
				m, answer = other, h.found[i]
				break
			}
		}
	}
	d := agents.Decision{Move: m, Depth: answer.depth, Nodes: answer.nodes}
	if answer.scored {
		d.Scored, d.Score = true, answer.scoreOf(h.ours)
	}
	return d, nil
}

// readMove reads a move in the program's numbers.
func (h *host) readMove(g *rules.Game, text string) (rules.Move, error) {
	p := g.Position()
	turn := !h.ours && p.Side() == rules.North
	if turn {
		p = p.Rotate()
	}
	m, err := parseMove(g.Rules(), p, text)
	if err != nil {
		return rules.NoMove, fmt.Errorf("the engine answered %q: %w", escape(text, maxShown), err)
	}
	if turn {
		m = m.Rotate()
	}
	return m, nil
}
